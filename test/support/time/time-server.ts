/** A time server (SNTP, RFC 4330) on this machine's loopback, whose clock may be wrong. Its port takes root. */
import { createSocket, type Socket } from 'node:dgram';

const PORT = 123;
const MESSAGE_BYTES = 48;
/** No leap second, version 4, "server". */
const SERVER_OF_VERSION_4 = 0x24;
const TRANSMIT_AT = 40;
/** From 1900 to 1970. */
const EPOCH_SECONDS = 2_208_988_800;
const FRACTIONS = 2 ** 32;

export class TimeServer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #aheadMs: number;

  static async start(aheadMs: number): Promise<TimeServer> {
    const server = new TimeServer(aheadMs);
    await new Promise<void>((resolve, reject) => {
      server.#socket.once('error', reject);
      server.#socket.bind(PORT, '127.0.0.1', resolve);
    });
    return server;
  }

  private constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
    this.#socket.on('message', (request, { port, address }) => {
      if (request.length >= MESSAGE_BYTES) this.#socket.send(this.#answerTo(request), port, address);
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #answerTo(request: Buffer): Buffer {
    const answer = Buffer.alloc(MESSAGE_BYTES);
    answer[0] = SERVER_OF_VERSION_4;
    // Stratum and poll interval; delay and dispersion are zero.
    answer[1] = 1;
    answer[2] = 6;
    answer.write('TEST', 12, 'latin1');
    this.#writeNow(answer, 16);
    request.copy(answer, 24, TRANSMIT_AT, TRANSMIT_AT + 8);
    this.#writeNow(answer, 32);
    this.#writeNow(answer, TRANSMIT_AT);
    return answer;
  }

  #writeNow(answer: Buffer, at: number): void {
    const seconds = (Date.now() + this.#aheadMs) / 1_000 + EPOCH_SECONDS;
    answer.writeUInt32BE(Math.floor(seconds), at);
    answer.writeUInt32BE(Math.floor((seconds % 1) * FRACTIONS), at + 4);
  }
}
