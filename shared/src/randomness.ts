/** The source of keys, nonces, ids and jitter: a port, so that a fault schedule can be replayed from its seed. */
export interface Randomness {
  /** `size` unpredictable bytes, 1..1024. */
  bytes(size: number): Uint8Array;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
}
