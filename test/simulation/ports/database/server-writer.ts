import { GroupCommit, LOCK_TRY_MS, type WriteAnswer, type WriteRequest } from '@relaygate/server/storage/group-commit';
import { closeWithoutLog, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import type { WriterThreadData } from '@relaygate/server/storage/sqlite/writer-thread';
import type {
  FromWriter,
  ToWriter,
  WriterThread,
  WriterThreadListener,
} from '@relaygate/server/storage/threaded-writer';
import type { Randomness, WallClock } from '@relaygate/shared';
import type { SeededChance } from '../../../support/chance/seeded-chance';
import type { Incarnation } from '../../machines/incarnation';
import type { Scheduler } from '../../scheduler';
import type { WrittenGroup } from '../../witnesses/history';
import { type Connection, faultyConnection } from './faulty-connection';
import { GroupFaults } from './group-faults';
import type { ServerDisk } from './server-disk';
import type { StoreMode } from './store-mode';
import type { StoredCall } from './stored-call';

/** SQLite's `synchronous = FULL`: a commit is on the disk before it returns. */
const SYNCED = 2;
const MESSAGE_MS = 0.02;

export interface ServerWriterDeps {
  owner: Incarnation;
  scheduler: Scheduler;
  chance: SeededChance;
  salts: Randomness;
  /** What SQLite takes the time from. */
  wallClock: WallClock;
  disk: ServerDisk;
  mode: () => StoreMode;
  stored: (call: StoredCall) => void;
  written: (group: WrittenGroup) => void;
  /** A group is in hand from now on for so long. */
  began: (forMs: number) => void;
  /** What a deliberate fault makes of its connection. */
  connection: (db: Connection) => Connection;
}

/**
 * The writer thread of one life of the server: its group commit over a connection of its own, as
 * `write-worker` runs them. It may be slow, hang, die, and answer late; what it commits is on the disk all the same.
 */
export class ServerWriter implements WriterThread {
  readonly #deps: ServerWriterDeps;
  readonly #listener: WriterThreadListener;
  readonly #faults: GroupFaults;
  readonly #db: Connection;
  readonly #group: GroupCommit;
  readonly #isSynced: boolean;
  #inbox: ToWriter[] = [];
  /** What the group that is under way holds, by then: on the server's clock. */
  #inHand: WriteRequest[] = [];
  #begunMs = 0;
  #isBusy = false;
  #isClosing = false;
  #isHung = false;
  #isAlive = true;
  /** What it says comes in the order in which it says it. */
  #saidMs = 0;
  /** Answers that are late. */
  #heldBack: WriteAnswer[] = [];

  constructor({ file, writerName }: WriterThreadData, deps: ServerWriterDeps, listener: WriterThreadListener) {
    this.#deps = deps;
    this.#listener = listener;
    this.#faults = new GroupFaults(deps.chance);
    this.#db = openWriteConnection(file, deps.wallClock);
    // A try for the lock takes virtual time.
    this.#db.pragma('busy_timeout = 0');
    const around = this.#faults.around(() => void this.#db.exec('ROLLBACK'));
    const db = deps.connection(faultyConnection(this.#db, around));
    this.#isSynced = Number(this.#db.pragma('synchronous', { simple: true })) >= SYNCED;
    this.#group = new GroupCommit(writeSqlOf(db), writerName, () => this.#begunMs, undefined, deps.salts);
    deps.owner.onDeath(() => this.#end());
    if (deps.mode() === 'down') deps.scheduler.in(1, () => this.#die('unable to open database file'));
    else deps.scheduler.in(1, () => this.#say({ kind: 'ready' }));
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  postMessage(message: ToWriter): void {
    const { owner, scheduler } = this.#deps;
    if (!this.#isAlive || !owner.point()) return;
    const arrived = message;
    scheduler.in(MESSAGE_MS, () => {
      this.#inbox.push(arrived);
      this.#begin();
    });
  }

  terminate(): void {
    this.#die('terminated');
  }

  /** The fault that held it up is over, or another one has begun. */
  modeChanged(): void {
    if (this.#deps.mode() !== 'late-answers') this.#answerHeldBack();
    if (!this.#isHung) return;
    this.#isHung = false;
    void this.#commit();
  }

  /** The machine's power goes: the group in hand is written, and not synced. `cutDisk`: whether all that was written is there. */
  async cutPower(cutDisk: () => boolean): Promise<void> {
    const { disk } = this.#deps;
    const requests = this.#isWriting ? this.#inHand : [];
    this.#isAlive = false;
    if (requests.length > 0) disk.beginUnsynced();
    const answers = requests.length > 0 ? await this.#commitInHand('works') : [];
    const isThere = cutDisk();
    this.#db.close();
    if (isThere) this.#log(requests, answers);
  }

  /** At the disk, with a group that nothing keeps from being committed. */
  get #isWriting(): boolean {
    const mode = this.#deps.mode();
    return this.#isBusy && (mode === 'works' || mode === 'slow' || mode === 'hangs');
  }

  #begin(): void {
    if (!this.#isAlive || this.#isBusy) return;
    const requests = this.#inbox.flatMap((message) => (message.kind === 'writes' ? message.requests : []));
    this.#isClosing ||= this.#inbox.some(({ kind }) => kind === 'close');
    this.#inbox = [];
    this.#group.add(requests);
    this.#inHand.push(...requests);
    if (this.#group.isIdle) return this.#closeIfAsked();
    this.#isBusy = true;
    this.#begunMs = this.#deps.owner.nowMs();
    const forMs = this.#durationMs();
    this.#deps.began(forMs);
    this.#deps.scheduler.in(forMs, () => void this.#commit());
  }

  #durationMs(): number {
    const { chance, mode } = this.#deps;
    if (mode() === 'locked') return LOCK_TRY_MS;
    return 0.3 + chance.fraction() * 2 + (mode() === 'slow' ? chance.fraction() * 1_500 : 0);
  }

  async #commit(): Promise<void> {
    const { mode, owner, chance } = this.#deps;
    if (!this.#isAlive) return;
    if (mode() === 'hangs') {
      this.#isHung = true;
      return;
    }
    const isLast = mode() === 'thread-dies';
    if (isLast && chance.fraction() < 0.5) return this.#die('it ended in a group');
    const answers = await this.#run();
    if (isLast) return this.#die('it ended behind a group');
    if (!owner.point()) return;
    if (mode() === 'late-answers') this.#heldBack.push(...answers);
    else this.#answer(answers);
    this.#isBusy = false;
    this.#begin();
  }

  /** The group that is in hand, through the program's own group commit. */
  async #run(): Promise<WriteAnswer[]> {
    const { mode, disk, scheduler, written } = this.#deps;
    const requests = this.#inHand;
    // What fails once it is committed has no results to show.
    const lost = mode() === 'lost-answer' ? await this.#resultsOf(requests) : null;
    if (!this.#isSynced) disk.beginUnsynced();
    const answers = await this.#commitInHand(mode());
    if (this.#isSynced) disk.sync();
    this.#log(requests, lost ?? answers);
    const answered = new Set(answers.map(({ id }) => id));
    this.#inHand = requests.filter(({ id }) => !answered.has(id));
    const late = requests.filter(({ deadlineMs }) => deadlineMs <= this.#begunMs).length;
    const refused = answers.filter(({ ok }) => !ok).length;
    const failed = this.#faults.hasFailed ? 1 : 0;
    written({ atMs: scheduler.nowMs, mode: mode(), writes: answers.length, refused, late, failed });
    return answers;
  }

  #commitInHand(mode: StoreMode): Promise<WriteAnswer[]> {
    this.#faults.begin(mode);
    return this.#group.run();
  }

  /** What the handlers return, with nothing committed. */
  async #resultsOf(requests: readonly WriteRequest[]): Promise<WriteAnswer[]> {
    if (requests.length === 0) return [];
    this.#faults.rehearse();
    const answers = await this.#group.run();
    this.#group.add(requests);
    return answers;
  }

  #log(requests: readonly WriteRequest[], answers: readonly WriteAnswer[]): void {
    const { scheduler, stored } = this.#deps;
    const asked = new Map(requests.map(({ id, write }) => [id, write]));
    for (const answer of answers) {
      const write = asked.get(answer.id);
      if (answer.ok && write)
        stored({ atMs: scheduler.nowMs, name: write.name, args: write.args, result: answer.value });
    }
  }

  #answer(answers: WriteAnswer[]): void {
    if (answers.length > 0) this.#say({ kind: 'answers', answers });
  }

  #answerHeldBack(): void {
    const answers = this.#heldBack;
    this.#heldBack = [];
    this.#answer(answers);
  }

  #say(message: FromWriter): void {
    this.#tell(() => this.#listener.message(message));
  }

  #tell(run: () => void): void {
    const { owner, scheduler, chance } = this.#deps;
    this.#saidMs = Math.max(this.#saidMs + MESSAGE_MS, scheduler.nowMs + 0.05 + chance.fraction() * 0.5);
    scheduler.at(this.#saidMs, () => owner.deliver(run));
  }

  #closeIfAsked(): void {
    if (!this.#isClosing) return;
    this.#answerHeldBack();
    closeWithoutLog(this.#db);
    if (this.#isSynced) this.#deps.disk.sync();
    this.#isAlive = false;
    this.#tell(() => this.#listener.ended());
  }

  #die(why: string): void {
    if (!this.#isAlive) return;
    this.#end();
    this.#tell(() => {
      this.#listener.failed(new Error(why));
      this.#listener.ended();
    });
  }

  #end(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    // The kernel may have got all of the group in hand.
    if (this.#isWriting && this.#deps.chance.fraction() < 0.5) void this.#run().then(() => this.#db.close());
    else this.#db.close();
  }
}
