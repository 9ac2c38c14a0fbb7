/** The agent's answers as lines for a terminal of 80 columns. */
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import { known } from '../../../locales/common';
import type { ConsoleTranslations } from '../../../locales/console';
import type { DeviceStatus, IdentityReply, ShownCommand } from '../local-messages/device';
import type { Diagnosis, Finding } from '../local-messages/doctor';
import type { LoggedEvent } from '../local-messages/log';
import type { WebStatus } from '../local-messages/web';
import { cell } from './console-page';

const LABEL_COLUMNS = 13;
const NAME_COLUMNS = 28;
/** Fewer columns for an input's name, because kinds have longer names than modes. */
const INPUT_NAME_COLUMNS = 20;
const STATE_COLUMNS = 9;
const EVENT_COLUMNS = 8;
/** A shorter remaining time of a pulse is shown in milliseconds. */
const SHORT_LEFT_MS = 10_000;

export function statusLines(t: ConsoleTranslations, status: DeviceStatus): string[] {
  return [
    labelled(t.labels.product, status.productLogin),
    ...connectionLines(t, status),
    '',
    ...status.outputs.flatMap((output) => outputLines(t, output)),
    '',
    ...inputLines(t, status.inputs ?? []),
    ...lastCommandLines(t, status.lastCommands),
    ...faultLines(t, status.faults),
  ];
}

export function identityLines(t: ConsoleTranslations, identity: IdentityReply, status: DeviceStatus): string[] {
  const { labels } = t;
  return [
    labelled(labels.product, identity.productLogin),
    labelled(labels.server, `${identity.serverUrl} (${identity.serverName})`),
    labelled(labels.key, identity.fingerprint),
    labelled(labels.certificate, identity.webFingerprint ?? t.noCertificate),
    labelled(labels.enrolment, identity.hasEnrolmentCode ? t.codeWaits : t.noCode),
    ...connectionLines(t, status),
    ...faultLines(t, status.faults),
  ];
}

/** `passphrase`: of a Wi-Fi that was just begun. */
export function webLines(t: ConsoleTranslations, status: WebStatus, passphrase: string | null = null): string[] {
  const { labels } = t;
  const { isOn, leftMs, urls, fingerprint, hotspotSsid } = status;
  if (!isOn) return [labelled(labels.page, t.pageOff)];
  return [
    labelled(labels.page, t.pageOn(Math.ceil((leftMs ?? 0) / 1000))),
    ...urls.map((url) => labelled('', url)),
    labelled(labels.certificate, fingerprint ?? '-'),
    ...(hotspotSsid === null ? [] : [labelled(labels.wifi, hotspotSsid)]),
    ...(passphrase === null ? [] : [labelled(labels.passphrase, passphrase)]),
    t.pageHint,
  ];
}

export function historyLines(t: ConsoleTranslations, entries: readonly HistoryEntry[]): string[] {
  return entries.length === 0 ? [t.noHistory] : entries.flatMap((entry) => entryLines(t, entry));
}

export function logLines(t: ConsoleTranslations, events: readonly LoggedEvent[]): string[] {
  if (events.length === 0) return [t.noEvents];
  return events.map(({ at, sinceBootMs, kind, text }) => {
    const when = at === null ? t.afterBoot(Math.round(sinceBootMs / 1000)) : at.slice(0, 19).replace('T', ' ');
    return `${when}  ${cell(t.eventKind(kind), EVENT_COLUMNS)}  ${text}`;
  });
}

export function diagnosisLines(
  { verdicts, so, cure: doThis, tally }: ConsoleTranslations,
  { findings }: Diagnosis,
): string[] {
  const lines = findings.flatMap(({ name, verdict, found, means, cure }) => [
    `${name}: ${verdicts[verdict]}. ${found}`,
    ...(means === '' ? [] : [`    ${so} ${means}`]),
    ...(cure === '' ? [] : [`    ${doThis} ${cure}`]),
  ]);
  const count = (one: Finding['verdict']): number => findings.filter(({ verdict }) => verdict === one).length;
  return [...lines, tally(count('ok'), count('warn'), count('fail'))];
}

/** One line, and one or two more if the output is locked. */
export function outputLines(t: ConsoleTranslations, output: DeviceStatus['outputs'][number]): string[] {
  const { numOutput, name, mode, pulseMs, state, lock } = output;
  const stateWord = state === null ? t.states.unknown : state === 1 ? t.states.on : t.states.off;
  const what = mode === 'impulse' ? `${t.choices.mode.impulse} ${pulseMs} ms` : t.choices.mode[mode];
  const notes = notesOf(t, output);
  const columns = [String(numOutput).padStart(2), cell(name, NAME_COLUMNS), cell(stateWord, STATE_COLUMNS), what];
  return [
    columns.join('  ') + (notes.length > 0 ? ` (${notes.join(', ')})` : ''),
    ...(lock ? [`    ${t.lockedBy(t.duration(lock.leftMs), lock.by)}`] : []),
    ...(lock?.isUnsaved ? [`    ${t.lockUnsaved}`] : []),
  ];
}

function notesOf(
  { notes, pulseLeft, duration }: ConsoleTranslations,
  output: DeviceStatus['outputs'][number],
): string[] {
  const { state, unproven, confirmedBy, endedBy, pulseLeftMs } = output;
  return [
    ...(pulseLeftMs === undefined
      ? []
      : [pulseLeft(pulseLeftMs < SHORT_LEFT_MS ? `${pulseLeftMs} ms` : duration(pulseLeftMs))]),
    ...(unproven ? [notes.unproven] : []),
    ...(state !== null && confirmedBy ? [notes.asWritten] : []),
    ...(state === 0 && endedBy ? [`${notes.byPolicy} ${endedBy}`] : []),
  ];
}

function inputLines(t: ConsoleTranslations, inputs: NonNullable<DeviceStatus['inputs']>): string[] {
  const lines = inputs.map(({ numInput, name, kind, state, forMs }) => {
    const what = t.inputKinds[kind] + (forMs === undefined ? '' : `, ${t.forSoLong(t.duration(forMs))}`);
    const stateWord = cell(t.inputStates[state ?? 'unknown'], STATE_COLUMNS);
    return [String(numInput).padStart(2), cell(name, INPUT_NAME_COLUMNS), stateWord, what].join('  ');
  });
  return lines.length === 0 ? [] : [t.inputs, ...lines, ''];
}

/** The newest first. */
function lastCommandLines(t: ConsoleTranslations, commands: readonly ShownCommand[]): string[] {
  if (commands.length === 0) return [];
  return [t.lastCommands, ...[...commands].reverse().map((command) => commandLine(t, command)), ''];
}

function commandLine(
  t: ConsoleTranslations,
  { numOutput, words: asTyped, by, outcome, reason, agoMs }: ShownCommand,
): string {
  // "set 0 on", "toggle 0", "pulse 0" or "stop 0".
  const [action = '', , state] = asTyped.split(' ');
  const what = inWords({ ...t.kinds, toggle: t.toggle }, state === undefined ? action : `${action}-${state}`);
  const became = inWords(t.outcomes, outcome) + (reason === undefined ? '' : ` (${t.reason(reason)})`);
  return `${what} ${numOutput}: ${became}, ${t.agoBy(t.duration(agoMs), by)}`;
}

function connectionLines(t: ConsoleTranslations, { link, guard }: DeviceStatus): string[] {
  return [
    labelled(t.labels.link, link.isUp ? t.linkUp : t.linkDown(link.problem ?? '-')),
    labelled(t.labels.relays, guard.isReachable ? t.guardRuns : t.guardAway(guard.problem ?? '-')),
  ];
}

function faultLines(t: ConsoleTranslations, faults: DeviceStatus['faults']): string[] {
  return faults.length === 0 ? [t.noFaults] : [t.faults, ...faults.map(({ text }) => `- ${text}`)];
}

function labelled(label: string, value: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}${value}`;
}

function entryLines(t: ConsoleTranslations, entry: HistoryEntry): string[] {
  const { actor, kind, numOutput, forMs, outcome, reason, changes } = entry;
  const what = [inWords(t.kinds, kind), ...(numOutput === undefined ? [] : [String(numOutput)])].join(' ');
  const forHowLong = forMs === undefined ? undefined : t.lockedFor(t.duration(forMs));
  const why = reason === undefined ? undefined : t.reason(reason);
  const became = [forHowLong, outcome === undefined ? undefined : inWords(t.outcomes, outcome), why];
  const text = [what, became.filter((word) => word !== undefined).join(', ')].filter((word) => word !== '').join(': ');
  return [`${whenOf(t, entry)}  ${actor}  ${text}`, ...changes.map((change) => changeLine(t, change))];
}

/** The PIN's change shows ids, which say nothing to people. */
function changeLine(t: ConsoleTranslations, { member, from, to }: HistoryChange): string {
  const short = member.replace(/^outputs\.\d+\./, '');
  if (member === 'pin.id') return '    PIN: ***';
  return `    ${short}: ${from ?? t.none} -> ${to ?? t.none}`;
}

function whenOf(t: ConsoleTranslations, { atMs, bootMs }: HistoryEntry): string {
  if (atMs === null) return t.afterBoot(Math.round(bootMs / 1000));
  return new Date(atMs)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, 'Z')
    .replace('T', ' ');
}

function inWords(words: Readonly<Record<string, string>>, word: string): string {
  return known(words, word) ?? word;
}
