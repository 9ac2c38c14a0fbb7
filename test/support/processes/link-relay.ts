/**
 * A device link's way through a network that misbehaves: a WebSocket relay between agent and server that passes whole
 * messages on, so that a repeated or lost one is what the protocol above sees. (Repeated TCP bytes would only break
 * the framing.) Connections pass as they come until a test says otherwise; order is kept in each direction.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@relaygate/shared';
import { WebSocket, WebSocketServer } from 'ws';

export type Direction = 'to-server' | 'to-device';

export interface RelayedFrame {
  readonly direction: Direction;
  readonly text: string;
  /** Its `type` member, or ''. */
  readonly type: string;
}

/** How often a frame goes on: 0 drops it. */
export type Copies = (frame: RelayedFrame) => number;

export type DelayMs = (frame: RelayedFrame) => number;

interface Pair {
  readonly device: WebSocket;
  readonly server: WebSocket;
}

/** No close frame came, or one that may not be sent on. */
const UNSENDABLE = new Set([1005, 1006, 1015]);

export class LinkRelay {
  /** What the agent's settings.json takes as serverUrl. */
  readonly url: string;
  /** Every frame that reached the relay, in order. */
  readonly frames: RelayedFrame[] = [];
  /** Called for each frame before it is passed on or held. */
  onFrame: (frame: RelayedFrame) => void = () => {};
  copies: Copies = () => 1;
  /** How much later a frame arrives. */
  delayMs: DelayMs = () => 0;
  /** While true, new connections are turned away. */
  isRefusing = false;
  readonly #http: Server;
  readonly #target: () => string;
  readonly #pairs = new Set<Pair>();
  readonly #held = new Map<Direction, (() => void)[]>();

  /** `target`: the server's ws:// address, asked for at each connection. */
  static async start(target: () => string): Promise<LinkRelay> {
    const http = createServer();
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new LinkRelay(http, target);
  }

  private constructor(http: Server, target: () => string) {
    this.#http = http;
    this.#target = target;
    const address = http.address();
    this.url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    http.on('upgrade', (request, socket, head) => {
      if (this.isRefusing) return void socket.destroy();
      sockets.handleUpgrade(request, socket, head, (device) => this.#join(device));
    });
  }

  /** How many frames of this type have reached the relay. */
  count(type: string): number {
    return this.frames.filter((frame) => frame.type === type).length;
  }

  /** Nothing gets through until `heal`, then everything, as TCP does after a partition. The sockets stay open. */
  hold(...directions: Direction[]): void {
    for (const direction of directions) if (!this.#held.has(direction)) this.#held.set(direction, []);
  }

  /** Both ways, and nobody gets a new connection. */
  partition(): void {
    this.isRefusing = true;
    this.hold('to-server', 'to-device');
  }

  /** What was held arrives; all passes again. */
  heal(): void {
    this.isRefusing = false;
    this.onFrame = () => {};
    this.copies = () => 1;
    this.delayMs = () => 0;
    const held = [...this.#held.values()].flat();
    this.#held.clear();
    for (const deliver of held) deliver();
  }

  /** Breaks every connection on both sides without a word; what was held is lost. */
  cut(): void {
    for (const waiting of this.#held.values()) waiting.length = 0;
    for (const { device, server } of [...this.#pairs]) {
      device.terminate();
      server.terminate();
    }
  }

  /** `fault` begins when the next frame of this type has reached the relay, before it is passed on or held. */
  atNextFrame(type: string, fault: () => void = () => {}): Promise<RelayedFrame> {
    return new Promise((begun) => {
      this.onFrame = (frame) => {
        if (frame.type !== type) return;
        this.onFrame = () => {};
        fault();
        begun(frame);
      };
    });
  }

  async stop(): Promise<void> {
    this.isRefusing = true;
    this.cut();
    this.#http.closeAllConnections();
    this.#http.close();
    if (this.#http.listening) await once(this.#http, 'close');
  }

  #join(device: WebSocket): void {
    const server = new WebSocket(`${this.#target()}${LINK_PATH}`, LINK_SUBPROTOCOL, { perMessageDeflate: false });
    const pair = { device, server };
    this.#pairs.add(pair);
    const opened = new Promise<void>((resolve) => server.once('open', resolve));
    device.on('message', (data) => void opened.then(() => this.#take('to-server', data.toString(), server)));
    server.on('message', (data) => this.#take('to-device', data.toString(), device));
    device.on('close', (code, reason) => this.#part(pair, server, code, reason));
    server.on('close', (code, reason) => this.#part(pair, device, code, reason));
    for (const socket of [device, server]) socket.on('error', () => {});
  }

  #part(pair: Pair, other: WebSocket, code: number, reason: Buffer): void {
    this.#pairs.delete(pair);
    if (other.readyState !== WebSocket.OPEN || UNSENDABLE.has(code)) other.terminate();
    else other.close(code, reason);
  }

  #take(direction: Direction, text: string, to: WebSocket): void {
    const frame = { direction, text, type: typeOf(text) };
    this.frames.push(frame);
    this.onFrame(frame);
    const copies = this.copies(frame);
    const send = (): void => {
      for (let copy = 0; copy < copies && to.readyState === WebSocket.OPEN; copy += 1) to.send(text);
    };
    const deliver = (): void => {
      const waiting = this.#held.get(direction);
      if (waiting) waiting.push(send);
      else send();
    };
    const delayMs = this.delayMs(frame);
    if (delayMs === 0) deliver();
    else setTimeout(deliver, delayMs);
  }
}

function typeOf(text: string): string {
  try {
    return String(JSON.parse(text).type);
  } catch {
    return '';
  }
}
