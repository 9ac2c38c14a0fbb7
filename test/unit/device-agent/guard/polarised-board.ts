import type {
  BoardListener,
  DriveOrder,
  DriveResult,
  InputReading,
  RelayDriver,
} from '@relaygate/device-agent/relay/relay-driver';
import type { Level } from '@relaygate/shared/device';
import type { FakeBoard } from '../../../support/device/fake-board';

/**
 * Between a guard, which knows the levels of lines, and a board of relays, which are energised (`high`) or not: the polarity
 * that holds tells what a level means. A line keeps its level when its polarity changes, until its next order.
 */
export class PolarisedBoard implements RelayDriver {
  readonly #relays: FakeBoard;
  readonly #polarityOf: (line: number) => Level;
  /** By which each line was brought to its level. */
  readonly #movedBy: Level[];

  constructor(relays: FakeBoard, polarityOf: (line: number) => Level) {
    this.#relays = relays;
    this.#polarityOf = polarityOf;
    this.#movedBy = relays.levels.map((_level, line) => polarityOf(line));
    const move = relays.move.bind(relays);
    relays.move = (order) => {
      this.#movedBy[order.line] = polarityOf(order.line);
      return move(order);
    };
  }

  /** Whose level means something else by now than when they were brought to it. */
  get turnedOver(): number[] {
    return [...this.#movedBy.keys()].filter((line) => this.#movedBy[line] !== this.#polarityOf(line));
  }

  async open({ lost, back, ...listener }: BoardListener): Promise<void> {
    const levels = (): (Level | null)[] =>
      this.#relays.levels.map((level, line) => level && meaning(level, this.#movedBy[line] ?? 'high'));
    await this.#relays.open({ ...listener, lost, back: () => back(levels()) });
  }

  async drive(order: DriveOrder): Promise<DriveResult> {
    const polarity = this.#polarityOf(order.line);
    const result = await this.#relays.drive({ ...order, level: meaning(order.level, polarity) });
    return result.kind === 'driven' ? { ...result, readBack: order.level } : result;
  }

  readInput(input: number): Promise<InputReading> {
    return this.#relays.readInput(input);
  }

  close(inactive?: readonly number[]): Promise<void> {
    return this.#relays.close(inactive);
  }
}

/** Of a level, what the relay does; of what the relay does, the level. */
function meaning(level: Level, polarity: Level): Level {
  return level === polarity ? 'high' : 'low';
}
