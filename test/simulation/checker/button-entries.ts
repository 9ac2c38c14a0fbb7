/** What a device's history says of its buttons: each press that is through once, as it was, and no other. */
import type { HistoryEntry } from '@relaygate/shared';
import { KEPT_COMMANDS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import type { Settled } from '../witnesses/history';
import { buttonCommandOf, buttonOf } from '../witnesses/presses';
import type { Facts } from './facts';
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
    const last = presses.findLast((press) => !this.#unentered.has(press));
    const forgotten = unentered.filter((press) => this.#mayBeForgotten(press));
    const excused = unentered.filter((press) => (!last || press.clockMs > last.clockMs) && this.#isExcused(press));
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

  /** The power went before it could be entered, its guard died and had not written it down, or the disk has yet to take it. */
  #isExcused(press: Settled): boolean {
    const facts = this.#facts;
    const { setup, guard, agent } = this.#device;
    const lives = [...facts.livesOf(guard.name), ...facts.livesOf(agent.name)];
    const ends = lives.filter(({ bootId }) => bootId === press.bootId).map(({ untilMs }) => untilMs ?? facts.endMs);
    const bootUntilMs = Math.max(...ends);
    const disks = diskTroubles(facts, setup.name);
    const gaps = [...guardGaps(facts, this.#device), ...gapsOf(facts, agent.name), ...disks];
    const late = gaps.map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + ENTERED_WITHIN_MS }));
    const dueMs = latestMs(press.atMs + ENTERED_WITHIN_MS, press.atMs, late);
    if (dueMs >= bootUntilMs || (!press.isWritten && this.#isGoneBy(press, dueMs))) return true;
    const refused = disks.filter(({ fromMs, untilMs }) => fromMs <= dueMs && untilMs >= press.atMs - ENTERED_WITHIN_MS);
    return refused.some(
      ({ untilMs }) => latestMs(untilMs + RETRIED_WITHIN_MS, untilMs, stalls(facts, agent.name)) >= bootUntilMs,
    );
  }

  /** The guard that knew of it, and the agent that it told, were not there any more by then. */
  #isGoneBy({ atMs }: Settled, dueMs: number): boolean {
    const { guard, agent } = this.#device;
    return [guard, agent].every(({ name }) =>
      this.#facts
        .livesOf(name)
        .some(({ fromMs, untilMs }) => fromMs <= atMs && untilMs !== null && untilMs >= atMs && untilMs <= dueMs),
    );
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
      ...diskTroubles(facts, machine),
    ];
    return (life?.untilMs ?? Number.POSITIVE_INFINITY) <= latestMs(atMs + NOTED_WITHIN_MS, orderedMs, held);
  }
}

function diskTroubles({ history }: Facts, machine: string): Span[] {
  return history.troubles
    .filter(({ name, kind }) => name === machine && (kind === 'disk' || kind === 'journal'))
    .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + SLOW_WRITE_MS }));
}

function isOf({ by, numOutput, bootId, clockMs }: Settled, entry: HistoryEntry): boolean {
  const isAt = entry.bootId === bootId && entry.bootMs === Math.round(clockMs);
  return isAt && entry.actor === by && entry.numOutput === numOutput;
}

function wordsOf(outcome: string, reason: string | null): string {
  return reason === null ? outcome : `${outcome} (${reason})`;
}
