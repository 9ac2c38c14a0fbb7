import type { Command, CommandConfirmation, DeviceReason } from '@relaygate/shared';
import { forServer, type GuardConfirmation, type OutcomesReply, type OutputCommand } from '../../guard/protocol';
import { THE_SERVER } from '../../locales/common';
import { outcomeWords } from '../../locales/en/events';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { outcomeOf } from '../commands/command-words';
import { refusalOf } from '../commands/guard-answer';
import type { GuardContact } from '../commands/guard-contact';

/** How many commands may be at work: the server has one in flight, so more are not the server's. I15. */
const MAX_AT_ONCE = 16;
/** How many outcomes are kept for commands that come again; older ones the guard knows, or their deadline is over. I15. */
const MAX_OUTCOMES = 256;
/** How many commands are kept whose answer was lost with guard or link; they are asked for when both are there. I15. */
const MAX_LOST_ANSWERS = 64;

export interface RemoteCommandsDeps {
  guard: Pick<GuardContact, 'execute' | 'outcomes'>;
  log: Log;
  /** Why no remote command may move this output now; null: it may. */
  refusalReason(numOutput: number): DeviceReason | null;
  /** Confirms to the server, which knows the command by its id, whichever link it came by (I10). False: no link is up. */
  confirm(confirmation: CommandConfirmation): boolean;
  /** The outcome of a command, each time that it becomes known; `command` null: it was refused before it could be read. */
  commandEnded(command: Command | null, confirmation: GuardConfirmation): void;
  /** The outcome is unknown, perhaps for ever. */
  commandLost(command: Command): void;
  /** A command is through, answered or not. */
  settled(): void;
}

/** Commands of the server on their way through the guard. Only what is certain is answered (I3). */
export class RemoteCommands {
  readonly #deps: RemoteCommandsDeps;
  /** How many frames wait for their answer. */
  #inHand = 0;
  /** The first frame of each command that is at work. */
  readonly #atWork = new Map<string, Promise<void>>();
  #lostAnswers: string[] = [];
  /**
   * Commands that the server asked about as the link began, and that the guard has not answered yet. At most a welcome's:
   * I15.
   */
  #open: readonly string[] = [];
  readonly #outcomes = new Map<string, GuardConfirmation>();

  constructor(deps: RemoteCommandsDeps) {
    this.#deps = deps;
  }

  get isExecuting(): boolean {
    return this.#inHand > 0;
  }

  /**
   * Has the guard execute the command before `startBeforeMs` of this machine's clock, or never. null: the server's time is
   * not known, so it is refused (I14). A frame that comes again moves nothing, and gets the outcome of the first one once
   * that is known (T7).
   */
  async execute(remote: Command, startBeforeMs: number | null): Promise<void> {
    const { commandId } = remote;
    // The outcome of the first frame is not known: "refused" could be a lie (I3).
    if (this.#lostAnswers.includes(commandId)) return;
    const isTooMany = this.#inHand >= MAX_AT_ONCE;
    const first = this.#atWork.get(commandId);
    // I15: only the first frame is answered.
    if (first && isTooMany) return;
    this.#inHand += 1;
    try {
      await first;
      const known = this.#outcomes.get(commandId);
      // I2: the server may have answered 504 to a refusal. Its cause may be gone, but the refusal stands.
      if (known) this.#confirm(known);
      else if (!first) await this.#executeFirst(remote, startBeforeMs, isTooMany);
    } finally {
      this.#inHand -= 1;
      this.#deps.settled();
    }
  }

  async #executeFirst(remote: Command, startBeforeMs: number | null, isTooMany: boolean): Promise<void> {
    const work = this.#carryOut(remote, startBeforeMs, isTooMany);
    this.#atWork.set(remote.commandId, work);
    try {
      await work;
    } finally {
      this.#atWork.delete(remote.commandId);
    }
  }

  async #carryOut(remote: Command, startBeforeMs: number | null, isTooMany: boolean): Promise<void> {
    const { commandId, epoch, numOutput, action, state, by = THE_SERVER } = remote;
    const { guard } = this.#deps;
    const command = guardCommandOf(action, state);
    try {
      if (!command) return await this.#refuse(remote, 'bad-command');
      if (isTooMany) return await this.#refuse(remote, 'busy');
      if (startBeforeMs === null) return await this.#refuse(remote, 'no-time-sync');
      const refusalReason = this.#deps.refusalReason(numOutput);
      if (refusalReason !== null) return await this.#refuse(remote, refusalReason);
      const confirmation = await guard.execute({ commandId, numOutput, command, startBeforeMs, epoch, by });
      // null: the command was started before a restart of the guard, so nothing certain can be said.
      if (confirmation) this.#end(remote, confirmation);
      else this.#deps.commandLost(remote);
    } catch (error) {
      const reason = this.#reasonOf(error, commandId);
      if (reason !== null) this.#end(remote, { commandId, outcome: 'refused', reason, numOutput });
      else this.#deps.commandLost(remote);
    }
  }

  /** The link has begun, and the guard could not say what became of these commands, or was not asked in time (I10). */
  stayOpen(commandIds: readonly string[]): void {
    this.#open = commandIds;
  }

  /** Guard and link are there (again), or have news: the guard may know by now what became of these commands. */
  async askForLostAnswers(): Promise<void> {
    await Promise.all([this.#askForLost(), this.#askForOpen()]);
  }

  async #askForLost(): Promise<void> {
    const asked = this.#lostAnswers;
    if (asked.length === 0) return;
    this.#lostAnswers = [];
    try {
      const { outcomes } = await this.#deps.guard.outcomes(asked);
      // A guard that was held up may execute them later.
      const known = outcomes.map(({ commandId }) => commandId);
      for (const commandId of asked) if (!known.includes(commandId)) this.#remember(commandId);
      this.#confirmLate(outcomes);
    } catch (error) {
      for (const commandId of asked) this.#remember(commandId);
      throw error;
    }
  }

  async #askForOpen(): Promise<void> {
    if (this.#open.length === 0) return;
    const { outcomes } = await this.#deps.guard.outcomes(this.#open);
    // Some may have been confirmed meanwhile.
    this.#confirmLate(outcomes.filter(({ commandId }) => this.#open.includes(commandId)));
  }

  /** I11: the output may have moved since; the report says how it is now. */
  #confirmLate(outcomes: readonly GuardConfirmation[]): void {
    for (const { state: _past, ...confirmation } of outcomes) this.#confirm(confirmation);
  }

  /** Refuses it, unless the guard knows it from a former agent: then "refused" would be a lie (I3). */
  async #refuse(remote: Command, reason: DeviceReason): Promise<void> {
    const { commandId, numOutput } = remote;
    const { outcomes, notStarted } = await this.#outcomesOf(commandId);
    for (const confirmation of outcomes) this.#confirm(confirmation);
    if (notStarted.includes(commandId)) this.#end(remote, { commandId, outcome: 'refused', reason, numOutput });
  }

  /** Commands of this link are known here, so a guard that cannot be asked does not have them. */
  async #outcomesOf(commandId: string): Promise<OutcomesReply> {
    try {
      return await this.#deps.guard.outcomes([commandId]);
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      return { outcomes: [], notStarted: [commandId] };
    }
  }

  #end(command: Command, confirmation: GuardConfirmation): void {
    this.#deps.commandEnded(command, confirmation);
    this.#confirm(confirmation);
  }

  #confirm(confirmation: GuardConfirmation): void {
    const { commandId } = confirmation;
    this.#keepOutcome(confirmation);
    this.#open = this.#open.filter((open) => open !== commandId);
    this.#deps.log.info(`command ${commandId}: ${outcomeWords(outcomeOf(confirmation))}`);
    if (!this.#deps.confirm(forServer(confirmation))) this.#remember(commandId);
  }

  /** null: it may have moved, so "refused" would be a lie. */
  #reasonOf(error: unknown, commandId: string): DeviceReason | null {
    const reason = refusalOf(error);
    if (reason !== null) return reason;
    this.#deps.log.warn(`command ${commandId}: ${problemOf(error)}`);
    this.#remember(commandId);
    return null;
  }

  #keepOutcome(confirmation: GuardConfirmation): void {
    this.#outcomes.set(confirmation.commandId, confirmation);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_OUTCOMES && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  #remember(commandId: string): void {
    this.#lostAnswers = [...this.#lostAnswers, commandId].slice(-MAX_LOST_ANSWERS);
  }
}

/** null: a `set` that does not say to what. */
function guardCommandOf(action: Command['action'], state: Command['state']): OutputCommand | null {
  if (action === 'toggle') return { action };
  return state === undefined ? null : { action, state };
}
