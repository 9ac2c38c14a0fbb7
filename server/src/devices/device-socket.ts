/** What a DeviceLink needs of its WebSocket; the adapter over ws is ws-endpoint.ts. */
export interface DeviceSocket {
  /** Bytes that wait to leave. */
  readonly queuedBytes: number;
  readonly isOpen: boolean;
  send(text: string): void;
  /** Close handshake; the peer may never answer it. */
  close(code: number, reason: string): void;
  /** At once, without a handshake. */
  terminate(): void;
}
