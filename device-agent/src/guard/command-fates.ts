import type { Clock, CommandConfirmation, DeviceReason } from '@relaygate/shared';
import type { Journal } from './journal';
import type { Ordered } from './ordered-command';
import type { GuardConfirmation, OutputCommand } from './protocol';

export interface GuardCommand extends Ordered<OutputCommand> {
  numOutput: number;
}

/** What the guard can say of commands; one it says nothing of may have moved something. */
export interface Fates {
  outcomes: GuardConfirmation[];
  /** Never started in this boot, and never will be. */
  notStarted: string[];
}

export interface FatesParts {
  journal: Journal;
  clock: Clock;
  carryOut(command: GuardCommand): Promise<GuardConfirmation>;
  /** After each command, once the journal's view has it. */
  onChange(): void;
}

/** What becomes of each command: on its way in this guard, or in the journal, which the next guard of this boot reads. */
export class CommandFates {
  readonly #parts: FatesParts;
  /** Commands on their way: a repeated frame joins the first one (I1). */
  readonly #executing = new Map<string, Promise<GuardConfirmation>>();

  constructor(parts: FatesParts) {
    this.#parts = parts;
  }

  /**
   * Executes a command at most once (I1): a known id is answered with its outcome. `null`: it was started before a
   * restart of the guard, so what became of it is not known.
   */
  async execute(command: GuardCommand): Promise<GuardConfirmation | null> {
    const executing = this.#executing.get(command.commandId);
    if (executing !== undefined) return executing;
    const fate = this.#parts.journal.fateOf(command.commandId);
    if (fate) return fate.kind === 'settled' ? fate.confirmation : null;
    // I1: it would have to be forgotten while its frame could still come again.
    if (!this.#parts.journal.hasRoom(this.#executing.size)) return refusal(command.commandId, 'busy');
    const confirmation = this.#begin(command);
    this.#executing.set(command.commandId, confirmation);
    try {
      return await confirmation;
    } finally {
      this.#executing.delete(command.commandId);
    }
  }

  of(commandIds: readonly string[]): Fates {
    const fates: Fates = { outcomes: [], notStarted: [] };
    for (const commandId of commandIds) {
      const fate = this.#parts.journal.fateOf(commandId);
      if (fate?.kind === 'settled') fates.outcomes.push(fate.confirmation);
      else if (this.#parts.journal.neverCame(commandId) && !this.#executing.has(commandId))
        fates.notStarted.push(commandId);
    }
    return fates;
  }

  /** Resolves when each command that is on its way by now has been answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#executing.values());
  }

  async #begin(command: GuardCommand): Promise<GuardConfirmation> {
    const confirmation = await this.#parts.carryOut(command);
    // Known at once to whoever asks; a failing write is a fault, and does not undo what happened.
    const { command: asked, by, startBeforeMs } = command;
    const note = { command: asked, atMs: this.#parts.clock.nowMs(), ...(by === undefined ? {} : { by }) };
    this.#parts.journal.settled(confirmation, startBeforeMs, note).catch(() => {});
    this.#parts.onChange();
    return confirmation;
  }
}

export function refusal(commandId: string, reason: DeviceReason): CommandConfirmation {
  return { commandId, outcome: 'refused', reason };
}
