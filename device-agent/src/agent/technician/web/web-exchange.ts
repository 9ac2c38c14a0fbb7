/** HTTPS under the page, as a port: one request in, one answer out. */

export interface WebRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** The value of a header, named in lower case; undefined: it was not sent. */
  header(name: string): string | undefined;
  /** null: it is larger than MAX_BODY_BYTES. */
  body: Uint8Array | null;
  /** The address of this device to which it was sent. */
  ownAddress: string;
  /** Who sent it: an address; of an IPv6 address in another network, its /64. */
  host: string;
  /** Aborted once the connection has ended: nobody waits for the answer. */
  givenUp: AbortSignal;
}

/** A list: the header stands there more than once. */
export type WebHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface WebAnswer {
  status: number;
  headers: WebHeaders;
  body: Uint8Array | string;
  /** The sender is logged in: if connections are scarce, this one is kept. */
  hasSession?: boolean;
}

/** Never rejects. */
export type AnswerWeb = (request: WebRequest) => Promise<WebAnswer>;

/** In PEM. */
export interface Certificate {
  key: string;
  certificate: string;
}

/** Making certificates and looking at them, as a port. */
export interface Certificates {
  /** Signed by its own key. */
  make(request: CertificateRequest): Promise<Certificate>;
  /** SHA-256 as browsers show it; null: this is no certificate, or not the one of this key. */
  fingerprintOf(certificate: Certificate): string | null;
  /** Whether one that has a fingerprint ends soon, or has ended. */
  isDue(certificate: Certificate): boolean;
}

export interface CertificateRequest {
  /** The device's name. */
  commonName: string;
  /** Names and addresses by which it is reached. */
  hosts: readonly string[];
  /** The key of the former certificate; absent: a new one is drawn. */
  key?: string;
}

export interface ListenOptions extends Certificate {
  port: number;
  /** null: all addresses. */
  address: string | null;
}

export interface Listening {
  /** Shows another certificate to new connections; open ones go on. */
  present(certificate: Certificate): void;
  /** Resolves when no port is open any more. Answers under way get a moment. */
  close(): Promise<void>;
}

/** Rejects with RelaygateError: `port-in-use`, or `refused` with the system's reason. */
export type ListenHttps = (options: ListenOptions, answer: AnswerWeb) => Promise<Listening>;

/** This device in its networks. */
export interface OwnNetwork {
  /** Addresses under which others may reach it, without loopback. */
  addresses(): string[];
  hostName(): string;
}

export interface PageFile {
  contentType: string;
  bytes: Uint8Array;
  etag: string;
}

/** The page as it was built, by its path: "/", "/app.js". Read anew with each call. */
export type ReadPage = () => Promise<ReadonlyMap<string, PageFile>>;
