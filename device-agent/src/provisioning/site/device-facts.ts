/** What a label needs of a device, as lines of relaygate-status.txt. */

export interface DeviceFacts {
  productLogin: string;
  /** The fingerprint of the device's key. */
  fingerprint: string;
  /** Of the page's certificate; null: the page was never on. */
  webFingerprint: string | null;
}

const TITLE = 'Relaygate, product ';
const KEY = 'Fingerprint of this device: ';
const CERTIFICATE = 'Certificate of its page: SHA-256 ';

export function titleOf(productLogin: string): string {
  return `${TITLE}${productLogin}`;
}

export function factLines({ fingerprint, webFingerprint }: Omit<DeviceFacts, 'productLogin'>): string[] {
  return [`${KEY}${fingerprint}`, ...(webFingerprint === null ? [] : [`${CERTIFICATE}${webFingerprint}`])];
}

/** The facts in a whole status file; null: there are none, because the device has not run with it yet. */
export function factsIn(statusText: string): DeviceFacts | null {
  const lines = statusText.split(/\r?\n/);
  // Somebody may have changed the card that is read.
  const behind = (words: string, pattern: RegExp): string | null => {
    const text = lines.find((line) => line.startsWith(words))?.slice(words.length) ?? '';
    return pattern.test(text) ? text : null;
  };
  const productLogin = behind(TITLE, /^[A-Za-z0-9._-]{1,64}$/);
  const fingerprint = behind(KEY, /^[0-9a-f-]{1,64}$/);
  if (productLogin === null || fingerprint === null) return null;
  return { productLogin, fingerprint, webFingerprint: behind(CERTIFICATE, /^[0-9A-F:]{1,128}$/) };
}
