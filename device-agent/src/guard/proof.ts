import type { CommandConfirmation, OutputState, WholeOutput } from '@relaygate/shared';
import { oppositeLevel } from '../relay/relay-driver';
import { type FeedbackPorts, follows } from './feedback';

export type Answer = Pick<CommandConfirmation, 'outcome'> & { reason?: string | undefined };

/** What a command needs before it may be called done: that the feedback input shows it. */
export class Proof {
  readonly #ports: FeedbackPorts;
  #isMissing = false;

  constructor(ports: FeedbackPorts) {
    this.#ports = ports;
  }

  /** The last command has switched the output, and the feedback input did not show it. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  /**
   * null: none is needed, for only "done" is proven (I3). `hasMoved`: the command has told the board something. `state`
   * as the guard has it, asked again afterwards: a policy may have ended what was to be proven.
   */
  of(answer: Answer, hasMoved: boolean, rules: WholeOutput, state: () => OutputState | null): Promise<Answer> | null {
    const { feedbackInput, feedbackActiveLevel: active, feedbackMs, mode } = rules;
    const isDone = (answer.outcome === 'executed' && hasMoved) || answer.outcome === 'already-set';
    if (feedbackInput === null || !isDone) return null;
    const wanted = mode === 'impulse' ? 1 : state();
    const level = wanted === 1 ? active : oppositeLevel(active);
    return follows(this.#ports, feedbackInput, level, feedbackMs).then((isProven) => {
      const isStill = mode === 'impulse' || state() === wanted;
      this.#isMissing = !isProven && isStill;
      return isProven && isStill ? answer : { outcome: 'unproven', reason: 'feedback-missing' };
    });
  }
}
