import type { InputSettings } from '@relaygate/shared/device';
import type { InputEdge } from '../../relay/relay-driver';
import { type Fault, fault } from '../../runtime/fault';
import { type ButtonDeps, RunningButton } from './running-button';
import { WatchedInput, type WatchedInputDeps } from './watched-input';

export interface InputsDeps extends ButtonDeps, Omit<WatchedInputDeps, 'changed'> {
  onChange(): void;
}

/** What the status shows of an input. */
export interface InputView {
  settings: InputSettings;
  /** Closed or pressed; null: nobody knows. */
  isActive: boolean | null;
  /** Since when, on the guard's clock. */
  sinceMs?: number;
  /** Since the start of the guard. */
  hasChanged: boolean;
}

interface RunningInput {
  input: WatchedInput;
  /** null: it only shows something. */
  button: RunningButton | null;
}

/** The inputs that mean something: what they show, and the buttons among them at work. */
export class Inputs {
  readonly #inputs: readonly RunningInput[];
  /** By the board's number. */
  readonly #byNumber: ReadonlyMap<number, WatchedInput>;
  #isWatching = false;
  #isAway = false;

  constructor(settings: readonly InputSettings[], deps: InputsDeps) {
    this.#inputs = settings.map((of) => runningInput(of, deps));
    this.#byNumber = new Map(this.#inputs.map(({ input }) => [input.settings.numInput, input]));
  }

  get views(): InputView[] {
    return this.#inputs.map(({ input }) => {
      const { settings, isActive, changedMs, hasChanged } = input;
      return { settings, isActive, hasChanged, ...(changedMs === null ? {} : { sinceMs: changedMs }) };
    });
  }

  get faults(): Fault[] {
    return this.#inputs.flatMap(({ input, button }) => inputFault(input, button?.isStuck ?? false) ?? []);
  }

  /** The outputs are where their policies want them: from here on buttons count. */
  begin(): void {
    this.#isWatching = true;
    if (!this.#isAway) this.boardIsThere();
  }

  /** The board is there: its inputs may show something else than before. */
  boardIsThere(): void {
    this.#isAway = false;
    if (this.#isWatching) for (const { input } of this.#inputs) input.look();
  }

  boardLost(): void {
    this.#isAway = true;
    for (const { input } of this.#inputs) input.forget();
  }

  edges(edges: readonly InputEdge[]): void {
    if (!this.#isWatching || this.#isAway) return;
    for (const edge of edges) this.#byNumber.get(edge.input)?.edge(edge);
  }

  /** These inputs do not answer, though their board is there. */
  unread(numInputs: readonly number[]): void {
    if (!this.#isWatching || this.#isAway) return;
    for (const numInput of numInputs) this.#byNumber.get(numInput)?.unread();
  }

  /** The guard ends. */
  end(): void {
    this.#isWatching = false;
    this.boardLost();
  }
}

function runningInput(settings: InputSettings, deps: InputsDeps): RunningInput {
  const button = settings.kind === 'button' ? new RunningButton(settings, deps) : null;
  const input = new WatchedInput(settings, {
    ...deps,
    changed(change) {
      button?.shows(input.isActive, change);
      deps.onChange();
    },
  });
  return { input, button };
}

/** The fault of an input; null: none. */
function inputFault({ settings, isActive, problem }: WatchedInput, isStuck: boolean): Fault | null {
  const { numInput, name, kind } = settings;
  const values = { numInput, name };
  if (problem === 'flapping') return fault('input-flapping', values);
  if (problem === 'unread') return fault('input-unread', values);
  if (isStuck) return fault('button-stuck', values);
  return kind === 'tamper' && isActive === false ? fault('tamper-open', values) : null;
}
