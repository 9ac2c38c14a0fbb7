import type { Cancel, OutputState } from '@relaygate/shared';
import type { OutputDeps } from '../output-deps';
import type { FeedbackRules, FeedbackWatch, Unproven } from './feedback-watch';
import type { InterlockedOutput, Turn } from './interlock-turns';
import {
  type Answer,
  EXPIRED,
  INTERLOCK_BROKEN,
  JOURNAL_FAILED,
  type Job,
  type Refusal,
  switchesOff,
} from './ordered-command';

export interface EdgeNeeds {
  /** The interlock to be cleared by; null: none. */
  group: string | null;
  output: InterlockedOutput;
  /** What the feedback input shows before the edge; null: nobody knows. */
  look(): Promise<OutputState | null>;
  /** The command is no longer what its output does. */
  isGone(): boolean;
  /** Whether a lock keeps it from switching this one off. */
  isBarred(numOutput: number): boolean;
  /** Why the command may not start any more. */
  refusal(): Refusal | null;
}

/** What an answer needs before it may be given. */
export interface ProofNeeds {
  rules: FeedbackRules;
  state: OutputState | null;
  feedback: Pick<FeedbackWatch, 'proof'>;
}

/** One command at work, from its start to its answer: recorded (I1), cleared by its interlock, ordered in time (I2). */
export class CommandExecution {
  readonly job: Job;
  readonly #deps: OutputDeps;
  #isOrdered = false;
  #shownBefore: OutputState | null = null;
  /** What the input must show since its edge, and whether it has. */
  #edgeProof: { shown: OutputState; unproven: Promise<Unproven> } | null = null;
  #turn: Turn | null = null;
  #cancelDeadline: Cancel = () => {};

  constructor(job: Job, deps: OutputDeps) {
    this.job = job;
    this.#deps = deps;
  }

  /** Whether the board got an order for it. */
  get isOrdered(): boolean {
    return this.#isOrdered;
  }

  /** Calls `ready` with what keeps the command from switching, or null; at the command's deadline at the latest. */
  waitUntilMaySwitch(needs: EdgeNeeds, ready: (problem: Refusal | null) => void): void {
    const { clock, recordStart, turns } = this.#deps;
    const { group, output, isGone, isBarred, refusal } = needs;
    const { startBeforeMs } = this.job;
    const recorded = (): void => {
      if (group === null || isGone()) return ready(null);
      this.#turn = turns.take(output, group, { startBeforeMs, isBarred, refusal });
      void this.#turn.cleared.then(ready);
    };
    const looked = needs.look().then((shown) => {
      this.#shownBefore = shown;
    });
    this.#cancelDeadline = clock.after(Math.max(0, startBeforeMs - clock.nowMs()), () => ready(EXPIRED));
    Promise.all([recordStart(this.job), looked]).then(recorded, () => ready(JOURNAL_FAILED));
  }

  ordered(): void {
    this.#isOrdered = true;
    this.#cancelDeadline();
  }

  /** The edge is out, or will not come: the next of its interlock may have its turn. */
  end(): void {
    this.#cancelDeadline();
    this.#turn?.end();
  }

  /** The edge is out, and the input is read: what it shows now counts, however long a disk delays the answer. */
  proveEdge({ rules, state, feedback }: ProofNeeds): void {
    if (!this.#isOrdered || rules.feedbackInput === null || state === null) return;
    this.#edgeProof = { shown: state, unproven: feedback.proof(state, rules) };
  }

  /** Answers the command. "Done" is said once the feedback input shows it (I3), without holding up other commands. */
  settle({ outcome, reason, ignored }: Answer, { rules, state, feedback }: ProofNeeds): void {
    this.end();
    const answer: Answer = { outcome, ...(reason === undefined ? {} : { reason }), ...(ignored ? { ignored } : {}) };
    if (this.#turn?.hasBroken && !this.#isOrdered && (outcome === 'refused' || outcome === 'expired')) {
      return this.job.answer(INTERLOCK_BROKEN);
    }
    const shown = this.#toBeShown(answer, rules, state);
    if (shown === null) return this.job.answer(answer);
    const proof = this.#edgeProof?.shown === shown ? this.#edgeProof.unproven : feedback.proof(shown, rules);
    void proof.then((unproven) => {
      const isStuck = this.#isOrdered && this.#shownBefore === shown;
      const why = unproven ?? (isStuck ? 'feedback-stuck' : null);
      this.job.answer(why === null ? answer : { outcome: 'unproven', reason: why });
    });
  }

  /** What the feedback input must show for that answer; null: nothing, or there is none. */
  #toBeShown(
    { outcome }: Answer,
    { mode, feedbackInput }: FeedbackRules,
    state: OutputState | null,
  ): OutputState | null {
    if (feedbackInput === null || (outcome !== 'executed' && outcome !== 'already-set')) return null;
    if (mode === 'on-off') return state;
    // State 0 moves nothing; whatever else finds a pulse running is answered as the pulse is.
    return switchesOff(this.job) ? null : 1;
  }
}
