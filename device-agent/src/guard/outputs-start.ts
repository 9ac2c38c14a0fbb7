import type { InterlockTurns } from './commands/interlock-turns';
import { EXPIRED } from './commands/ordered-command';
import type { GuardDeps } from './guard-deps';
import { isLimited } from './on-limit';
import type { OutputChanges } from './output-changes';
import { type EarlierGuard, mayStartActive, onUntilMs, powerOnActive, type RememberedState } from './power-on';
import type { RunningOutput } from './running-output';

/** How long an output that is to power on waits for the others of its interlock; beyond, it stays off. */
const POWER_ON_PATIENCE_MS = 10_000;

/** Brings the outputs to where the power-on policy wants them (I5): when the guard starts, and when its board is back. */
export class OutputsStart {
  readonly #outputs: readonly RunningOutput[];
  readonly #turns: InterlockTurns;
  readonly #changes: OutputChanges;
  readonly #deps: GuardDeps;

  constructor(outputs: readonly RunningOutput[], turns: InterlockTurns, changes: OutputChanges, deps: GuardDeps) {
    this.#outputs = outputs;
    this.#turns = turns;
    this.#changes = changes;
    this.#deps = deps;
  }

  /** Drives off what is not wanted on. Resolves with the outputs that are wanted on. */
  async putOff(remembered: RememberedState | null, earlier: EarlierGuard | null): Promise<RunningOutput[]> {
    const outputs = this.#outputs;
    const settings = outputs.map((output) => output.settings);
    const active = powerOnActive(settings, remembered, earlier, this.#deps.clock.nowMs());
    const inactive = outputs.filter((output, n) => mayStartActive(output.settings) && active[n] !== true);
    const wanted = outputs.filter((_output, n) => active[n] === true);
    for (const output of wanted) this.#offInTime(output, earlier);
    await Promise.all(inactive.map((output) => output.start(false)));
    return wanted;
  }

  /** Drives on what is wanted, once this boot is saved; outputs of an interlock when it lets them. */
  async putOn(wanted: readonly RunningOutput[], earlier: EarlierGuard | null): Promise<void> {
    const { bootId, stateFile, journal } = this.#deps;
    const isWritten = await stateFile.saveBoot(bootId).then(
      () => true,
      () => false,
    );
    // A restart must know this boot; else it would switch "on" on again, and give others their whole time again.
    const isAllowed = ({ rules }: RunningOutput): boolean =>
      isWritten || (rules.powerOn !== 'on' && (journal.isWritten || !isLimited(rules)));
    const sinceMs = ({ numOutput }: RunningOutput): number | null => earlier?.onSinceMs.get(numOutput) ?? null;
    const locked = wanted.filter((output) => isAllowed(output) && output.rules.interlock !== null);
    const free = wanted.filter((output) => !locked.includes(output));
    await Promise.all(free.map((output) => output.isStarted || output.start(isAllowed(output), sinceMs(output))));
    const decided = this.#outputs.filter((output) => !locked.includes(output));
    await Promise.all(decided.map((output) => this.#changes.remember(output)));
    // Their delay keeps nobody else waiting.
    for (const output of locked) if (!output.isStarted) void this.#putOnInTurn(output, sinceMs(output));
  }

  /**
   * The board is back, or is tried again: outputs go where they could not be brought meanwhile. I4: what is not wanted on
   * is driven off, because its relay may have stayed as it was.
   */
  putBack(): void {
    const waiting = this.#outputs.filter((output) => output.isWaitingFor('board-back'));
    const wanted = waiting.filter(({ isToBeOn }) => isToBeOn);
    for (const output of waiting) if (!wanted.includes(output)) void output.start(false);
    for (const output of wanted)
      void (output.rules.interlock === null ? output.start(true) : this.#putOnInTurn(output, null));
  }

  /** A relay of the former guard may be closed: its time goes on, however long disk or interlock delay this start. */
  #offInTime(output: RunningOutput, earlier: EarlierGuard | null): void {
    const { clock } = this.#deps;
    const untilMs = onUntilMs(output.settings, output.numOutput, earlier);
    if (untilMs === Number.POSITIVE_INFINITY) return;
    clock.after(untilMs - clock.nowMs(), () => {
      if (output.isStarted) return;
      void output.start(false);
      // Its interlock may keep it from `putOn`, where the others are remembered.
      void this.#changes.remember(output);
    });
  }

  /**
   * Break, wait, make: a relay of the guard before may have been closed until now. An output that is kept off stays
   * remembered as it was.
   */
  async #putOnInTurn(output: RunningOutput, sinceMs: number | null): Promise<void> {
    output.awaitTurn(sinceMs);
    if (!output.isWaitingFor('interlock-cleared')) return;
    const turn = this.#turns.take(output, output.rules.interlock ?? '', {
      startBeforeMs: this.#deps.clock.nowMs() + POWER_ON_PATIENCE_MS,
      isBarred: () => false,
      // Switched off meanwhile, or the board has gone (again).
      refusal: () => (output.isWaitingFor('interlock-cleared') ? null : EXPIRED),
    });
    const problem = await turn.cleared;
    if (output.isWaitingFor('interlock-cleared')) await output.start(problem === null);
    turn.end();
    // If the board did not bring it on, it stays remembered.
    if (problem === null && output.isToBeOn) await this.#changes.remember(output);
  }
}
