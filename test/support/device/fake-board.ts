import type {
  BoardListener,
  DriveOrder,
  DriveResult,
  InputReading,
  LineReading,
  RelayDriver,
} from '@relaygate/device-agent/relay/relay-driver';
import type { Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';

const AWAY = { kind: 'failed', problem: 'port: it is not there' } as const;

/** A board in memory whose next answers can be set; without that every order works at once. It may be unplugged. */
export class FakeBoard implements RelayDriver {
  readonly levels: (Level | null)[];
  /** Every level that a line was brought to, with the time. */
  readonly edges: { line: number; level: Level; atMs: number }[] = [];
  readonly orders: DriveOrder[] = [];
  /** Asked for each order; null: it works. */
  answer: (order: DriveOrder) => DriveResult | Promise<DriveResult> | null = () => null;
  listener: BoardListener | null = null;
  isClosed = false;
  /** Of a board whose relays can be asked; absent: it cannot. */
  readLine?: (line: number) => Promise<LineReading>;
  /** An input shows this from now on, and says so. `agoMs`: it did so earlier, and nobody has heard of it. */
  turn(input: number, level: Level, agoMs = 0): void {
    const before = this.inputLevel;
    this.inputLevel = (other) => (other === input ? level : before(other));
    this.listener?.edges?.([{ input, level, atMs: this.#clock.nowMs() - agoMs }]);
  }

  /** What an input shows; null: it cannot be read. */
  inputLevel: (input: number) => Level | null = () => null;
  /** The lines that were inactive when it was closed, as the guard told it. */
  inactiveAtClose: readonly number[] = [];
  readonly #clock: Clock;
  #isAway = false;

  constructor(clock: Clock, lines: number) {
    this.#clock = clock;
    this.levels = Array.from({ length: lines }, () => 'low' as const);
  }

  async open(listener: BoardListener): Promise<void> {
    this.listener = listener;
    if (this.#isAway) listener.lost(AWAY.problem);
  }

  unplug(): void {
    this.#isAway = true;
    this.listener?.lost(AWAY.problem);
  }

  /** Its relays are as `levels` says by now. */
  plug(): void {
    this.#isAway = false;
    this.listener?.back(this.levels);
  }

  async drive(order: DriveOrder): Promise<DriveResult> {
    this.orders.push(order);
    if (this.#isAway) return AWAY;
    const answer = this.answer(order);
    return answer ?? this.move(order);
  }

  /** From now on it takes orders, or those for one level, and carries them out once the result is called. */
  hold(held?: Level): () => void {
    const waiting: (() => void)[] = [];
    this.answer = (order) => {
      if (held !== undefined && order.level !== held) return null;
      return new Promise((resolve) => void waiting.push(() => resolve(this.move(order))));
    };
    return () => {
      for (const finish of waiting.splice(0)) finish();
    };
  }

  /** What happens to an order that works. */
  move({ line, level }: DriveOrder): DriveResult {
    const atMs = this.#clock.nowMs();
    if (this.levels[line] !== level) this.edges.push({ line, level, atMs });
    this.levels[line] = level;
    return { kind: 'driven', atMs, readBack: level };
  }

  async readInput(input: number): Promise<InputReading> {
    if (this.#isAway) return AWAY;
    const level = this.inputLevel(input);
    return level === null ? { kind: 'failed', problem: 'no such input' } : { kind: 'read', level };
  }

  async close(inactive: readonly number[] = []): Promise<void> {
    this.inactiveAtClose = inactive;
    this.isClosed = true;
  }
}
