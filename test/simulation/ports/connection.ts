import type { Incarnation } from '../machines/incarnation';
import type { Scheduler } from '../scheduler';
import { type Direction, Pipe } from './pipe';

export interface EndEvents {
  text(text: string): void;
  /** Exactly once. `code`: of the close frame; null: the connection broke. */
  closed(code: number | null): void;
}

/** Between two processes: WebSockets and unix sockets alike. */
export class Connection {
  readonly dialler: End;
  readonly server: End;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler, owners: { dialler: Incarnation; server: Incarnation }, way: Way) {
    this.#scheduler = scheduler;
    this.dialler = new End(owners.dialler, new Pipe(scheduler, way.up), way.up);
    this.server = new End(owners.server, new Pipe(scheduler, way.down), way.down);
    this.dialler.peer = this.server;
    this.server.peer = this.dialler;
  }

  get isOpen(): boolean {
    return this.dialler.isOpen || this.server.isOpen;
  }

  /** Breaks below both ends. What was on its way is lost, or arrives `late`: out of order and perhaps twice. */
  cut(knows: { dialler: boolean; server: boolean }, late: { spreadMs: number; repeats: boolean } | null): void {
    for (const [end, isNotified] of [
      [this.dialler, knows.dialler],
      [this.server, knows.server],
    ] as const) {
      const { chance } = end.peer.direction;
      const lost = end.peer.pipe.break();
      let lastMs = 0;
      for (const arrive of late ? lost : []) {
        for (let copies = late?.repeats && chance.fraction() < 0.5 ? 2 : 1; copies > 0; copies -= 1) {
          const delayMs = chance.fraction() * (late?.spreadMs ?? 0);
          lastMs = Math.max(lastMs, delayMs);
          this.#scheduler.in(delayMs, arrive);
        }
      }
      if (isNotified) this.#scheduler.in(lastMs + chance.fraction() * 20, () => end.hungUp(null));
    }
  }
}

export interface Way {
  up: Direction;
  down: Direction;
}

export class End {
  readonly owner: Incarnation;
  readonly pipe: Pipe;
  readonly direction: Direction;
  /** Sees what leaves this end. */
  tap: (text: string) => void = () => {};
  #peer: End | null = null;
  #events: EndEvents | null = null;
  #isOpen = true;
  /** After a close with a code it still hears the peer until that has closed too. */
  #isHearing = true;
  #hasEnded = false;

  /** `direction`: from here to the peer. */
  constructor(owner: Incarnation, pipe: Pipe, direction: Direction) {
    this.owner = owner;
    this.pipe = pipe;
    this.direction = direction;
    owner.onDeath((isSilent) => {
      if (this.#isOpen && !isSilent) this.pipe.push(() => this.peer.hungUp(null));
      this.#isOpen = false;
    });
  }

  get peer(): End {
    if (!this.#peer) throw new Error('a connection has two ends');
    return this.#peer;
  }

  set peer(peer: End) {
    this.#peer = peer;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  listen(events: EndEvents): void {
    this.#events = events;
  }

  send(text: string): void {
    if (!this.#isOpen || !this.owner.point()) return;
    this.tap(text);
    const { chance, repeats } = this.direction;
    const repeatsPercent = repeats.top;
    const copies = repeatsPercent > 0 && chance.fraction() * 100 < repeatsPercent ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) this.pipe.push(() => this.peer.receive(text));
    this.owner.point();
  }

  /** `code`: null ends it without a word. This side hears of it as well, later. */
  close(code: number | null): void {
    if (!this.#isOpen || !this.owner.isAlive) return;
    this.#isOpen = false;
    this.#isHearing = code !== null;
    this.pipe.push(() => this.peer.hungUp(code));
    this.#end(null);
  }

  receive(text: string): void {
    this.owner.deliver(() => {
      if (this.#isHearing) this.#events?.text(text);
    });
  }

  hungUp(code: number | null): void {
    this.owner.deliver(() => {
      this.#isOpen = false;
      this.#isHearing = false;
      this.#end(code);
    });
  }

  #end(code: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Never from inside the call that caused it.
    queueMicrotask(() => this.owner.attempt(() => this.#events?.closed(code)));
  }
}
