/** What a Modbus board answers, in memory: coils that are written and read, and discrete inputs. */
export class MemoryModbus {
  readonly coils = new Map<number, boolean>();
  /** Those that are high. */
  readonly #inputs = new Set<number>();
  /** Addresses of boards that hear, and do not answer. */
  readonly mute = new Set<number>();
  /** Addresses of boards that do not know function 0x0F, and how they take it. */
  readonly onlySingle = new Map<number, 'refuses' | 'ignores'>();

  /** For `MemoryPort.answers`. */
  readonly answer = (frame: Uint8Array): Uint8Array => {
    const [address = 0, operation = 0, high = 0, low = 0, , last = 0] = frame;
    if (operation === 5) this.coils.set(address * 256 + low, high !== 0 || frame[4] === 0xff);
    if (operation === 15) {
      const how = this.onlySingle.get(address);
      if (how !== undefined) return how === 'ignores' ? new Uint8Array() : withCrc([address, 0x8f, 1]);
      for (let n = 0; n < last; n += 1) this.coils.set(address * 256 + low + n, (((frame[7] ?? 0) >> n) & 1) === 1);
    }
    if (this.mute.has(address)) return new Uint8Array();
    if (operation === 15) return withCrc([...frame.subarray(0, 6)]);
    if (operation === 5) return frame;
    const isHigh = (n: number): boolean =>
      operation === 2 ? this.#inputs.has(address * 256 + n) : this.isOn(address, n);
    const bytes = Array<number>(Math.ceil(last / 8)).fill(0);
    for (let n = 0; n < last; n += 1) if (isHigh(n)) bytes[n >> 3] = (bytes[n >> 3] ?? 0) | (1 << (n & 7));
    return withCrc([address, operation, bytes.length, ...bytes]);
  };

  setInput(address: number, input: number, isHigh: boolean): void {
    if (isHigh) this.#inputs.add(address * 256 + input);
    else this.#inputs.delete(address * 256 + input);
  }

  isOn(address: number, coil: number): boolean {
    return this.coils.get(address * 256 + coil) === true;
  }
}

export function withCrc(body: readonly number[]): Uint8Array {
  let crc = 0xffff;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return Uint8Array.of(...body, crc & 0xff, crc >> 8);
}
