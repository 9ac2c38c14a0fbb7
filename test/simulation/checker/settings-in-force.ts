import type { OutputSettings } from '@relaygate/shared/device';
import type { ChangedSettings } from '../people/local-request';
import type { Edge } from '../witnesses/board-records';
import type { History } from '../witnesses/history';
import type { AskedOnSite, Deed, Wish } from '../witnesses/on-site-records';
import type { Span } from './span';

type Member = keyof ChangedSettings;
type Values<M extends Member> = ReadonlySet<OutputSettings[M]>;

/** What these refuse has not been tried. */
const CLEAR_REFUSALS: ReadonlySet<string> = new Set(['output-active', 'out-of-range', 'output-not-found', 'bad-usage']);
/** A command is written down before the board is told. */
const BEGUN_BEFORE_MS = 50;
/** The agent gives a guard that has just started what it does not have. */
const PUSHED_WITHIN_MS = 2_500;

/** While a relay clicks. */
const CLICKED: OutputSettings = { name: '', mode: 'impulse', pulseMs: 300, activeLevel: 'high', powerOn: 'off' };

/** What each setting may have been at a time: one thing, or two while a change is under way or its end is not known. */
export class SettingsInForce {
  readonly #history: History;
  readonly #initial: (machine: string, numOutput: number) => OutputSettings | undefined;

  constructor(history: History, initial: (machine: string, numOutput: number) => OutputSettings | undefined) {
    this.#history = history;
    this.#initial = initial;
  }

  /** Every value that the setting may have had at some moment of this time. */
  valuesOf<M extends Member>(
    output: { machine: string; numOutput: number },
    member: M,
    { fromMs, untilMs }: Span,
  ): Values<M> {
    const { machine, numOutput } = output;
    const wipings = this.#history.wipings.filter((one) => one.machine === machine && one.markedMs <= untilMs);
    // A device that was reset is set up as it was first; what was asked until it was wiped went with it.
    const last = wipings.findLast(({ setUpMs }) => setUpMs !== null && setUpMs <= fromMs);
    const newFromMs = last?.wipedMs ?? last?.markedMs ?? 0;
    const isNewWithin = wipings.some(({ markedMs }) => markedMs > newFromMs);
    const wishes = this.#wishesOf(machine, numOutput).filter(
      (wish) =>
        wish.change[member] !== undefined &&
        wish.askedMs <= untilMs &&
        wish.askedMs >= newFromMs &&
        !this.#wasRefused(wish),
    );
    const settled = wishes.filter((wish) => (this.#settledMs(wish) ?? fromMs) < fromMs);
    const initial = this.#initial(machine, numOutput)?.[member];
    const values = new Set<OutputSettings[M]>(
      initial === undefined || (settled.length > 0 && !isNewWithin) ? [] : [initial],
    );
    for (const wish of wishes) {
      const value = wish.change[member];
      const endMs = this.#endMs(wish);
      // Of two on their way at the same time nobody outside can say which one came last.
      if (value !== undefined && !settled.some(({ askedMs }) => askedMs > endMs)) values.add(value);
    }
    if (this.#clicksIn(output, { fromMs, untilMs })) values.add(CLICKED[member]);
    return values;
  }

  /** Of an output that has just moved. */
  modesAt({ machine, output, orderedMs, atMs }: Edge): Values<'mode'> {
    return this.valuesOf({ machine, numOutput: output }, 'mode', {
      fromMs: orderedMs - BEGUN_BEFORE_MS,
      untilMs: atMs,
    });
  }

  /** When the output may have been driven off for a change that was forced. */
  forcedOf({ machine, output }: Pick<Edge, 'machine' | 'output'>): Span[] {
    const forced = this.#wishesOf(machine, output).filter((wish) => wish.force && wish.change.mode);
    return forced.map((wish) => ({ fromMs: wish.askedMs, untilMs: wish.answeredMs ?? wish.askedMs + 10_000 }));
  }

  /** When it may have been kept from what it was to be brought on for: by another policy nothing restores that. */
  unwantedOf({ machine, output }: Pick<Edge, 'machine' | 'output'>): Span[] {
    const wishes = this.#wishesOf(machine, output).filter(
      (wish) => (wish.change.powerOn ?? 'restore') !== 'restore' && !this.#wasRefused(wish),
    );
    return wishes.map((wish) => ({ fromMs: wish.askedMs, untilMs: this.#endMs(wish) }));
  }

  /** Whether its relay may click: it is an output of short pulses then. */
  #clicksIn({ machine, numOutput }: { machine: string; numOutput: number }, { fromMs, untilMs }: Span): boolean {
    return this.#history.deeds.some(
      (deed) =>
        deed.machine === machine &&
        deed.request.type === 'click' &&
        deed.request.numOutput === numOutput &&
        deed.askedMs <= untilMs &&
        this.#clickedUntilMs(deed) >= fromMs,
    );
  }

  /** A click that failed may leave its settings to the agent's next change, or to the next agent. */
  #clickedUntilMs(click: Deed): number {
    const { machine, answer, answeredMs } = click;
    if (answer === 'ok' && answeredMs !== null) return answeredMs;
    const goneMs = this.#endMs(click);
    const next = this.#history.lives.find(
      ({ name, readyMs }) => name === `agent ${machine}` && (readyMs ?? 0) >= goneMs,
    );
    const fromMs = answeredMs === null ? (next?.readyMs ?? Number.POSITIVE_INFINITY) : goneMs;
    // Guard and board must be there to take them.
    return this.#history.troubles
      .filter(({ name }) => name === machine || name.endsWith(` ${machine}`))
      .concat(this.#history.absences.map((absence) => ({ ...absence, name: absence.machine, kind: 'board' as const })))
      .filter(({ name }) => name.endsWith(machine))
      .toSorted((one, other) => one.fromMs - other.fromMs)
      .reduce(
        (byMs, trouble) =>
          trouble.fromMs <= byMs && trouble.untilMs >= goneMs
            ? Math.max(byMs, trouble.untilMs + PUSHED_WITHIN_MS)
            : byMs,
        fromMs + PUSHED_WITHIN_MS,
      );
  }

  #wishesOf(machine: string, numOutput: number): Wish[] {
    return this.#history.wishes.filter((wish) => wish.machine === machine && wish.numOutput === numOutput);
  }

  /** From when on it changes nothing any more: its answer, or the end of the agent that was asked. */
  #endMs({ machine, askedMs, answeredMs }: AskedOnSite): number {
    if (answeredMs !== null) return answeredMs;
    const asked = this.#history.lives.find(
      ({ name, untilMs }) => name === `agent ${machine}` && (untilMs ?? askedMs) >= askedMs,
    );
    return asked?.untilMs ?? Number.POSITIVE_INFINITY;
  }

  #wasRefused({ answer }: Wish): boolean {
    return answer !== null && CLEAR_REFUSALS.has(answer);
  }

  /** From when on nothing else is in force; null: never. */
  #settledMs({ machine, answer, askedMs, answeredMs }: Wish): number | null {
    if (answer !== 'ok' || answeredMs === null) return null;
    // A guard that read the file before it was written is told once it is there.
    const restarted = this.#history.lives.findLast(
      ({ name, fromMs }) => name === `guard ${machine}` && fromMs >= askedMs && fromMs <= answeredMs,
    );
    return restarted ? (restarted.readyMs ?? answeredMs) + PUSHED_WITHIN_MS : answeredMs;
  }
}
