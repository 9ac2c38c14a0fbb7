const LINE_BREAK = 0x0a;

/** Cuts a byte stream into lines of UTF-8 text. Holds at most `maxBytes` of an unfinished line. I15. */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that `chunk` completes; null: a line is too long, so the connection must be closed. */
  push(chunk: Buffer): string[] | null {
    const lines: string[] = [];
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(LINE_BREAK); end !== -1; end = bytes.indexOf(LINE_BREAK)) {
      if (end > this.#maxBytes) return null;
      lines.push(bytes.toString('utf8', 0, end));
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > this.#maxBytes) return null;
    this.#rest = bytes;
    return lines;
  }
}
