import type { Clock } from '@relaygate/shared';
import type { OutputMachine } from '../output-machine';
import { pulseSinceOf } from '../output-phase';
import type { Answer, Output, Refusal } from '../output-types';
import type { GuardConfirmation } from '../protocol';
import type { FeedbackWatch } from './feedback-watch';
import { confirmationOf, EXPIRED, type OrderedStop, refusalFor } from './ordered-command';
import type { OutputCommands } from './output-commands';

/** The output whose pulses somebody may end. */
export interface StoppableOutput {
  machine: OutputMachine;
  commands: Pick<OutputCommands, 'drop' | 'isOrdered' | 'isHalted'>;
  feedback: Pick<FeedbackWatch, 'proof'>;
}

/** A stop that waits until its output is off. */
interface Stop {
  /** This stop ends the pulse; false: the pulse was ending already. */
  isCause: boolean;
  answer(answer: Answer): void;
}

/**
 * Ends a pulse before its time, for somebody who saw it: at once, behind no other command, and whatever maintenance lock
 * there is. Commands that wait for the output do not begin any more. If another pulse runs than the one that was seen, the
 * stop does nothing, so that a late stop cannot end the next pulse.
 */
export class PulseStops {
  readonly #output: StoppableOutput;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #open: Stop[] = [];

  constructor(output: StoppableOutput, { clock }: { clock: Pick<Clock, 'nowMs'> }) {
    this.#output = output;
    this.#clock = clock;
  }

  /** Whether a pulse is being ended before its time. */
  get isEnding(): boolean {
    return this.#open.some(({ isCause }) => isCause);
  }

  /** Resolves when the output is off, as far as the board knows, or the board has not done it. */
  stop(stop: OrderedStop): Promise<GuardConfirmation> {
    const { machine, commands } = this.#output;
    return new Promise((settle) => {
      const answer = (given: Answer): void => settle(confirmationOf(stop, machine.numOutput, machine.state, given));
      const refusal = this.#refusalOf(stop);
      if (refusal) return answer(refusal);
      commands.drop(() => refusalFor('stopped'));
      const sinceMs = pulseSinceOf(machine.output);
      if (sinceMs === null && machine.output.phase !== 'releasing') return answer({ outcome: 'already-set' });
      this.#open.push({ isCause: sinceMs !== null, answer });
      if (sinceMs !== null) machine.feed({ kind: 'stop', sinceMs });
    });
  }

  /** The caller calls it whenever the output's phase has changed. */
  follow({ phase }: Output): void {
    if (phase === 'releasing') return;
    // Other pulses may begin while an input is waited for.
    for (const { isCause, answer } of this.#open.splice(0)) {
      if (phase !== 'inactive') answer(refusalFor(phase === 'stuck' ? 'board-failed' : 'board-away'));
      else if (isCause) void this.#proven().then(answer);
      else answer({ outcome: 'already-set' });
    }
  }

  /** null: nothing is against it. */
  #refusalOf({ command, startBeforeMs, epoch }: OrderedStop): Refusal | null {
    const { commands, machine } = this.#output;
    const { output, rules } = machine;
    if (commands.isHalted) return refusalFor('guard-stopping');
    // For people on site only: to the server a pulse always runs to its end.
    if (epoch !== null) return refusalFor('bad-command');
    if (this.#clock.nowMs() >= startBeforeMs) return EXPIRED;
    if (rules.mode !== 'impulse') return refusalFor('not-an-impulse-output');
    if (output.phase === 'unknown' || output.phase === 'waiting') return refusalFor('board-away');
    if (output.phase === 'stuck') return refusalFor('board-failed');
    const sinceMs = pulseSinceOf(output);
    const isAnother = sinceMs === null ? commands.isOrdered : sinceMs !== command.pulseSinceMs;
    return isAnother ? refusalFor('other-pulse') : null;
  }

  /** I3: if an input shows the relay, "ended" is said once the input shows it. */
  async #proven(): Promise<Answer> {
    const { feedback, machine } = this.#output;
    const reason = await feedback.proof(0, machine.rules);
    return reason === null ? { outcome: 'executed' } : { outcome: 'unproven', reason };
  }
}
