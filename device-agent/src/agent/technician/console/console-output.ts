import type { SerialConnection } from '../../../serial/serial-port';

/** A screen of 80 x 24 several times over. I15. */
export const MAX_UNREAD_CHARS = 16 * 1024;
const CUT = '\r\n[...]\r\n';

/** Writes to a terminal that may have stopped reading: text that does not fit meanwhile is dropped, and that is said. */
export class ConsoleOutput {
  readonly #connection: SerialConnection;
  #unread = '';
  #isCut = false;
  #isWriting = false;

  constructor(connection: SerialConnection) {
    this.#connection = connection;
  }

  write(text: string): void {
    if (this.#unread.length + text.length > MAX_UNREAD_CHARS) {
      this.#isCut = true;
      return;
    }
    this.#unread += this.#isCut ? CUT + text : text;
    this.#isCut = false;
    if (!this.#isWriting) void this.#writeAll();
  }

  /** A port that refuses is gone, and reports that itself. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#unread !== '') {
        const text = this.#unread;
        this.#unread = '';
        await this.#connection.write(new TextEncoder().encode(text));
      }
    } catch {
      this.#unread = '';
    } finally {
      this.#isWriting = false;
    }
  }
}
