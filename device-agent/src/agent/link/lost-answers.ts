import { type Cancel, type Clock, MAX_UNRESOLVED_PER_WELCOME } from '@relaygate/shared';
import { localOutcome } from '../commands/command-words';
import type { GuardContact } from '../commands/guard-contact';
import type { Became } from '../history/history';

/** A local command that the guard was asked for and whose outcome nobody knows. */
export interface LostCommand {
  commandId: string;
  /** Its execution deadline, on this machine's clock. */
  startBeforeMs: number;
  /** Called at most once. */
  known(became: Became): void;
}

export interface LostAnswersDeps {
  guard: Pick<GuardContact, 'outcomes' | 'status'>;
  clock: Clock;
}

/** How many are kept: one question may name no more. The oldest give way, such as those whose guard was killed. I15. */
const MAX_LOST = MAX_UNRESOLVED_PER_WELCOME;

/** Asks the guard for outcomes whose answer was lost, so that "unknown" does not stand where the guard knows. */
export class LostAnswers {
  readonly #deps: LostAnswersDeps;
  #lost: readonly LostCommand[] = [];
  #cancelAsk: Cancel = () => {};

  constructor(deps: LostAnswersDeps) {
    this.#deps = deps;
  }

  add(command: LostCommand): void {
    const { clock } = this.#deps;
    this.#lost = [...this.#lost, command].slice(-MAX_LOST);
    this.#ask();
    // Until then the command may still wait in the guard's socket.
    this.#cancelAsk();
    this.#cancelAsk = clock.after(Math.max(0, command.startBeforeMs - clock.nowMs()) + 1, () => this.#ask());
  }

  stop(): void {
    this.#cancelAsk();
  }

  /** The guard is there (again), or has news. */
  guardChanged(): void {
    this.#ask();
  }

  #ask(): void {
    if (this.#lost.length === 0 || !this.#deps.guard.status) return;
    // A guard that does not answer is asked again when it is back.
    this.#askNow(this.#lost).catch(() => {});
  }

  async #askNow(asked: readonly LostCommand[]): Promise<void> {
    const { guard, clock } = this.#deps;
    const askedMs = clock.nowMs();
    const { outcomes, notStarted } = await guard.outcomes(asked.map(({ commandId }) => commandId));
    for (const command of asked) {
      const { commandId, startBeforeMs } = command;
      const said = outcomes.find((confirmation) => confirmation.commandId === commandId);
      // I2: after its deadline it cannot begin, wherever it still waits.
      const hasExpired = notStarted.includes(commandId) && askedMs >= startBeforeMs;
      if (said) this.#settle(command, { ...said, outcome: localOutcome(said) });
      else if (hasExpired) this.#settle(command, { outcome: 'expired' });
    }
  }

  #settle(command: LostCommand, { outcome, reason }: Became): void {
    // Another question may have settled it.
    if (!this.#lost.includes(command)) return;
    this.#lost = this.#lost.filter((kept) => kept !== command);
    command.known({ outcome, reason });
  }
}
