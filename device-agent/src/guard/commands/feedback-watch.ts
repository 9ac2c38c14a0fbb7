import type { Cancel, OutputState } from '@relaygate/shared';
import type { CompleteOutput, Level } from '@relaygate/shared/device';
import { oppositeLevel } from '../../runtime/opposite-level';
import type { OutputDeps } from '../output-deps';
import { levelNow, watchInput } from './feedback';

export type FeedbackRules = Pick<CompleteOutput, 'mode' | 'feedbackInput' | 'feedbackActiveLevel' | 'feedbackMs'>;

/** Why a command is not proven; null: it is. */
export type Unproven = 'feedback-missing' | 'ended-by-policy' | 'ended-by-stop' | null;

/** What the input must show by then. */
interface Expectation {
  state: OutputState;
  input: number;
  rules: FeedbackRules;
  untilMs: number;
  /** The commands that are answered with it. */
  waiting: ((unproven: Unproven) => void)[];
}

/** How often an input is read that has not shown where the output is; it may be mended meanwhile. */
export const LOOK_AGAIN_MS = 1_000;

/**
 * Checks whether the feedback input of one output shows its state: after every edge, commanded or not, beside the queue of
 * commands. No command waits for the proof of another.
 */
export class FeedbackWatch {
  readonly #deps: OutputDeps;
  /** The first is looked for; the second can only be the end of a pulse whose begin is the first. */
  #expected: Expectation[] = [];
  #missing: OutputState | null = null;
  #stop: Cancel = () => {};
  #atEnd: (() => void)[] = [];

  constructor(deps: OutputDeps) {
    this.#deps = deps;
  }

  /** Whether the last edge was not shown until now. A pulse that was not shown counts so until an edge is. */
  get isMissing(): boolean {
    return this.#missing !== null;
  }

  /** What an interlock may believe of an output that is off by its orders. */
  get off(): 'shown' | 'awaited' | 'missing' {
    if (this.#expected.some(({ state }) => state === 0)) return 'awaited';
    return this.#missing === 0 ? 'missing' : 'shown';
  }

  /** Resolves when nothing is looked for any more. */
  ended(): Promise<void> {
    if (this.#expected.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#atEnd.push(resolve));
  }

  /** What the input shows before an edge; null: nobody knows. An input that shows its target already proves nothing. */
  async before({ feedbackInput, feedbackActiveLevel }: FeedbackRules): Promise<OutputState | null> {
    if (feedbackInput === null) return null;
    const level = await levelNow(this.#deps, feedbackInput);
    if (level === null) return null;
    return level === feedbackActiveLevel ? 1 : 0;
  }

  /**
   * The board has brought the output there, so what was looked for before can be shown no more, and is answered with `why`.
   * A pulse may still be shown when it is over, unless it was ended before its time.
   */
  moved(state: OutputState, rules: FeedbackRules, why: Unproven): void {
    const last = this.#expected.at(-1);
    if (last?.state === state) return;
    if (rules.mode === 'on-off' || state === 1 || why === 'ended-by-stop') this.leave(why);
    this.#expect(state, rules);
  }

  /** Resolves when the input shows that state or has failed to; at once with null if there is no input. */
  proof(state: OutputState, rules: FeedbackRules): Promise<Unproven> {
    const expectation = this.#expected.find((other) => other.state === state) ?? this.#expect(state, rules);
    if (!expectation) return Promise.resolve(null);
    return new Promise((resolve) => expectation.waiting.push(resolve));
  }

  /** Stops looking; whoever waits is answered with `why`. */
  leave(why: Unproven): void {
    this.#stop();
    const left = this.#expected.splice(0);
    for (const { waiting } of left) for (const answer of waiting) answer(why);
    this.#end();
  }

  /** The output has another input, or none: what was not shown is forgotten. */
  forget(): void {
    this.leave('feedback-missing');
    this.#missing = null;
  }

  #expect(state: OutputState, rules: FeedbackRules): Expectation | null {
    const { feedbackInput: input, feedbackMs } = rules;
    if (input === null) return null;
    const untilMs = this.#deps.slackClock.nowMs() + feedbackMs;
    const expectation: Expectation = { state, input, rules, untilMs, waiting: [] };
    this.#expected.push(expectation);
    if (this.#expected.length === 1) this.#look(expectation);
    return expectation;
  }

  #look(expectation: Expectation): void {
    const { input, untilMs, waiting } = expectation;
    const withinMs = Math.max(0, untilMs - this.#deps.slackClock.nowMs());
    this.#stop();
    this.#stop = watchInput(this.#deps, input, levelOf(expectation), withinMs, (isShown) => {
      this.#expected.shift();
      this.#note(isShown, expectation);
      for (const answer of waiting) answer(isShown ? null : 'feedback-missing');
      const [next] = this.#expected;
      if (next) return this.#look(next);
      // The relay of a pulse has moved on.
      if (!isShown && (expectation.rules.mode === 'on-off' || expectation.state === 0)) this.#lookAgain(expectation);
      this.#end();
    });
  }

  #lookAgain(expectation: Expectation): void {
    let isOver = false;
    const seen = (level: Level | null): void => {
      if (isOver) return;
      if (level === levelOf(expectation)) this.#note(true, expectation);
      else this.#lookAgain(expectation);
    };
    const cancel = this.#deps.slackClock.after(LOOK_AGAIN_MS, () => {
      void levelNow(this.#deps, expectation.input).then(seen);
    });
    this.#stop = () => {
      isOver = true;
      cancel();
    };
  }

  #note(isShown: boolean, { state, rules }: Expectation): void {
    const before = this.#missing;
    if (!isShown) this.#missing = state;
    // The end of a pulse says nothing of its begin.
    else if (rules.mode === 'on-off' || before !== 1 || state === 1) this.#missing = null;
    if (before !== this.#missing) this.#deps.onChange();
  }

  #end(): void {
    for (const resolve of this.#atEnd.splice(0)) resolve();
  }
}

/** What the input must show. */
function levelOf({ state, rules }: Expectation): Level {
  return state === 1 ? rules.feedbackActiveLevel : oppositeLevel(rules.feedbackActiveLevel);
}
