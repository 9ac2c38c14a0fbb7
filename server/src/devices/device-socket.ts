/** A DeviceLink's connection: the adapter over ws is ws-endpoint.ts. */
export interface DeviceSocket {
  /** Bytes that wait to be sent. */
  readonly queuedBytes: number;
  readonly isOpen: boolean;
  send(text: string): void;
  /** Sends a close frame, and cuts the connection if the peer does not answer it soon. */
  close(code: number, reason: string): void;
  /** Cuts the connection at once. */
  terminate(): void;
}
