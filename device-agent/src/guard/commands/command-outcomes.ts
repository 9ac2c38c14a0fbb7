import { isOfButton } from '../../runtime/button-command-id';
import type { GuardDeps } from '../guard-deps';
import type { GuardConfirmation, OutcomesReply, OutputCommand } from '../protocol';
import type { RunningOutput } from '../running-output';
import { type Ordered, refusalFor } from './ordered-command';

export type GuardCommand = Ordered<OutputCommand>;

/** The outcome of each command: of those at work here, and of those in the journal, which the next guard of this boot reads. */
export class CommandOutcomes {
  readonly #outputs: readonly RunningOutput[];
  readonly #deps: GuardDeps;
  /** Commands at work: a repeated frame joins the first one (I1). */
  readonly #executing = new Map<string, Promise<GuardConfirmation>>();
  #isEnding = false;

  constructor(outputs: readonly RunningOutput[], deps: GuardDeps) {
    this.#outputs = outputs;
    this.#deps = deps;
  }

  /**
   * Executes a command at most once (I1): a known id is answered with its outcome. `null`: it was started before a
   * restart of the guard, so its outcome is not known.
   */
  async execute(command: GuardCommand): Promise<GuardConfirmation | null> {
    const { journal, clock } = this.#deps;
    const executing = this.#executing.get(command.commandId);
    if (executing !== undefined) return executing;
    const journaled = journal.memory.commandOf(command.commandId);
    if (journaled) return 'outcome' in journaled ? journaled.outcome : null;
    // I1: without room the command would be forgotten while its frame could still come again.
    if (!journal.memory.hasRoom(this.#executing.size, clock.nowMs()))
      return { commandId: command.commandId, ...refusalFor('busy') };
    const confirmation = this.#begin(command);
    this.#executing.set(command.commandId, confirmation);
    try {
      return await confirmation;
    } finally {
      this.#executing.delete(command.commandId);
    }
  }

  /** Outcomes of these commands. A command in neither list may have moved something. */
  of(commandIds: readonly string[]): OutcomesReply {
    const { memory } = this.#deps.journal;
    const reply: OutcomesReply = { outcomes: [], notStarted: [] };
    for (const commandId of commandIds) {
      const journaled = memory.commandOf(commandId);
      if (journaled && 'outcome' in journaled) reply.outcomes.push(journaled.outcome);
      else if (memory.neverCame(commandId) && !this.#executing.has(commandId)) reply.notStarted.push(commandId);
    }
    return reply;
  }

  /** The guard ends: no command begins any more. */
  end(): void {
    this.#isEnding = true;
  }

  /** Resolves when each command that is at work by now has been answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#executing.values());
  }

  async #begin(command: GuardCommand): Promise<GuardConfirmation> {
    const confirmation = await this.#carryOut(command);
    // The answer is known at once to whoever asks.
    const { commandId, command: asked, by, startBeforeMs } = command;
    const { journal, clock } = this.#deps;
    const isPress = isOfButton(commandId) && confirmation.numOutput !== undefined;
    const pressSeq = isPress ? { pressSeq: journal.memory.pressNumbers.last + 1 } : {};
    const note = { command: asked, atMs: clock.nowMs(), ...(by === undefined ? {} : { by }), ...pressSeq };
    journal.note({ outcome: confirmation, startBeforeMs, note });
    this.#deps.listeners.notify();
    return confirmation;
  }

  #carryOut(given: GuardCommand): Promise<GuardConfirmation> {
    const { numOutput, commandId, command } = given;
    const output = this.#outputs[numOutput];
    if (!output || this.#isEnding)
      return Promise.resolve({ commandId, ...refusalFor(output ? 'guard-stopping' : 'no-such-output') });
    return command.action === 'stop' ? output.stop({ ...given, command }) : output.execute({ ...given, command });
  }
}
