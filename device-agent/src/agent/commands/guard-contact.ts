import { AGENT_HEARTBEAT_MS, type Cancel, type Clock, EXECUTION_DEADLINE_MS, RelaygateError } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { type AskedChange, GuardClient } from '../../guard/client';
import type {
  EpochRequest,
  ExecuteReply,
  ExecuteRequest,
  GuardStatus,
  OutcomesReply,
  OutputLock,
  PressesReply,
  PressesRequest,
} from '../../guard/protocol';
import type { ConnectionProblem, DialLines } from '../../ipc/line-connection';
import { AnswerLostError } from '../../ipc/request-client';
import { causeText } from '../../locales/en/causes';
import { type Cause, isSameCause } from '../../runtime/cause';
import { refuseFarEpoch } from '../../runtime/far-epoch';
import type { Log } from '../../runtime/log';
import { cause, causeOf, problemOf } from '../../runtime/problem';
import { refused } from '../../runtime/refused';
import { lateProblem, type RequestLife } from './late-request';

/** How often an unreachable guard is tried again. */
const RETRY_MS = 200;
/** How long the guard may take to show that it still works; it is asked every AGENT_HEARTBEAT_MS. */
const WATCH_ANSWER_MS = 2_000;

export interface GuardContactDeps {
  dial: DialLines;
  clock: Clock;
  log: Log;
  /** Whether the server is linked, because some outputs go off without it. */
  linkIsUp(): boolean;
  /** The maintenance locks that every guard must have. */
  locks(): readonly OutputLock[];
  /** The link's epoch is too far above the last one; `problem` says both. */
  epochRefused(problem: string): void;
  /** The guard's state, settings or faults have changed, or the guard has come or gone. */
  onChange(): void;
}

/**
 * The agent's connection to the guard, made anew whenever it is lost. After each connect the guard gets locks and the
 * link's epoch before anything else. Requests fail at once with `guard-unreachable` while it is away. A guard that does not
 * answer counts as away, so its last status is never passed off as live (I11).
 */
export class GuardContact {
  readonly #deps: GuardContactDeps;
  #client: GuardClient | null = null;
  #status: GuardStatus | null = null;
  /** The status as text, to notice a change. */
  #statusText = '';
  /** The epoch of the newest link; null: there was none. */
  #entered: EpochRequest | null = null;
  #problem: Cause = cause('not-tried', {});
  /** Why this side ends the connection; null: the other side has ended it. */
  #lostProblem: Cause | null = null;
  /** Ends the current connection or the wait for the next one. */
  #end: Cancel = () => {};
  #cancelWatch: Cancel = () => {};
  #isStopped = false;

  constructor(deps: GuardContactDeps) {
    this.#deps = deps;
  }

  /** As last heard; null while the guard is away. */
  get status(): GuardStatus | null {
    return this.#status;
  }

  /** Why the guard is away. */
  get problem(): Cause {
    return this.#problem;
  }

  start(): void {
    this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelWatch();
    this.#end();
  }

  /** From now on the guard drops commands of older epochs; a guard that is away gets the epoch when it is back. */
  async enterEpoch({ epoch, isNewEnrolment = false }: EpochRequest): Promise<void> {
    // No guard has got this enrolment yet.
    const unsent = this.#entered?.isNewEnrolment ? this.#entered.epoch : null;
    const known = unsent ?? Math.max(this.#status?.epoch ?? 0, this.#entered?.epoch ?? 0);
    const entered = isNewEnrolment || unsent !== null ? { epoch, isNewEnrolment: true } : { epoch };
    try {
      refuseFarEpoch(epoch, isNewEnrolment ? 0 : known);
    } catch (error) {
      // Later guards do not get the epoch of a link that is given up.
      return this.#deps.epochRefused(problemOf(error));
    }
    this.#entered = entered;
    if (this.#client) await this.#sendEpoch(this.#client, entered);
  }

  linkChanged(): void {
    if (this.#client) this.#sendHeartbeat(this.#client);
  }

  /**
   * `givenUp`: somebody at the device waits no more; the guard answers as expired then, unless the command has moved
   * something. I2. Until the guard's settings are known, it may have those of a click: "on" would be a short pulse, and be
   * confirmed (I3). Ending a pulse is never refused for that.
   */
  execute(command: ExecuteRequest, givenUp?: AbortSignal): Promise<ExecuteReply> {
    if (this.#status === null && command.command.action !== 'stop') return Promise.reject(this.#unreachable());
    return this.#ask((client) => client.execute(command, givenUp));
  }

  outcomes(commandIds: readonly string[]): Promise<OutcomesReply> {
    return this.#ask((client) => client.outcomes(commandIds));
  }

  presses(request: PressesRequest): Promise<PressesReply> {
    return this.#ask((client) => client.presses(request));
  }

  /** Replaces all maintenance locks; resolves when they are in force. */
  lock(locks: readonly OutputLock[]): Promise<void> {
    return this.#ask((client) => client.lock(locks));
  }

  /** I2: within `life`, or not at all; without `life`, soon. */
  async configure(changes: readonly AskedChange[], force: boolean, life?: RequestLife): Promise<void> {
    this.#refuseLate(life);
    const startBeforeMs = life?.notAfterMs ?? this.#deps.clock.nowMs() + EXECUTION_DEADLINE_MS;
    return this.#ask((client) => client.configure({ changes, force, startBeforeMs }, life?.givenUp));
  }

  /** Reads an input of the board; null: it cannot be read. */
  inputLevel(input: number): Promise<Level | null> {
    return this.#ask((client) => client.inputLevel(input));
  }

  /** Has the guard switch everything off, within `life` or not at all, and end with this connection. Resolves with outputs that the board kept on. */
  async switchOffForGood(life: RequestLife): Promise<number[]> {
    this.#refuseLate(life);
    return this.#ask((client) => client.switchOffForGood(life.notAfterMs, life.givenUp));
  }

  /** Ends the connection, by which a guard that was asked to end ends; the next one is dialled. */
  letGo(): void {
    // Without a connection `#end` would end the wait for the next one, and nobody would dial again.
    if (this.#client) this.#end();
  }

  /** Whoever asked may have gone while the entry was written; the guard hears only of those who go later. */
  #refuseLate(life: RequestLife | undefined): void {
    const late = life && lateProblem(life, this.#deps.clock.nowMs());
    if (late) throw late;
  }

  async #ask<T>(question: (client: GuardClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (!client) throw this.#unreachable();
    try {
      return await question(client);
    } catch (error) {
      if (error instanceof AnswerLostError) this.#unanswered(client);
      throw error;
    }
  }

  #unreachable(): RelaygateError {
    return refused('guard-unreachable', 'guard-unreachable', { problem: this.#problem });
  }

  /** The connection is of no use any more; the next one is tried at once. */
  #unanswered(client: GuardClient): void {
    if (this.#client !== client) return;
    this.#lostProblem = cause('no-answer', {});
    this.#end();
  }

  /** Asks the guard again and again, because a guard that is stopped or hangs keeps its connections. */
  #watch(client: GuardClient): void {
    this.#cancelWatch();
    this.#cancelWatch = this.#deps.clock.after(AGENT_HEARTBEAT_MS, () => {
      this.#sendHeartbeat(client);
      client.status(WATCH_ANSWER_MS).then(
        (status) => {
          this.#received(client, status);
          if (this.#client === client) this.#watch(client);
        },
        () => this.#unanswered(client),
      );
    });
  }

  #connect(): void {
    const { dial, clock } = this.#deps;
    const connection = dial({
      opened: () => {
        const client = new GuardClient(connection, clock, (status) => this.#received(client, status));
        this.#client = client;
        this.#greet(client).catch((error: unknown) => {
          if (this.#client !== client) return;
          this.#lostProblem = error instanceof AnswerLostError ? cause('no-answer', {}) : causeOf(error);
          connection.close();
        });
      },
      line: (text) => {
        if (!this.#client?.takeLine(text)) connection.close();
      },
      closed: (problem) => this.#lost(problem),
    });
    this.#end = () => connection.close();
  }

  async #greet(client: GuardClient): Promise<void> {
    // The connection keeps the order: no later request overtakes locks and epoch.
    const locked = client.lock(this.#deps.locks());
    const entered = this.#entered === null ? Promise.resolve() : this.#sendEpoch(client, this.#entered);
    this.#sendHeartbeat(client);
    // Heartbeats do not wait for a guard whose journal is slow to take the epoch.
    this.#watch(client);
    const reached = client.status(WATCH_ANSWER_MS).then((status) => this.#received(client, status));
    await Promise.all([reached, entered, locked]);
  }

  /** A lost heartbeat is not reported: such a guard does not answer `status` either. */
  #sendHeartbeat(client: GuardClient): void {
    client.heartbeat(this.#deps.linkIsUp()).catch(() => {});
  }

  async #sendEpoch(client: GuardClient, entered: EpochRequest): Promise<void> {
    const { epoch } = entered;
    try {
      const holding = await client.enterEpoch(entered);
      // Sent once: a later guard of this boot knows it.
      if (this.#entered === entered) this.#entered = { epoch };
      if (holding > epoch) this.#deps.log.warn(`the guard knows link epoch ${holding}, newer than ${epoch}`);
    } catch (error) {
      if (!(error instanceof RelaygateError) || error.code !== 'epoch-too-far') throw error;
      if (this.#entered !== entered) return;
      this.#entered = null;
      this.#deps.epochRefused(error.message);
    }
  }

  #received(client: GuardClient, status: GuardStatus): void {
    if (this.#client !== client) return;
    const text = JSON.stringify(status);
    if (this.#status === null) this.#deps.log.info('guard reached');
    else if (text === this.#statusText) return;
    this.#problem = '';
    this.#status = status;
    this.#statusText = text;
    this.#deps.onChange();
  }

  #lost(problem: ConnectionProblem | null): void {
    const client = this.#client;
    this.#client = null;
    client?.end('the guard has gone');
    this.#cancelWatch();
    this.#noteProblem(this.#lostProblem ?? causeOfEnd(problem));
    this.#lostProblem = null;
    if (this.#isStopped) return;
    const wasHere = this.#status !== null;
    this.#status = null;
    this.#end = this.#deps.clock.after(RETRY_MS, () => this.#connect());
    if (wasHere) this.#deps.onChange();
  }

  /** Logs a problem once, and not at each of five tries a second. */
  #noteProblem(problem: Cause): void {
    if (!isSameCause(problem, this.#problem)) this.#deps.log.warn(`guard away: ${causeText(problem)}`);
    this.#problem = problem;
  }
}

function causeOfEnd(problem: ConnectionProblem | null): Cause {
  switch (problem?.code) {
    case undefined:
      return cause('hung-up', {});
    case 'ENOENT':
    case 'ECONNREFUSED':
      return cause('not-running', {});
    case 'EACCES':
      return cause('socket-not-ours', {});
    default:
      return problem?.message ?? 'unknown';
  }
}
