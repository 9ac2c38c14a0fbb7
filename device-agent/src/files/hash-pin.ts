/** Slow on purpose, and off the event loop. The same PIN and salt give the same 32 bytes. */
export type HashPin = (pin: string, salt: Uint8Array) => Promise<Uint8Array>;
