/** What a device's history says of its buttons: each press that is through once, as it was, and no other. */
import type { HistoryEntry } from '@relaygate/shared';
import { KEPT_COMMANDS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import type { Life, Settled, Trouble } from '../witnesses/history';
import { buttonCommandOf, buttonOf } from '../witnesses/presses';
import type { Facts } from './facts';
import { rulesOf } from './policies/rules';
import type { Span } from './span';
import { boardTroubles, bootAt, gapsOf, guardGaps, latestMs, SLOW_WRITE_MS, stalls } from './spans';

/** Who enters how many presses the guard has forgotten. */
const AGENT = 'relaygate-agent';
const MISSING = /^presses-missing-(\d+)$/;
/** From when agent, guard and disk are all there until a press is in the history: the agent dials, asks, and writes. */
const ENTERED_WITHIN_MS = 1_500;
/** What the disk has refused is written with the next entry, or after so long by the clock of the device. */
const RETRIED_WITHIN_MS = 60_100;
/** From an edge until its guard has noted it. */
const NOTED_WITHIN_MS = 100;
/** A command that may still start is not forgotten: the longest deadline of one, and what a frame may come later. */
const LIVE_MS = 7_000;

/** What is wrong with these entries, as sentences. */
export function problemsOfButtonEntries(facts: Facts, device: Device, entries: readonly HistoryEntry[]): string[] {
  return device.setup.inputs.length === 0 ? [] : new ButtonEntries(facts, device, entries).problems();
}

class ButtonEntries {
  readonly #facts: Facts;
  readonly #device: Device;
  readonly #entries: readonly HistoryEntry[];
  readonly #commands: readonly Settled[];
  readonly #presses: readonly Settled[];
  readonly #unentered: Set<Settled>;

  constructor(facts: Facts, device: Device, entries: readonly HistoryEntry[]) {
    this.#facts = facts;
    this.#device = device;
    this.#entries = entries.filter(({ kind }) => kind === 'button');
    this.#commands = facts.history.settled.filter(({ machine }) => machine === device.setup.name);
    this.#presses = this.#commands.filter(({ commandId }) => buttonCommandOf(commandId) !== null);
    this.#unentered = new Set(this.#presses);
  }

  problems(): string[] {
    const untrue = this.#entries.filter(({ actor }) => actor !== AGENT).flatMap((entry) => this.#untruth(entry) ?? []);
    const boots = new Set([...this.#presses, ...this.#entries].map(({ bootId }) => bootId));
    return [...untrue, ...[...boots].flatMap((bootId) => this.#missing(bootId)), ...this.#unnoted()];
  }

  /** Null: a press has become this, and no other entry says so. */
  #untruth(entry: HistoryEntry): string | null {
    const alike = this.#presses.filter((press) => isOf(press, entry));
    const left = alike.filter((press) => this.#unentered.has(press));
    const { actor, outcome, reason = null } = entry;
    const [first] = left;
    if (alike.length === 0) return `the history has a press by ${actor}, which was none (entry ${entry.seq})`;
    if (!first) return `a press by ${actor} is twice in the history (entry ${entry.seq})`;
    const press = left.find((one) => one.outcome === outcome && one.reason === reason);
    this.#unentered.delete(press ?? first);
    if (press) return null;
    const became = left.map((one) => wordsOf(one.outcome, one.reason)).join(' or ');
    return `the history calls a press by ${actor} ${wordsOf(outcome ?? '', reason)}, and it was ${became}`;
  }

  /** Of the presses of this boot that have no entry: each is counted as missing, or has an excuse. */
  #missing(bootId: string): string[] {
    const presses = this.#presses.filter((press) => press.bootId === bootId);
    const unentered = presses.filter((press) => this.#unentered.has(press));
    // They are entered in the order in which the journal has them.
    const last = presses.findLastIndex((press) => !this.#unentered.has(press));
    const forgotten = unentered.filter((press) => this.#mayBeForgotten(press));
    const excused = unentered.filter((press) => presses.indexOf(press) > last && this.#isExcused(press));
    const lost = unentered.filter((press) => !forgotten.includes(press) && !excused.includes(press));
    const counted = this.#countedAsMissing(bootId);
    if (counted === null) return ['the history has a button entry of its agent, which counts nothing'];
    const [least, most] = [forgotten.filter((press) => !excused.includes(press)).length, forgotten.length];
    const isRight = counted >= least && counted <= most;
    return [
      ...lost.map(
        ({ by, numOutput, commandId }) =>
          `${by} was to move output ${numOutput}, and it is not in the history (${commandId})`,
      ),
      ...(isRight
        ? []
        : [
            `the history counts ${counted} presses as missing, and ${least === most ? most : `${least} to ${most}`} are`,
          ]),
    ];
  }

  /** null: one of the entries counts nothing. */
  #countedAsMissing(bootId: string): number | null {
    const counts = this.#entries
      .filter((entry) => entry.actor === AGENT && entry.bootId === bootId)
      .map(({ reason = '', outcome }) => (outcome === 'unknown' ? Number(MISSING.exec(reason)?.[1]) : Number.NaN));
    const sum = counts.reduce((all, count) => all + count, 0);
    return Number.isNaN(sum) ? null : sum;
  }

  /** So many commands came in that boot that the guard may have had no room for it. */
  #mayBeForgotten(press: Settled): boolean {
    const kept = this.#commands.filter(({ bootId, atMs }) => bootId === press.bootId && atMs >= press.atMs - LIVE_MS);
    return kept.length > KEPT_COMMANDS;
  }

  /** The power went before it could be entered, or the disk has yet to take it. */
  #isExcused(press: Settled): boolean {
    const bootUntilMs = this.#bootUntilMs(press);
    const dueMs = this.#enteredByMs(press.atMs);
    return dueMs >= bootUntilMs || this.#isToBeRetried(press, dueMs, bootUntilMs);
  }

  #bootUntilMs({ bootId }: Settled): number {
    const lives = this.#lives.filter((life) => life.bootId === bootId);
    return Math.max(...lives.map(({ untilMs }) => untilMs ?? this.#facts.endMs));
  }

  /** By when a press is in the history that is there to be entered from then on. */
  #enteredByMs(fromMs: number): number {
    const { setup, agent } = this.#device;
    const [guards, agents] = [guardGaps(this.#facts, this.#device), gapsOf(this.#facts, agent.name)];
    const gaps = [...guards, ...agents, ...troublesOf(this.#facts, setup.name, ['disk', 'journal'])];
    const late = gaps.map((gap) => ({ fromMs: gap.fromMs, untilMs: gap.untilMs + ENTERED_WITHIN_MS }));
    return latestMs(fromMs + ENTERED_WITHIN_MS, fromMs, late);
  }

  /** Its disk has refused it, or said nothing, and no agent or guard has begun behind that, which would have had it entered. */
  #isToBeRetried(press: Settled, dueMs: number, bootUntilMs: number): boolean {
    const { setup, agent } = this.#device;
    return troublesOf(this.#facts, setup.name, ['disk']).some(({ fromMs, untilMs }) => {
      if (fromMs > dueMs || untilMs < press.atMs - ENTERED_WITHIN_MS) return false;
      const retriedByMs = latestMs(untilMs + RETRIED_WITHIN_MS, untilMs, stalls(this.#facts, agent.name));
      const begun = this.#lives.filter((life) => life.fromMs > untilMs && life.bootId === press.bootId);
      return Math.min(retriedByMs, ...begun.map((life) => this.#enteredByMs(life.fromMs))) >= bootUntilMs;
    });
  }

  get #lives(): Life[] {
    const { guard, agent } = this.#device;
    return [guard, agent].flatMap(({ name }) => this.#facts.livesOf(name));
  }

  /** What buttons have moved, and no guard knows of, although it has lived on. */
  #unnoted(): string[] {
    const { name: machine, inputs } = this.#device.setup;
    return this.#facts.history.edges.flatMap((edge) => {
      const commandId = this.#facts.commandIdOf(edge) ?? '';
      const command = buttonCommandOf(commandId);
      const button = command && buttonOf(inputs, command.numInput);
      if (edge.machine !== machine || !button || this.#isNoted(edge, commandId) || this.#hasDied(edge)) return [];
      return [`button ${button.name} has moved output ${edge.output}, and nobody has noted it (${commandId})`];
    });
  }

  #isNoted({ orderedMs }: Edge, commandId: string): boolean {
    const boot = bootAt(this.#facts, this.#device, orderedMs);
    return this.#presses.some((press) => press.commandId === commandId && press.bootId === boot);
  }

  #hasDied({ machine, output, orderedMs, atMs }: Edge): boolean {
    const facts = this.#facts;
    const life = facts.livesOf(this.#device.guard.name).findLast(({ fromMs }) => fromMs <= orderedMs);
    const held: Span[] = [
      ...stalls(facts, this.#device.guard.name),
      ...boardTroubles(facts, this.#device, output),
      ...troublesOf(facts, machine, ['disk', 'journal']),
    ];
    const { feedbackInput, feedbackMs } = rulesOf(this.#device)[output] ?? { feedbackInput: null, feedbackMs: 0 };
    const notedByMs = atMs + NOTED_WITHIN_MS + (feedbackInput === null ? 0 : feedbackMs);
    return (life?.untilMs ?? Number.POSITIVE_INFINITY) <= latestMs(notedByMs, orderedMs, held);
  }
}

/** With what it had in hand when it ended. */
function troublesOf({ history }: Facts, machine: string, kinds: readonly Trouble['kind'][]): Span[] {
  return history.troubles
    .filter(({ name, kind }) => name === machine && kinds.includes(kind))
    .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + SLOW_WRITE_MS }));
}

function isOf({ by, numOutput, bootId, clockMs }: Settled, entry: HistoryEntry): boolean {
  const isAt = entry.bootId === bootId && entry.bootMs === Math.round(clockMs);
  return isAt && entry.actor === by && entry.numOutput === numOutput;
}

function wordsOf(outcome: string, reason: string | null): string {
  return reason === null ? outcome : `${outcome} (${reason})`;
}
