import type { Cancel, OutputState } from '@relaygate/shared';
import type { BoardLine } from '../effects/board-line';
import type { OutputEffects } from '../effects/output-effects';
import type { OutputDeps } from '../output-deps';
import type { OutputMachine } from '../output-machine';
import type { Answer, Refusal } from '../output-types';
import type { FeedbackWatch, Unproven } from './feedback-watch';
import type { InterlockedOutput, Turn } from './interlock-turns';
import { EXPIRED, isBarred, type Job, refusalFor, refusalOf, switchesOff } from './ordered-command';

/** The output that a command is for, as far as commands need it. */
export interface CommandedOutput {
  self: InterlockedOutput;
  machine: OutputMachine;
  line: Pick<BoardLine, 'orders' | 'driving' | 'movedMs' | 'canRead' | 'read'>;
  feedback: Pick<FeedbackWatch, 'before' | 'proof'>;
  effects: Pick<OutputEffects, 'drive'>;
}

/** One command at work, from its start to its answer: recorded (I1), cleared by its interlock, ordered in time (I2). */
export class CommandExecution {
  readonly job: Job;
  readonly #output: CommandedOutput;
  readonly #deps: OutputDeps;
  #isOrdered = false;
  #shownBefore: OutputState | null = null;
  /** What the input must show since its edge, and whether it has. */
  #edgeProof: { shown: OutputState; unproven: Promise<Unproven> } | null = null;
  #turn: Turn | null = null;
  #cancelDeadline: Cancel = () => {};

  constructor(job: Job, output: CommandedOutput, deps: OutputDeps) {
    this.job = job;
    this.#output = output;
    this.#deps = deps;
  }

  /** Whether the board got an order for it. */
  get isOrdered(): boolean {
    return this.#isOrdered;
  }

  /**
   * Calls `ready` with what keeps the command from its edge to `active`, or null; at the command's deadline at the latest.
   * `isGone`: the command is no longer what its output does.
   */
  waitUntilMaySwitch(active: boolean, isGone: () => boolean, ready: (problem: Refusal | null) => void): void {
    const { clock, recordStart, turns } = this.#deps;
    const { self, machine, feedback } = this.#output;
    const { rules, numOutput } = machine;
    const { startBeforeMs } = this.job;
    const isEdge = active === (machine.state === 0);
    const request = {
      startBeforeMs,
      isBarred: (other: number) => isBarred(this.job, this.#deps, other),
      refusal: () => refusalOf(this.job, this.#deps, numOutput),
    };
    const recorded = (): void => {
      if (!active || !isEdge || rules.interlock === null || isGone()) return ready(null);
      this.#turn = turns.take(self, rules.interlock, request);
      void this.#turn.cleared.then(ready);
    };
    const looked = (isEdge ? feedback.before(rules) : Promise.resolve(null)).then((shown) => {
      this.#shownBefore = shown;
    });
    this.#cancelDeadline = clock.after(Math.max(0, startBeforeMs - clock.nowMs()), () => ready(EXPIRED));
    Promise.all([recordStart(this.job), looked]).then(recorded, () => ready(refusalFor('journal-failed')));
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
  proveEdge(): void {
    const { machine, feedback } = this.#output;
    const { rules, state } = machine;
    if (!this.#isOrdered || rules.feedbackInput === null || state === null) return;
    this.#edgeProof = { shown: state, unproven: feedback.proof(state, rules) };
  }

  /** Answers the command. "Done" is said once the feedback input shows it (I3), without holding up other commands. */
  settle({ outcome, reason, ignored }: Answer): void {
    this.end();
    const { machine, feedback } = this.#output;
    const answer: Answer = { outcome, ...(reason === undefined ? {} : { reason }), ...(ignored ? { ignored } : {}) };
    if (this.#turn?.hasBroken && !this.#isOrdered && (outcome === 'refused' || outcome === 'expired')) {
      // Another output of its interlock went off for it.
      return this.job.answer(refusalFor('interlock-broken'));
    }
    const shown = this.#toBeShown(answer);
    if (shown === null) return this.job.answer(answer);
    const proof = this.#edgeProof?.shown === shown ? this.#edgeProof.unproven : feedback.proof(shown, machine.rules);
    void proof.then((unproven) => {
      const isStuck = this.#isOrdered && this.#shownBefore === shown;
      const why = unproven ?? (isStuck ? 'feedback-stuck' : null);
      this.job.answer(why === null ? answer : { outcome: 'unproven', reason: why });
    });
  }

  /** What the feedback input must show for that answer; null: nothing, or there is none. */
  #toBeShown({ outcome }: Answer): OutputState | null {
    const { rules, state } = this.#output.machine;
    if (rules.feedbackInput === null || (outcome !== 'executed' && outcome !== 'already-set')) return null;
    if (rules.mode === 'on-off') return state;
    // State 0 moves nothing; whatever else finds a pulse running is answered as the pulse is.
    return switchesOff(this.job) ? null : 1;
  }
}
