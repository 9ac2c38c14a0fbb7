import type {
  Certificate,
  CertificateRequest,
  WebAnswer,
  WebHeaders,
  WebRequest,
} from '@relaygate/device-agent/agent/technician/web/web-exchange';
import type { WebAdapters } from '@relaygate/device-agent/agent/technician/web/web-page';
import { refused } from '@relaygate/device-agent/runtime/refused';
import { RelaygateError } from '@relaygate/shared';

const ADDRESS = '192.0.2.7';

/** The machine under the technician's page: its port, its Wi-Fi and its certificates, in memory. */
export class WebInMemory {
  /** Of a Wi-Fi that is up. */
  hotspot: { ssid: string; passphrase: string } | null = null;
  hasWifi = true;
  isWifiStuck = false;
  addresses = [ADDRESS];
  isPortTaken = false;
  /** Ends the connection of the last request. */
  hangUp = (): void => {};
  /** null: no port is open. */
  listening: { port: number; certificate: string; answer(request: WebRequest): Promise<WebAnswer> } | null = null;
  /** What each was made of. */
  readonly certificatesMade: CertificateRequest[] = [];
  /** They end soon. */
  readonly dueCertificates = new Set<string>();

  readonly adapters: WebAdapters = {
    listen: async ({ port, certificate }, answer) => {
      if (this.isPortTaken) throw new RelaygateError('port-in-use');
      const listening = { port, certificate, answer };
      this.listening = listening;
      return {
        present: (newer) => {
          listening.certificate = newer.certificate;
        },
        close: async () => {
          this.listening = null;
        },
      };
    },
    network: { addresses: () => this.addresses, hostName: () => 'gate-pi' },
    readPage: async () =>
      new Map([['/', { contentType: 'text/html; charset=utf-8', bytes: Buffer.from('<p>page'), etag: '"1"' }]]),
    certificates: {
      make: async (request): Promise<Certificate> => {
        const number = this.certificatesMade.push(request);
        return { key: request.key ?? `key ${number}`, certificate: `certificate ${number}` };
      },
      fingerprintOf: ({ key, certificate }) =>
        /^key \d+$/.test(key) ? certificate.replace(/^certificate /, 'AA:') : null,
      isDue: ({ certificate }) => this.dueCertificates.has(certificate),
    },
    hotspot: {
      begin: async (ssid, passphrase) => {
        if (!this.hasWifi) throw new RelaygateError('refused', 'This device has no Wi-Fi.');
        this.hotspot = { ssid, passphrase };
      },
      end: async () => {
        if (this.isWifiStuck) throw refused('refused', 'wifi-silent', { seconds: 20 });
        this.hotspot = null;
      },
    },
  };

  /** Rejects while no port is open. */
  async request(
    method: string,
    path: string,
    { host, headers = {}, body }: { host: string; headers?: Record<string, string>; body?: object | Uint8Array | null },
  ): Promise<{ status: number; headers: WebHeaders; body: string }> {
    if (!this.listening) throw new Error('connection refused');
    const givenUp = new AbortController();
    this.hangUp = () => givenUp.abort();
    const isJson = body !== undefined && body !== null && !(body instanceof Uint8Array);
    const sent: Record<string, string> = { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers };
    const answer = await this.listening.answer({
      method,
      path,
      header: (name) => sent[name],
      body: isJson ? Buffer.from(JSON.stringify(body)) : body === undefined ? new Uint8Array() : body,
      ownAddress: ADDRESS,
      host,
      givenUp: givenUp.signal,
    });
    return { ...answer, body: Buffer.from(answer.body).toString() };
  }
}
