import { type ErrorCode, type Randomness, RelaygateError } from '@relaygate/shared';
import { systemRandomness } from '@relaygate/shared/system';
import { newNameSalt } from '../audit/committed-name';
import { AuditTrail, type TrailPosition } from './audit-trail';
import { independentOf, subjectOf } from './independent-writes';
import { Revisions } from './revisions';
import {
  type AnyHandler,
  allOf,
  asStorageError,
  InTheWay,
  methodsOf,
  type WriteConnection,
  type WriteContext,
} from './sql';
import { type StorageWrite, WRITES, type WriteName, type Writer } from './storage';

/** Plain data: it crosses threads. */
export interface WriteRequest {
  id: number;
  write: StorageWrite;
  /** On CLOCK_MONOTONIC, which all threads share: a write that has not begun by then is refused. */
  deadlineMs: number;
}

export type WriteAnswer =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; code: ErrorCode; message: string };

/** A write with its context. Declared as a method, because TypeScript lets a method have narrower parameters. */
interface BoundWrite {
  run(...args: readonly unknown[]): Promise<unknown>;
}

/**
 * How long one try for the lock blocks its thread. Short, so that a write's deadline is kept while another process
 * holds the lock, and writes that come meanwhile join the next try.
 */
export const LOCK_TRY_MS = 50;

/** A larger group would hold up other nodes, whose writes wait for its end, and the renewal of a lease behind it. */
const MAX_GROUP = 128;
/** Of them for what is no command, so that a flood of commands keeps no link closed. */
const ROOM_FOR_OTHERS = 32;
/** The lease that all links of a node hang on is not renewed behind their openings. */
const FIRST: ReadonlySet<WriteName> = new Set(['renewLease']);
/** Somebody waits for these and gives up after seconds; a storm of links has thousands of other writes before them. */
const OF_COMMANDS: ReadonlySet<WriteName> = new Set(['recordCommand', 'recordBoot', 'recordOutcome']);

const isOfCommand = ({ write }: WriteRequest): boolean => FIRST.has(write.name) || OF_COMMANDS.has(write.name);

/**
 * Commits many writes with one fsync, in the order in which they came; but the renewal of a lease goes before all, and those of
 * commands before others. A write that fails costs only itself: the group is undone, then done again with a savepoint for each write.
 * The usual group, in which none fails, needs no savepoint. If the database fails, the whole group does. Answers are given after the
 * commit only (I8).
 */
export class GroupCommit {
  readonly #connection: WriteConnection;
  readonly #audit: AuditTrail;
  readonly #revisions: Revisions;
  readonly #context: WriteContext;
  readonly #writes: Readonly<Record<WriteName, BoundWrite['run']>>;
  readonly #nowMs: () => number;
  #waiting: WriteRequest[] = [];
  /** A write of the group that goes next has failed: together they would fail again. */
  #isNextEach = false;

  /** `writerName`: the writer of the audit chain, a node or a program. `actor`: the person that the entries name. */
  constructor(
    connection: WriteConnection,
    writerName: string,
    nowMs: () => number,
    actor?: string,
    randomness: Randomness = systemRandomness,
  ) {
    this.#connection = connection;
    this.#audit = new AuditTrail(connection, { writerName, actor, randomness });
    this.#revisions = new Revisions(connection, writerName);
    this.#context = {
      sql: connection,
      audit: (entry) => this.#audit.append(entry),
      auditHeads: (atMs) => this.#audit.heads(atMs),
      newSalt: () => newNameSalt(randomness),
      productId: (productLogin) => this.#audit.productId(productLogin),
      revise: (rows) => this.#revisions.next(rows),
    };
    this.#writes = methodsOf(WRITES, (handler) => handler.bind(undefined, this.#context));
    this.#nowMs = nowMs;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds them to the next group, behind the writes that the last run left waiting; the renewal of a lease before all. */
  add(requests: readonly WriteRequest[]): void {
    for (const request of requests) {
      if (FIRST.has(request.write.name)) this.#waiting.unshift(request);
      else this.#waiting.push(request);
    }
  }

  /**
   * Tries once to commit the waiting writes, 128 at most, and answers them. If somebody else holds the lock, they go on waiting.
   * Call it again only after the last run has resolved.
   */
  async run(): Promise<WriteAnswer[]> {
    const nowMs = this.#nowMs();
    const late = this.#waiting.some(({ deadlineMs }) => nowMs >= deadlineMs) ? this.refuseLate() : [];
    const ofCommands = this.#waiting.filter(isOfCommand);
    const others = this.#waiting.filter((request) => !isOfCommand(request));
    const taken = others.splice(0, Math.max(MAX_GROUP - ofCommands.length, ROOM_FOR_OTHERS));
    const due = [...ofCommands.splice(0, MAX_GROUP - taken.length), ...taken];
    this.#waiting = [...ofCommands, ...others];
    if (due.length === 0) return late;
    // Without savepoints, each of which would copy every page before its first change.
    const together = this.#isNextEach ? undefined : await this.#transaction(() => this.#runTogether(due));
    const isOver = together && ('answers' in together || isTroubleOfAll(together.error));
    const ended = isOver ? together : await this.#transaction(() => this.#runEach(due));
    this.#isNextEach = !isOver && 'error' in ended && ended.error instanceof InTheWay;
    if ('answers' in ended) return [...late, ...ended.answers];
    if (!(ended.error instanceof InTheWay)) return [...late, ...due.map(({ id }) => refusal(id, ended.error))];
    this.#waiting = [...due, ...this.#waiting];
    return late;
  }

  /** Answers those that wait and have not begun by their deadline. While a run is under way, it has nothing to do with them. */
  refuseLate(): WriteAnswer[] {
    const nowMs = this.#nowMs();
    const late = this.#waiting.filter(({ deadlineMs }) => nowMs >= deadlineMs);
    this.#waiting = this.#waiting.filter(({ deadlineMs }) => nowMs < deadlineMs);
    return late.map(({ id }) => refusal(id, tooLate()));
  }

  /** If it fails, nothing of it is done, or the error says that this is not known. */
  async #transaction(runAll: () => Promise<WriteAnswer[]>): Promise<Ended> {
    try {
      const readAhead = () => Promise.all([this.#audit.readAhead(), this.#revisions.readAhead()]);
      if (!(await this.#connection.begin(readAhead))) return { error: new InTheWay('Somebody else holds the lock.') };
      const answers = await runAll();
      await this.#audit.keepHead();
      await this.#revisions.keep();
      await this.#connection.commit();
      return { answers };
    } catch (error) {
      await this.#undoAll();
      return { error };
    }
  }

  async #runTogether(due: readonly WriteRequest[]): Promise<WriteAnswer[]> {
    const answers: WriteAnswer[] = [];
    if (this.#connection.isPipelined) {
      for (const some of independentOf(due)) answers.push(...(await this.#runAtOnce(some)));
      return answers;
    }
    for (const { id, write } of due)
      answers.push({ id, ok: true, value: await this.#writes[write.name](...write.args) });
    return answers;
  }

  /**
   * The statements of all travel together, but those about one subject follow each other. Each appends to the audit when those before
   * it have ended, so it keeps their order.
   */
  async #runAtOnce(some: readonly WriteRequest[]): Promise<WriteAnswer[]> {
    // Else each of them would read where the numbers are.
    if (some.length > 1) await this.#revisions.next(0);
    let before: Promise<unknown> = Promise.resolve();
    const lastAbout = new Map<string | undefined, Promise<unknown>>();
    const running = some.map(({ write }) => {
      const turn = before;
      const audit: WriteContext['audit'] = (entry) => turn.then(() => this.#audit.append(entry));
      const context = { ...this.#context, audit };
      const run = () => (WRITES[write.name] as AnyHandler<WriteContext>['run'])(context, ...write.args);
      const subject = subjectOf(write)?.id;
      const mine = lastAbout.get(subject)?.then(run) ?? run();
      lastAbout.set(subject, mine);
      before = Promise.allSettled([turn, mine]);
      return mine;
    });
    const values = await allOf(running);
    return some.map(({ id }, n) => ({ id, ok: true, value: values[n] }));
  }

  async #runEach(due: readonly WriteRequest[]): Promise<WriteAnswer[]> {
    const answers: WriteAnswer[] = [];
    for (const request of due) answers.push(await this.#runOne(request));
    return answers;
  }

  async #runOne({ id, write }: WriteRequest): Promise<WriteAnswer> {
    const before = this.#position();
    await this.#connection.send(SAVEPOINT);
    try {
      const value = await this.#writes[write.name](...write.args);
      await this.#audit.write();
      await this.#connection.run(RELEASE);
      return { id, ok: true, value };
    } catch (error) {
      await this.#undo(error, before);
      return refusal(id, error);
    }
  }

  #position(): Position {
    return { trail: this.#audit.position, revisions: this.#revisions.position };
  }

  /** Goes back to the savepoint. Throws the error again if it concerns the whole group. */
  async #undo(error: unknown, { trail, revisions }: Position): Promise<void> {
    if (isTroubleOfAll(error)) throw error;
    await this.#connection.run(UNDO);
    await this.#connection.send(RELEASE);
    this.#audit.undo(trail);
    this.#revisions.returnTo(revisions);
  }

  async #undoAll(): Promise<void> {
    // First: the next transaction must read where the chain ends and which numbers are given, also when the rollback fails.
    this.#audit.undo();
    this.#revisions.returnTo(undefined);
    await this.#connection.rollback();
  }
}

type Ended = { answers: WriteAnswer[] } | { error: unknown };

/** How far a transaction has come. */
interface Position {
  trail: TrailPosition;
  revisions: Revisions['position'];
}

const SAVEPOINT = 'SAVEPOINT undoable';
const RELEASE = 'RELEASE SAVEPOINT undoable';
const UNDO = 'ROLLBACK TO SAVEPOINT undoable';

function isTroubleOfAll(error: unknown): boolean {
  if (error instanceof InTheWay) return true;
  const { code } = asStorageError(error);
  return code === 'storage-unavailable' || code === 'storage-unanswered';
}

function refusal(id: number, error: unknown): WriteAnswer {
  const { code, message } = asStorageError(error);
  return { id, ok: false, code, message };
}

function tooLate(): RelaygateError {
  return new RelaygateError('storage-unavailable', 'The database is locked or too slow; nothing was changed.');
}

/** Runs one task after the other on one connection, so that no read sees what a transaction has not committed yet. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(task);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Writes on the caller's own thread, one transaction each: for commands that end soon, and for simulations. */
export function inlineWriter(
  queue: SerialQueue,
  group: GroupCommit,
  nowMs: () => number,
  writeTimeoutMs: number,
  committed: () => void = () => {},
): Pick<Writer, 'execute'> {
  return {
    execute(name, ...args) {
      return queue.run(async () => {
        const write = { name, args } as StorageWrite;
        group.add([{ id: 0, write, deadlineMs: nowMs() + writeTimeoutMs }]);
        for (;;) {
          // No answer yet: another process holds the lock, and each try waits for it a little.
          const [answer] = await group.run();
          if (answer?.ok) {
            committed();
            return answer.value;
          }
          if (answer) throw new RelaygateError(answer.code, answer.message);
        }
      });
    },
  };
}
