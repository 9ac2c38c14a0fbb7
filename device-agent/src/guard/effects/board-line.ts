import type { Cancel } from '@relaygate/shared';
import { DRIVE_TIMEOUT_MS } from '@relaygate/shared/device-limits';
import { causeText } from '../../locales/en/causes';
import type { DriveOrder, DriveResult, LineReading } from '../../relay/relay-driver';
import { type Cause, isSameCause } from '../../runtime/cause';
import { cause, causeOf } from '../../runtime/problem';
import type { OutputDeps } from '../output-deps';
import { problemOfDrive } from './drive-result';

type BoardLineDeps = Pick<OutputDeps, 'clock' | 'driver' | 'log'>;

/** The line of one output: of several orders only the newest one's answer counts, and each order has one answer. */
export class BoardLine {
  readonly #line: number;
  readonly #deps: BoardLineDeps;
  #orders = 0;
  #driving: Promise<void> | null = null;
  #problem: Cause | null = null;
  #readProblem: Cause | null = null;
  #movedMs = Number.NEGATIVE_INFINITY;
  #isReadBack = true;
  #boardEndsPulse = false;

  constructor(line: number, deps: BoardLineDeps) {
    this.#line = line;
    this.#deps = deps;
  }

  /** Changes with each order and with each answer. */
  get orders(): number {
    return this.#orders;
  }

  /** Resolves when the board has answered the order in hand; null: it has none. */
  get driving(): Promise<void> | null {
    return this.#driving;
  }

  get isDriving(): boolean {
    return this.#driving !== null;
  }

  /** What the board's last failure was; null once an order has worked. */
  get problem(): Cause | null {
    return this.#problem;
  }

  /** Why the board could not be asked how the line is; null once it has said so, or an order has worked. */
  get readProblem(): Cause | null {
    return this.#readProblem;
  }

  /** When the board was last done with an order that may have moved the line, on the guard's clock. */
  get movedMs(): number {
    return this.#movedMs;
  }

  /** Whether the line was read back after the last order that worked, or only written. */
  get isReadBack(): boolean {
    return this.#isReadBack;
  }

  /** The line was read later, and is as its last order left it. */
  wasReadBack(): void {
    this.#isReadBack = true;
  }

  /** Whether the board itself ends the last pulse that was ordered. */
  get boardEndsPulse(): boolean {
    return this.#boardEndsPulse;
  }

  /** Whether the board can be asked how its relays are. */
  get canRead(): boolean {
    return this.#deps.driver.readLine !== undefined;
  }

  /** Reads the line. Takes as long as the board does; never rejects. */
  async read(): Promise<LineReading> {
    const { driver } = this.#deps;
    const orders = this.#orders;
    const asked = driver.readLine?.(this.#line) ?? Promise.resolve<LineReading>({ kind: 'read', level: null });
    const reading = await asked.catch((error): LineReading => ({ kind: 'failed', problem: causeOf(error) }));
    // An order since then knows better.
    if (this.#orders !== orders) return reading;
    const problem = reading.kind === 'failed' ? reading.problem : null;
    if (problem !== null && !isSameCause(problem, this.#readProblem))
      this.#deps.log.warn(`output ${this.#line}: the board could not be asked how it is: ${causeText(problem)}`);
    this.#readProblem = problem;
    return reading;
  }

  /** `answered` is called at most once: with the board's answer, or that none came in time; never after a newer order. */
  drive(order: Omit<DriveOrder, 'line'>, answered: (result: DriveResult) => void): void {
    this.#orders += 1;
    const orders = this.#orders;
    const { clock, driver } = this.#deps;
    let end = (): void => {};
    this.#driving = new Promise<void>((resolve) => {
      end = resolve;
    });
    const answer = (result: DriveResult): void => {
      cancelTimer();
      end();
      if (this.#orders !== orders) return;
      this.#orders += 1;
      this.#driving = null;
      if (result.kind !== 'too-late') this.#movedMs = clock.nowMs();
      if (result.kind === 'driven') {
        this.#readProblem = null;
        this.#isReadBack = result.readBack !== null;
        if (order.pulseMs !== undefined) this.#boardEndsPulse = result.pulseEndedBy === 'board';
      }
      this.#noteProblem(problemOfDrive(result, order.level));
      answered(result);
    };
    const endMs = clock.nowMs() + DRIVE_TIMEOUT_MS;
    let cancelTimer: Cancel = () => {};
    const answerWithin = (timeoutMs: number): void => {
      cancelTimer();
      cancelTimer = clock.after(timeoutMs, () =>
        answer({ kind: 'failed', problem: cause('board-late', { ms: Math.round(timeoutMs) }) }),
      );
    };
    // I4: a pulse that is not confirmed before its end is ended. The time in which the order waits for others does not
    // count.
    const begin = (): void => answerWithin(Math.min(endMs - clock.nowMs(), order.pulseMs ?? DRIVE_TIMEOUT_MS));
    if (driver.queues) answerWithin(DRIVE_TIMEOUT_MS);
    else begin();
    const taken = (): void => {
      if (this.#orders === orders) begin();
    };
    const driveOrder = { line: this.#line, ...order };
    driver.drive(driveOrder, taken).then(answer, (error) => answer({ kind: 'failed', problem: causeOf(error) }));
  }

  /** Logs a problem once, and not at each of ten tries a second. */
  #noteProblem(problem: Cause | null): void {
    if (problem !== null && !isSameCause(problem, this.#problem))
      this.#deps.log.warn(`output ${this.#line}: board failed: ${causeText(problem)}`);
    this.#problem = problem;
  }
}
