import type { BoardListener, DriveOrder, DriveResult, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Clock, Level } from '@relaygate/shared';

/** A board in memory whose next answers can be set; without that every order works at once. */
export class FakeBoard implements RelayDriver {
  readonly levels: (Level | null)[];
  /** Every level that a line was brought to, with the time. */
  readonly edges: { line: number; level: Level; atMs: number }[] = [];
  readonly orders: DriveOrder[] = [];
  /** Asked for each order; null: it works. */
  answer: (order: DriveOrder) => DriveResult | Promise<DriveResult> | null = () => null;
  listener: BoardListener | null = null;
  isClosed = false;
  /** The lines that were inactive when it was closed, as the guard told it. */
  inactiveAtClose: readonly number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock, lines: number) {
    this.#clock = clock;
    this.levels = Array.from({ length: lines }, () => 'low' as const);
  }

  async open(listener: BoardListener): Promise<void> {
    this.listener = listener;
  }

  async drive(order: DriveOrder): Promise<DriveResult> {
    this.orders.push(order);
    const answer = this.answer(order);
    return answer ?? this.move(order);
  }

  /** What happens to an order that works. */
  move({ line, level }: DriveOrder): DriveResult {
    const atMs = this.#clock.nowMs();
    if (this.levels[line] !== level) this.edges.push({ line, level, atMs });
    this.levels[line] = level;
    return { kind: 'driven', atMs, readBack: level };
  }

  async close(inactive: readonly number[] = []): Promise<void> {
    this.inactiveAtClose = inactive;
    this.isClosed = true;
  }
}
