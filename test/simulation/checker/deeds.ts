/** What a device's history says of its technicians, and the server's audit of that history. */
import type { HistoryEntry } from '@relaygate/shared';
import { type AuditText, writtenAudit } from '../../support/server/audit-chain';
import { SAVE_PATIENCE_MS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import { isTwin } from '../people/faults';
import { type Deed, oldUntilMs } from '../witnesses/on-site-records';
import { problemsOfButtonEntries } from './button-entries';
import type { Facts } from './facts';
import type { Span } from './span';
import { latestMs, SLOW_WRITE_MS, stalls } from './spans';
import type { Violation } from './violation';

/** An entry that a disk has refused is written with the next one, or after so long by the clock of the device. */
const RETRIED_WITHIN_MS = 60_100;
/** By which the clock of a device may be fast. */
const ROUNDING_MS = 1;
/** Who enters what became of a change that was not carried through. */
const AGENT = 'relaygate-agent';
const BY_HAND = 'by hand';

/** Of a system that came right again, and had time to tell. */
export function checkDeeds(facts: Facts): Violation[] {
  const found: Violation[] = [];
  const { texts } = writtenAudit(facts.world.store.file);
  for (const device of facts.devices.filter((one) => !isTwin(one))) {
    const { name, productLogin } = device.setup;
    const audit = texts.filter((text) => text.kind === 'device-history' && text.productLogin === productLogin);
    const entries = device.card.history?.entries ?? [];
    const wipings = facts.wipingsOf(name);
    const last = wipings.at(-1);
    const newFromMs = last ? oldUntilMs(last) : 0;
    const gone = wipings.flatMap((wiping) => wiping.entries);
    const refused = isToBeRetried(facts, device)
      ? entries.slice(device.card.confirmedHistory?.entries.length ?? 0)
      : [];
    const say = (sentence: string): void =>
      void found.push({ invariant: 'history', atMs: facts.endMs, sentence: `${name}: ${sentence}` });
    for (const deed of facts.history.deeds.filter(({ machine, askedMs }) => machine === name && askedMs >= newFromMs))
      if (!isEntered(facts, deed, entries)) say(`${deed.actor} did ${deed.request.type}, and it is not in the history`);
    for (const entry of entries) {
      const untruth = entry.kind === 'button' ? null : untruthIn(facts, name, entry, entries);
      if (untruth !== null) say(untruth);
    }
    for (const sentence of [
      ...differences(entries, audit, { gone, refused }),
      ...unexplained(facts, device),
      ...problemsOfButtonEntries(facts, device, entries),
    ])
      say(sentence);
  }
  return found;
}

/** What was confirmed stands there; of a command only where the disk took it, for no disk holds up a command. */
function isEntered(
  facts: Facts,
  { machine, actor, request, answer, askedMs, answeredMs }: Deed,
  entries: readonly HistoryEntry[],
): boolean {
  if (answer !== 'ok' || answeredMs === null || request.type === 'lock' || request.type === 'unlock') return true;
  if (entries.some((entry) => entry.actor === actor)) return true;
  if (request.type !== 'output') return mayLackEntry(facts, machine, { fromMs: askedMs, untilMs: answeredMs });
  const { numOutput, change } = request;
  // It may have been so already, or somebody else wants the same at the same time.
  const rivals = facts.history.wishes.filter(
    (wish) =>
      wish.machine === machine && wish.numOutput === numOutput && wish.askedMs >= askedMs && wish.askedMs <= answeredMs,
  );
  const before = { fromMs: askedMs, untilMs: rivals.length > 1 ? answeredMs : askedMs - 0.001 };
  const { mode, pulseMs, powerOn } = change;
  const output = { machine, numOutput };
  return (
    (mode === undefined || facts.settings.valuesOf(output, 'mode', before).has(mode)) &&
    (pulseMs === undefined || facts.settings.valuesOf(output, 'pulseMs', before).has(pulseMs)) &&
    (powerOn === undefined || facts.settings.valuesOf(output, 'powerOn', before).has(powerOn))
  );
}

/** Null: somebody did this here, once, and it became what the entry says. */
function untruthIn(
  facts: Facts,
  machine: string,
  entry: HistoryEntry,
  entries: readonly HistoryEntry[],
): string | null {
  const { seq, actor, kind, numOutput, outcome, about } = entry;
  if (actor === AGENT) {
    if (about === undefined || !entries.some((other) => other.seq === about)) return `entry ${seq} is about nothing`;
    const robbed =
      kind === 'not-in-file' ? entries.find((other) => isConfirmed(facts, machine, other, entry)) : undefined;
    return robbed
      ? `${robbed.actor} was told that ${robbed.kind} is done, and it is not in the file (entry ${seq})`
      : null;
  }
  if (actor === BY_HAND) return `entry ${seq} is an edit by hand, and nobody edits here`;
  const deed = facts.history.deeds.find((one) => one.machine === machine && one.actor === actor);
  const { request } = deed ?? {};
  const isHis = request !== undefined && kindsOf(request).includes(kind) && numOutput === outputOf(request);
  if (!isHis) return `the history has ${kind} by ${actor}, which nobody did`;
  if (facts.isWipedBetween(machine, deed?.answeredMs ?? facts.endMs, facts.endMs))
    return `the history has ${kind} by ${actor}, who did it before the factory reset`;
  if (entries.some((other) => other.actor === actor && other.seq < seq))
    return `${kind} by ${actor} is twice in the history`;
  const order = facts.orders.findLast((one) => one.machine === machine && one.by === actor);
  // What was ignored is executed to the guard.
  const said = outcome === 'ignored' ? 'executed' : outcome;
  const isDone = numOutput !== undefined && (said === 'executed' || said === 'already-set');
  if (isDone && order?.verdict?.outcome !== said)
    return `the history calls ${kind} by ${actor} ${outcome}, and the guard said ${order?.verdict?.outcome ?? 'nothing'}`;
  return null;
}

/** One of those that `about` is about, and whoever did it was told that it is done. */
function isConfirmed(facts: Facts, machine: string, { seq, actor }: HistoryEntry, about: HistoryEntry): boolean {
  const [first, last] = [about.about ?? 0, about.aboutLast ?? about.about ?? 0];
  if (seq < first || seq > last) return false;
  return facts.history.deeds.some((deed) => deed.machine === machine && deed.actor === actor && deed.answer === 'ok');
}

/** "Off" ends the pulse of an impulse output. */
function kindsOf(request: Deed['request']): string[] {
  if (request.type === 'set') return request.state === 1 ? ['set-on'] : ['set-off', 'stop'];
  if (request.type === 'new-pin') return ['pin'];
  return [request.type === 'prove' ? 'proof' : request.type];
}

function outputOf(request: Deed['request']): number | undefined {
  return 'numOutput' in request ? request.numOutput : undefined;
}

/** The disk was in trouble then; or it was before, and whoever asked has waited for what it had in hand. */
function mayLackEntry(facts: Facts, machine: string, span: Span): boolean {
  const { fromMs, untilMs } = span;
  return facts.hasTrouble(machine, ['disk'], fromMs - (hasWaited(span) ? SLOW_WRITE_MS : 0), untilMs);
}

/** For the disk, until that was given up. */
function hasWaited({ fromMs, untilMs }: Span): boolean {
  return untilMs - fromMs > SAVE_PATIENCE_MS - ROUNDING_MS;
}

/**
 * Each entry stands in the audit once, in its order, and nothing else does but what a factory reset has wiped. What a refused write
 * has left of itself is told once it is written again.
 */
function differences(
  entries: readonly HistoryEntry[],
  audit: readonly AuditText[],
  { gone, refused }: { gone: readonly HistoryEntry[]; refused: readonly HistoryEntry[] },
): string[] {
  const own = entries.map(keyOf);
  const wiped = new Set(gone.map(keyOf));
  const audited = audit
    .map(({ details: { deviceSeq, actor, did, numOutput, outcome, bootMs } = {} }) =>
      JSON.stringify([deviceSeq, actor, did, numOutput ?? null, outcome ?? null, bootMs]),
    )
    .filter((entry) => !wiped.has(entry));
  const known = new Set(own);
  const kept = new Set(audited);
  const unwritten = new Set(refused.map(keyOf));
  const found = [
    ...own.filter((entry) => !kept.has(entry) && !unwritten.has(entry)).map((entry) => `${entry} is not in the audit`),
    ...audited.filter((entry) => !known.has(entry)).map((entry) => `${entry} is in the audit and in no history`),
    ...audited.filter((entry, n) => audited.indexOf(entry) < n).map((entry) => `${entry} is twice in the audit`),
  ];
  if (found.length > 0) return found;
  const shared = own.filter((entry) => kept.has(entry));
  return shared.some((entry, n) => entry !== audited[n]) ? ['its history is out of order in the audit'] : [];
}

function keyOf({ seq, actor, kind, numOutput, outcome, bootMs }: HistoryEntry): string {
  return JSON.stringify([seq, actor, kind, numOutput ?? null, outcome ?? null, bootMs]);
}

/** What the entries make of the settings is what stands in their file. */
function unexplained(facts: Facts, device: Device): string[] {
  const { card, historyWrittenMs, historyRefusedMs } = device;
  // A new history has not come into being: its disk refused the first line of it.
  if (!card.history && historyRefusedMs > historyWrittenMs && isToBeRetried(facts, device)) return [];
  const { facts: entered = new Map() } = card.history ?? {};
  const { settings } = card;
  const members = settings ? new Set([...settings.keys(), ...entered.keys()]) : [];
  return [...members].flatMap((member) =>
    entered.get(member) === settings?.get(member) || isToBeTakenBack(facts, device, member)
      ? []
      : [`its history has ${entered.get(member)} for ${member}, and its settings have ${settings?.get(member)}`],
  );
}

/** What its disk has refused of the history is not due yet. An agent that hangs tries later. */
function isToBeRetried(facts: Facts, { agent, historyRefusedMs }: Device): boolean {
  return facts.endMs <= latestMs(historyRefusedMs + RETRIED_WITHIN_MS, historyRefusedMs, stalls(facts, agent.name));
}

/**
 * The disk refused the entry of this very change, or the one that takes it back; nothing has been written there since but what it had
 * in hand when it was given up.
 */
function isToBeTakenBack(facts: Facts, device: Device, member: string): boolean {
  const { setup, historyWrittenMs, historyRefusedMs } = device;
  return (
    isToBeRetried(facts, device) &&
    facts.history.deeds.some(({ machine, request, askedMs: fromMs, answeredMs }) => {
      const untilMs = answeredMs ?? facts.endMs;
      return (
        machine === setup.name &&
        changesOf(request, member) &&
        historyRefusedMs >= Math.max(fromMs, historyWrittenMs) &&
        historyWrittenMs <= untilMs + (hasWaited({ fromMs, untilMs }) ? SLOW_WRITE_MS : 0)
      );
    })
  );
}

/** Whether it may change that; a proof corrects the polarity of any output. */
function changesOf(request: Deed['request'], member: string): boolean {
  if (request.type === 'prove') return member.endsWith('.activeLevel');
  return request.type === 'output' && member.startsWith(`outputs.${request.numOutput}.`);
}
