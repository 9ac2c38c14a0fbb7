/** What no pattern can say of the address of a server that a device dials. */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** To be read after the member's name; null: the address is good. */
export function serverUrlProblem(serverUrl: string): string | null {
  if (!URL.canParse(serverUrl)) return `is no address: ${serverUrl}`;
  const url = new URL(serverUrl);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') return 'must begin with wss://';
  if (url.protocol === 'ws:' && !LOOPBACK.test(url.hostname))
    return 'must be wss://; ws:// is for a server on this machine only';
  if (/[?#@]/.test(serverUrl) || !/^\/*$/.test(url.pathname))
    return 'is "wss://host" or "wss://host:port", without user, path, query or fragment';
  return null;
}
