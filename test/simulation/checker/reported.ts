import { WALL_START_MS } from '../machines/server-node';
import type { HeardFrame, LinkRecord } from '../witnesses/link-record';
import type { Facts } from './facts';
import type { Violation } from './violation';

/** Two clocks of the server, and what a double and a millisecond cannot tell. */
const ROUNDING_MS = 5;
/** From hearing something to having written it down, where nothing is in the way. */
const WRITTEN_WITHIN_MS = 300;
/** What a database in trouble has refused is tried again after a second; what waited for a server that hung is written then. */
const RETRIED_WITHIN_MS = 1_000 + WRITTEN_WITHIN_MS;

/** What it goes by. */
export type ReportedFacts = Pick<Facts, 'history' | 'hasTrouble' | 'stored'>;

/** What a client was shown of a product. */
interface Shown {
  connected: boolean;
  lastSeenAt: string | null;
  outputs: { numOutput: number; state: 0 | 1 | null; observedAt: string | null }[];
  inputs?: { numInput: number; state: string | null; observedAt: string }[];
}

/** I11: each state that was read, its times and whether the link was up, beside what the server really had heard. */
export function checkReported(facts: ReportedFacts): Violation[] {
  return facts.history.calls.flatMap((call) => {
    const { request, arrivedMs, answeredMs, answer, client } = call;
    if (request.kind !== 'state' || answer?.code !== 'ok' || arrivedMs === null || answeredMs === null) return [];
    if (!isShown(answer.body)) return [];
    const reading = new Reading(facts, request.productLogin, { fromMs: arrivedMs, untilMs: answeredMs });
    const problems = [
      reading.problemOfLink(answer.body),
      reading.problemOfLastSeen(answer.body),
      ...answer.body.outputs.map((output) => reading.problemOfOutput(output)),
      ...(answer.body.inputs ?? []).map((input) => reading.problemOfInput(input)),
    ];
    return problems.flatMap((problem): Violation[] =>
      problem === null
        ? []
        : [{ invariant: 'I11', atMs: answeredMs, sentence: `${client} read of ${request.productLogin}: ${problem}` }],
    );
  });
}

/** One reading, somewhere between the call's arrival and its answer. */
class Reading {
  readonly #facts: ReportedFacts;
  readonly #productLogin: string;
  readonly #fromMs: number;
  readonly #untilMs: number;
  readonly #links: LinkRecord[];

  constructor(facts: ReportedFacts, productLogin: string, { fromMs, untilMs }: { fromMs: number; untilMs: number }) {
    this.#facts = facts;
    this.#productLogin = productLogin;
    this.#fromMs = fromMs;
    this.#untilMs = untilMs;
    this.#links = facts.history.links.filter((link) => link.productLogin === productLogin);
  }

  problemOfLink({ connected }: Shown): string | null {
    const moments = [this.#fromMs, ...this.#changesMs()];
    if (moments.some((ms) => (this.#linkUpAt(ms) !== undefined) === connected)) return null;
    return `${connected ? '' : 'not '}connected, and the link was ${connected ? 'not up' : 'up'}`;
  }

  /** Linked: when the link was last heard. Else: a moment, not before its last opening, when the device was heard. */
  problemOfLastSeen({ connected, lastSeenAt }: Shown): string | null {
    if (lastSeenAt === null) {
      const isSeen = this.#facts
        .stored('openLink')
        .some(
          ({ args, result, atMs }) => args[0] === this.#productLogin && result !== undefined && atMs < this.#fromMs,
        );
      return isSeen ? 'never seen, and it has been linked' : null;
    }
    const shownMs = Date.parse(lastSeenAt);
    const moments = connected ? this.#lastHeardMs() : this.#seenMs();
    if (moments.some((ms) => this.#isWallTimeOf(shownMs, ms, connected ? this.#fromMs : ms))) return null;
    return `last seen at ${lastSeenAt}, when it was not heard (${connected ? '' : 'not '}connected)`;
  }

  problemOfOutput({ numOutput, state, observedAt }: Shown['outputs'][number]): string | null {
    const news = this.#newsOf(numOutput);
    const what = `output ${numOutput} is ${state} as of ${observedAt}`;
    if (observedAt === null) return state === null ? null : `${what}, which nobody has reported`;
    const shownMs = Date.parse(observedAt);
    const at = news.findIndex(({ atMs }) => Math.abs(this.#wallMs(atMs) - shownMs) <= ROUNDING_MS);
    if (at < 0) return `${what}, when the server heard nothing of it`;
    // What a later result tells goes into a report that still waits to be written.
    if (!news.slice(at).some(({ states }) => states.get(numOutput) === state)) return `${what}, which it was not`;
    return this.#hasNewer(numOutput, shownMs) ? `${what}, and the server has heard of it since` : null;
  }

  problemOfInput({ numInput, state, observedAt }: NonNullable<Shown['inputs']>[number]): string | null {
    const what = `input ${numInput} is ${state} as of ${observedAt}`;
    const shownMs = Date.parse(observedAt);
    const heard = this.#links
      .flatMap(({ heard }) => heard)
      .filter(({ atMs, inputs }) => inputs !== null && Math.abs(this.#wallMs(atMs) - shownMs) <= ROUNDING_MS);
    if (heard.length === 0) return `${what}, when the server heard nothing of it`;
    return heard.some(({ inputs }) => inputs?.get(numInput) === state) ? null : `${what}, which it was not`;
  }

  #changesMs(): number[] {
    const all = this.#links.flatMap(({ upMs, endedMs }) => [upMs, endedMs]);
    return all.filter((ms): ms is number => ms !== null && ms > this.#fromMs && ms <= this.#untilMs);
  }

  #linkUpAt(ms: number): LinkRecord | undefined {
    return this.#links.findLast(
      ({ upMs, endedMs }) => upMs !== null && upMs <= ms && (endedMs === null || endedMs > ms),
    );
  }

  /** Of the link that is up: each moment that may have been the last one. */
  #lastHeardMs(): number[] {
    const links = [this.#fromMs, ...this.#changesMs()].flatMap((ms) => this.#linkUpAt(ms) ?? []);
    return links.flatMap(({ heard }) => {
      const heardMs = heard.map(({ atMs }) => atMs).filter((ms) => ms <= this.#untilMs);
      const before = heardMs.filter((ms) => ms < this.#fromMs).at(-1);
      return [...(before === undefined ? [] : [before]), ...heardMs.filter((ms) => ms >= this.#fromMs)];
    });
  }

  /** When the device was heard, from the latest link on that was opened before. */
  #seenMs(): number[] {
    const latest = this.#links.findLast(({ welcomedMs }) => welcomedMs !== null && welcomedMs < this.#fromMs);
    const sinceMs = latest?.heard[0]?.atMs ?? 0;
    const heardMs = this.#links.flatMap(({ heard }) => heard.map(({ atMs }) => atMs));
    return heardMs.filter((ms) => ms >= sinceMs && ms <= this.#untilMs);
  }

  /** Frames that tell of the output, up to the answer. */
  #newsOf(numOutput: number): HeardFrame[] {
    return this.#links
      .flatMap(({ heard }) => heard)
      .filter(({ atMs, states }) => atMs <= this.#untilMs && states.has(numOutput))
      .toSorted((one, other) => one.atMs - other.atMs);
  }

  /** Whether the link that is up told something newer, with time to write it down and nothing in the way. */
  #hasNewer(numOutput: number, shownMs: number): boolean {
    const link = this.#linkUpAt(this.#fromMs);
    const newest = link?.heard.findLast(
      (frame) => frame.atMs < this.#fromMs - WRITTEN_WITHIN_MS && frame.states.has(numOutput) && !this.#isOld(frame),
    );
    if (!newest) return false;
    const { atMs } = newest;
    const isHindered =
      this.#facts.hasTrouble('server', ['storage', 'stall'], this.#fromMs - RETRIED_WITHIN_MS, this.#untilMs) ||
      this.#isTriedAgain() ||
      this.#links.some((other) => other !== link && (other.heard[0]?.atMs ?? 0) > (link?.heard[0]?.atMs ?? 0));
    const later = (link?.heard ?? []).filter((frame) => frame.atMs >= atMs && frame.states.has(numOutput));
    return !isHindered && !later.some((frame) => Math.abs(this.#wallMs(frame.atMs) - shownMs) <= ROUNDING_MS);
  }

  /** A slow group outlasts its trouble: what was in it or behind it was refused then, and is tried again. */
  #isTriedAgain(): boolean {
    return this.#facts.history.groups.some(
      ({ atMs, refused, late }) =>
        refused + late > 0 && atMs >= this.#fromMs - RETRIED_WITHIN_MS && atMs <= this.#untilMs,
    );
  }

  /** A result that comes again is no news (T7). */
  #isOld({ commandId, atMs }: HeardFrame): boolean {
    if (commandId === null) return false;
    return this.#links.some(({ heard }) => heard.some((other) => other.commandId === commandId && other.atMs < atMs));
  }

  /** Whether a wall clock, as it went at some time since then, calls `ms` that. */
  #isWallTimeOf(shownMs: number, ms: number, sinceMs: number): boolean {
    return this.#jumpsMs(sinceMs).some((jumpedMs) => Math.abs(WALL_START_MS + jumpedMs + ms - shownMs) <= ROUNDING_MS);
  }

  #wallMs(ms: number): number {
    return WALL_START_MS + (this.#facts.history.wallJumps.findLast(({ atMs }) => atMs <= ms)?.jumpedMs ?? 0) + ms;
  }

  /** What the wall clock was ahead by, at that time and at any later one up to the answer. */
  #jumpsMs(sinceMs: number): number[] {
    const { wallJumps } = this.#facts.history;
    const before = wallJumps.findLast(({ atMs }) => atMs <= sinceMs)?.jumpedMs ?? 0;
    const since = wallJumps.filter(({ atMs }) => atMs > sinceMs && atMs <= this.#untilMs);
    return [before, ...since.map(({ jumpedMs }) => jumpedMs)];
  }
}

function isShown(body: unknown): body is Shown {
  return typeof body === 'object' && body !== null && 'lastSeenAt' in body && 'outputs' in body;
}
