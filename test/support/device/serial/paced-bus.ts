import { monotonicNowMs } from '@relaygate/shared/system';
import { withCrc } from './memory-modbus';
import { Pty } from './pty';

/** A Modbus board by script. */
export interface PacedBoard {
  address: number;
  relays: number;
  /** From the end of a request to the first byte of its answer; null: it hears and answers nothing. */
  answersAfterMs: number | null;
  /** Function 0x0F; others answer it with an exception. */
  knowsCoils?: boolean;
}

interface Sent {
  startMs: number;
  endMs: number;
}

const READ_COILS = 0x01;
const WRITE_COIL = 0x05;
const WRITE_COILS = 0x0f;
/** Start bit, 8 data bits, stop bit, and one of parity or more stop. */
const BITS_PER_BYTE = 11;

/**
 * Modbus boards at a pseudo-terminal whose bytes take as long as on the wire. `collides`: a request that begins too soon
 * after another frame, or while a board answers, is heard by no board. On a busy machine this process hears late, and
 * collisions are seen that there are not.
 */
export class PacedBus {
  readonly #boards: readonly PacedBoard[];
  readonly #byteMs: number;
  readonly #collides: boolean;
  /** Of each relay that is on, `address/coil`. */
  readonly on = new Set<string>();
  /** When a relay went off, and which, in order. */
  readonly offs: { relay: string; atMs: number }[] = [];
  /** Requests that no board heard. */
  readonly lost: string[] = [];
  /** Requests as sent, in hex. */
  readonly requests: string[] = [];
  #pty: Pty | null = null;
  #bytes: number[] = [];
  #requestStartMs = 0;
  #last: Sent = { startMs: 0, endMs: 0 };

  constructor(boards: readonly PacedBoard[], baud: number, { collides = false } = {}) {
    this.#boards = boards;
    this.#collides = collides;
    this.#byteMs = (BITS_PER_BYTE * 1_000) / baud;
  }

  async plug(path: string): Promise<void> {
    const pty = await Pty.plug(path);
    this.#pty = pty;
    pty.heard = (bytes) => this.#hear(bytes);
  }

  async unplug(): Promise<void> {
    await this.#pty?.unplug();
    this.#pty = null;
  }

  allOn(): void {
    for (const { address, relays } of this.#boards)
      for (let coil = 0; coil < relays; coil += 1) this.on.add(`${address}/${coil}`);
  }

  #hear(bytes: Uint8Array): void {
    if (this.#bytes.length === 0) this.#requestStartMs = monotonicNowMs();
    this.#bytes.push(...bytes);
    const size = this.#bytes[1] === WRITE_COILS ? 9 + (this.#bytes[6] ?? Number.POSITIVE_INFINITY) : 8;
    if (this.#bytes.length < size) return;
    const request = this.#bytes.splice(0, size);
    const hex = Buffer.from(request).toString('hex');
    this.requests.push(hex);
    const startMs = this.#requestStartMs;
    const endMs = startMs + request.length * this.#byteMs;
    // A pseudo-terminal hands bytes over a little late, so a little less than 3.5 bytes is enough.
    const isHeard = !this.#collides || startMs >= this.#last.endMs + 2.5 * this.#byteMs;
    this.#last = { startMs, endMs: Math.max(endMs, this.#last.endMs) };
    if (isHeard) this.#obey(request, endMs);
    else this.lost.push(hex);
  }

  #obey(request: readonly number[], heardMs: number): void {
    const board = this.#boards.find(({ address }) => address === request[0]);
    if (!board || board.answersAfterMs === null) return;
    const answer = this.#answer(board, request, heardMs);
    const startMs = heardMs + board.answersAfterMs;
    const sent = { startMs, endMs: startMs + answer.length * this.#byteMs };
    this.#at(startMs, () => {
      // Something else is on the wire.
      if (this.#collides && this.#last.endMs > startMs) return;
      this.#last = sent;
      this.#at(sent.endMs, () => this.#pty?.say(answer));
    });
  }

  #answer(board: PacedBoard, request: readonly number[], atMs: number): Uint8Array {
    const [address = 0, operation = 0, , first = 0, value = 0, count = 0] = request;
    if (operation === READ_COILS) {
      const bits = Array.from({ length: count }, (_, n) => (this.on.has(`${address}/${first + n}`) ? 1 : 0));
      const data = Array.from({ length: Math.ceil(count / 8) }, (_, byte) =>
        bits.slice(8 * byte, 8 * byte + 8).reduce<number>((sum, bit, n) => sum | (bit << n), 0),
      );
      return withCrc([address, operation, data.length, ...data]);
    }
    if (operation === WRITE_COIL) {
      this.#move(`${address}/${first}`, value === 0xff, atMs);
      return Uint8Array.from(request);
    }
    if (operation !== WRITE_COILS || board.knowsCoils === false) return withCrc([address, operation | 0x80, 1]);
    for (let n = 0; n < count; n += 1)
      this.#move(`${address}/${first + n}`, (((request[7 + (n >> 3)] ?? 0) >> (n & 7)) & 1) === 1, atMs);
    return withCrc(request.slice(0, 6));
  }

  #move(relay: string, isOn: boolean, atMs: number): void {
    if (isOn) this.on.add(relay);
    else if (this.on.delete(relay)) this.offs.push({ relay, atMs });
  }

  #at(ms: number, run: () => void): void {
    setTimeout(run, Math.max(0, ms - monotonicNowMs()));
  }
}
