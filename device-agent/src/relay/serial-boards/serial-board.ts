import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { type Cause, isSameCause, type Reason } from '../../runtime/cause';
import { cause, causeOf } from '../../runtime/problem';
import { SerialLink } from '../../serial/serial-link';
import type { OpenSerial, SerialSettings } from '../../serial/serial-port';
import { reportSeen } from '../input-changes';
import type { BoardListener, DriveOrder, DriveResult, InputReading, LineReading, RelayDriver } from '../relay-driver';
import { OffRepeats } from './off-repeats';
import { type Job, OrderQueue } from './order-queue';
import { type PollOptions, SerialInputs } from './serial-inputs';
import { PortHangs, SerialTalk } from './serial-talk';

/** What a kind of board says over its port. Failures reject with an error that says why to a technician. */
export interface SerialProtocol {
  readonly lines: number;
  /** Reads the real state after each opening; null: it cannot be known. Rejects when the board is not there. */
  greet(talk: SerialTalk): Promise<(Level | null)[]>;
  /**
   * Carries out one order; its request is written as soon as `mayStart` has said yes; null: it said no. `again`: the board
   * did not take this frame, and needs the order once more. `waitingOff` are other lines whose "off" waits: the frame of an
   * "off" may include them.
   */
  drive(
    talk: SerialTalk,
    order: DriveOrder,
    mayStart: () => boolean,
    waitingOff: () => readonly number[],
  ): Promise<Driven | 'again' | null>;
  /** How to ask a board that has never answered; null: it has. */
  readonly unread: Unread | null;
  /** Reads a line; null: the board does not know. */
  read(talk: SerialTalk, line: number): Promise<Level | null>;
  /** Resolves when the bus is free for the next question. */
  untilBusIdle(talk: SerialTalk): Promise<void>;
  /** How long the order may hold the bus, in ms, and whether its board has answered lately. */
  costOf(line: number): { longestMs: number; isPrompt: boolean };
  /** Absent: the boards have no inputs. */
  readonly inputs?: ProtocolInputs;
}

export interface ProtocolInputs {
  /** How many inputs each of these boards has. */
  readonly counts: readonly number[];
  /** Reads all inputs of one board. */
  read(talk: SerialTalk, board: number): Promise<Level[]>;
  /** How long `read` holds the bus at worst, in ms. */
  longestMs(board: number): number;
}

export interface Unread {
  /** How long asking holds the bus at worst, in ms. */
  longestMs: number;
  /** Resolves with null when the board does not answer this time either. */
  ask(talk: SerialTalk): Promise<Level[] | null>;
}

export interface Driven {
  readBack: Level | null;
  /** The board ends the pulse by itself, at its time. */
  endsPulse: boolean;
  /** The frame is written again so long after the order, in ms, unless another order for the line comes first. */
  repeat?: { frame: Uint8Array; afterMs: readonly number[] };
  /** What became of the other lines of `waitingOff` that the frame included. */
  others?: ReadonlyMap<number, Level | null>;
}

/** How often a board that has never answered is asked again: it may have been silent at its greeting only. */
export const ASK_AGAIN_MS = 10_000;
/** The line of a job that concerns none. */
const NO_LINE = -1;

/** What decides when a job has its turn. */
type Turn = Omit<Job, 'run' | 'fail' | 'joined'>;
type Failed = Extract<DriveResult, { kind: 'failed' }>;

export interface SerialBoardOptions {
  open: OpenSerial;
  clock: Clock;
  settings: SerialSettings;
  protocol: SerialProtocol;
  /** For a protocol with inputs. */
  polls?: PollOptions;
}

/**
 * Relays behind a serial port. Orders go over it one after the other; while it is away each order fails at once. Nothing
 * waits for the port here: an order that hangs fails alone.
 */
export class SerialBoard implements RelayDriver {
  readonly queues = true;
  readonly #options: SerialBoardOptions;
  readonly #link: SerialLink;
  readonly #talk: SerialTalk;
  readonly #queue = new OrderQueue();
  /** Why no order can be taken; null: the board is there. */
  #problem: Reason | null = cause('not-open-yet', {});
  #listener: BoardListener | null = null;
  #found: (Level | null)[] = [];
  #isBusy = false;
  #cancelWait: Cancel = () => {};
  #cancelAsking: Cancel = () => {};
  readonly #repeats: OffRepeats;
  readonly #inputs: SerialInputs | null = null;
  readonly readInput?: (input: number) => Promise<InputReading>;

  constructor(options: SerialBoardOptions) {
    this.#options = options;
    const { open, clock, settings, protocol, polls } = options;
    this.#talk = new SerialTalk(clock);
    this.#repeats = new OffRepeats(clock, (line, frame) => this.#repeatOff(line, frame));
    this.#link = new SerialLink({
      open,
      clock,
      settings,
      bytes: (chunk) => this.#talk.hear(chunk),
      greet: async (connection) => {
        this.#talk.use(connection);
        this.#found = await protocol.greet(this.#talk);
      },
      up: () => this.#up(),
      down: (problem) => this.#down(problem),
    });
    const { inputs } = protocol;
    if (inputs === undefined || polls === undefined) return;
    const held = new SerialInputs(inputs.counts, polls, {
      ask: (...which) => this.#askInputs(inputs, ...which),
      report: (seen) => reportSeen(this.#listener, seen),
    });
    this.#inputs = held;
    this.readInput = (input) => held.read(input);
  }

  async open(listener: BoardListener): Promise<void> {
    this.#listener = listener;
    await this.#link.start();
  }

  drive(order: DriveOrder, taken: () => void = () => {}): Promise<DriveResult> {
    const { line, level } = order;
    this.#repeats.end(line);
    return this.#ofLine<DriveResult>(
      line,
      level,
      () => {
        taken();
        return this.#carryOut(order);
      },
      (settle) => ({
        mayStart: () => this.#mayStart(order),
        done: (atMs, readBack) => settle({ kind: 'driven', atMs, readBack }),
      }),
    );
  }

  readLine(line: number): Promise<LineReading> {
    return this.#ofLine<LineReading>(line, null, async () => ({
      kind: 'read',
      level: await this.#options.protocol.read(this.#talk, line),
    }));
  }

  async close(): Promise<void> {
    this.#listener = null;
    this.#problem = cause('board-closed', {});
    // Later nobody repeats them.
    for (const frame of this.#repeats.endAll()) {
      await this.#options.protocol.untilBusIdle(this.#talk);
      await this.#orFailed(() => this.#talk.write(frame));
    }
    this.#down(cause('board-closed', {}));
    await this.#link.stop();
  }

  #askInputs({ read, longestMs }: ProtocolInputs, board: number, isPoll: boolean, begins: () => void) {
    const turn = { line: NO_LINE, level: null, longestMs: longestMs(board), isPrompt: false, isPoll };
    return this.#inTurn(turn, async () => {
      const atMs = this.#options.clock.nowMs();
      begins();
      return { kind: 'found' as const, atMs, levels: await read(this.#talk, board) };
    });
  }

  #ofLine<R>(
    line: number,
    level: Level | null,
    ask: () => Promise<R | 'again'>,
    joinedBy?: (settle: (result: R) => void) => Job['joined'],
  ): Promise<R | Failed> {
    const { protocol } = this.#options;
    if (line >= protocol.lines) return Promise.resolve({ kind: 'failed', problem: cause('no-line', { line }) });
    return this.#inTurn({ line, level, ...protocol.costOf(line) }, ask, joinedBy);
  }

  #inTurn<R>(
    turn: Turn,
    ask: () => Promise<R | 'again'>,
    joinedBy?: (settle: (result: R) => void) => Job['joined'],
  ): Promise<R | Failed> {
    const problem = this.#problem;
    if (problem !== null) return Promise.resolve({ kind: 'failed', problem });
    return new Promise((settle) => {
      const fail = (why: Cause): void => settle({ kind: 'failed', problem: why });
      const joined = joinedBy?.(settle);
      const job: Job = {
        ...turn,
        run: async () => {
          const result = await this.#orFailed(ask);
          if (result !== 'again') settle(result);
          else if (this.#problem !== null) fail(this.#problem);
          else this.#queue.putBack(job);
        },
        fail,
        ...(joined ? { joined } : {}),
      };
      this.#queue.add(job);
      this.#work();
    });
  }

  async #orFailed<R>(ask: () => Promise<R>): Promise<R | Failed> {
    const { connection } = this.#link;
    try {
      return await ask();
    } catch (error) {
      // There may be another connection by now, which does not hang.
      if (error instanceof PortHangs && this.#link.connection === connection) this.#link.lose(error.reason);
      return { kind: 'failed', problem: causeOf(error) };
    }
  }

  #work(): void {
    this.#cancelWait();
    if (this.#isBusy || this.#problem !== null) return;
    const { clock, protocol } = this.#options;
    const next = this.#queue.next(clock.nowMs());
    if (next.kind === 'wait') {
      this.#cancelWait = clock.after(next.untilMs - clock.nowMs(), () => this.#work());
    } else if (next.kind === 'job') {
      this.#isBusy = true;
      void next.job
        .run()
        .then(() => protocol.untilBusIdle(this.#talk))
        .finally(() => {
          this.#isBusy = false;
          this.#work();
        });
    }
  }

  #mayStart({ notAfterMs }: DriveOrder): boolean {
    return notAfterMs === null || this.#options.clock.nowMs() < notAfterMs;
  }

  async #carryOut(order: DriveOrder): Promise<DriveResult | 'again'> {
    const { clock, protocol } = this.#options;
    let atMs = clock.nowMs();
    let waiting: Job[] = [];
    // I2: asked right before the first byte leaves, with nothing in between.
    const mayStart = (): boolean => {
      atMs = clock.nowMs();
      return this.#mayStart(order);
    };
    const waitingOff = (): number[] => {
      waiting = this.#queue.joinable();
      return waiting.map(({ line }) => line);
    };
    const driven = await protocol.drive(this.#talk, order, mayStart, waitingOff);
    if (driven === 'again') return 'again';
    if (driven === null) return { kind: 'too-late' };
    const { readBack, endsPulse, others, repeat } = driven;
    for (const job of waiting) {
      const otherReadBack = others?.get(job.line);
      // A newer order for its line may have come meanwhile.
      if (otherReadBack !== undefined && this.#queue.leave(job)) job.joined?.done(atMs, otherReadBack);
    }
    const { line, pulseMs } = order;
    // A newer order for the line may be in the queue already.
    if (repeat && !this.#queue.hasOrder(line)) this.#repeats.begin(line, repeat.frame, repeat.afterMs);
    this.#queue.pulseEnds(line, pulseMs === undefined || endsPulse ? null : atMs + pulseMs);
    return { kind: 'driven', atMs, readBack, ...(endsPulse ? { pulseEndedBy: 'board' } : {}) };
  }

  /** Comes after every order that cannot wait, so that it makes no other output's pulse longer (I4). */
  #repeatOff(line: number, frame: Uint8Array): void {
    if (this.#problem !== null) return;
    const run = async (): Promise<void> => void (await this.#orFailed(() => this.#talk.write(frame)));
    const { longestMs } = this.#options.protocol.costOf(line);
    this.#queue.add({ line, level: 'low', longestMs, isPrompt: false, run, fail: () => {} });
    this.#work();
  }

  #up(): void {
    this.#problem = null;
    // The listener may read inputs at once.
    this.#inputs?.start();
    this.#listener?.back(this.#found);
    this.#askLater();
  }

  /** Asks again and again until the board answers. */
  #askLater(): void {
    const { clock, protocol } = this.#options;
    this.#cancelAsking();
    const { unread } = protocol;
    if (this.#problem !== null || unread === null) return;
    this.#cancelAsking = clock.after(ASK_AGAIN_MS, () => {
      const run = async (): Promise<void> => {
        await this.#orFailed(() => this.#ask(unread));
        this.#askLater();
      };
      const { longestMs } = unread;
      this.#queue.add({ line: NO_LINE, level: null, longestMs, isPrompt: false, run, fail: () => {} });
      this.#work();
    });
  }

  async #ask(unread: Unread): Promise<void> {
    const levels = await unread.ask(this.#talk);
    if (levels !== null) this.#listener?.readable?.(levels);
  }

  #down(why: Cause): void {
    const problem = cause('of-port', { path: this.#options.settings.path, problem: why });
    // A greeting may be under way, and would go on over the next connection.
    if (isSameCause(problem, this.#problem)) return this.#talk.end(problem);
    this.#problem = problem;
    this.#cancelWait();
    this.#cancelAsking();
    this.#repeats.endAll();
    this.#inputs?.stop(problem);
    // Said before its orders fail, because a board that is away is not one that has failed.
    this.#listener?.lost(problem);
    this.#talk.end(problem);
    this.#queue.failAll(problem);
  }
}
