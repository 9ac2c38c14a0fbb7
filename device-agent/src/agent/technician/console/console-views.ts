/** The agent's answers as lines for a terminal of 80 columns. */
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import { known } from '../../../locales/common';
import type { Words } from '../../../locales/console';
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

export function statusLines(words: Words, status: DeviceStatus): string[] {
  return [
    labelled(words.labels.product, status.productLogin),
    ...connectionLines(words, status),
    '',
    ...status.outputs.flatMap((output) => outputLines(words, output)),
    '',
    ...inputLines(words, status.inputs ?? []),
    ...lastCommandLines(words, status.lastCommands),
    ...faultLines(words, status.faults),
  ];
}

export function identityLines(words: Words, identity: IdentityReply, status: DeviceStatus): string[] {
  const { labels } = words;
  return [
    labelled(labels.product, identity.productLogin),
    labelled(labels.server, `${identity.serverUrl} (${identity.serverName})`),
    labelled(labels.key, identity.fingerprint),
    labelled(labels.certificate, identity.webFingerprint ?? words.noCertificate),
    labelled(labels.enrolment, identity.hasEnrolmentCode ? words.codeWaits : words.noCode),
    ...connectionLines(words, status),
    ...faultLines(words, status.faults),
  ];
}

/** `passphrase`: of a Wi-Fi that was just begun. */
export function webLines(words: Words, status: WebStatus, passphrase: string | null = null): string[] {
  const { labels } = words;
  const { isOn, leftMs, urls, fingerprint, hotspotSsid } = status;
  if (!isOn) return [labelled(labels.page, words.pageOff)];
  return [
    labelled(labels.page, words.pageOn(Math.ceil((leftMs ?? 0) / 1000))),
    ...urls.map((url) => labelled('', url)),
    labelled(labels.certificate, fingerprint ?? '-'),
    ...(hotspotSsid === null ? [] : [labelled(labels.wifi, hotspotSsid)]),
    ...(passphrase === null ? [] : [labelled(labels.passphrase, passphrase)]),
    words.pageHint,
  ];
}

export function historyLines(words: Words, entries: readonly HistoryEntry[]): string[] {
  return entries.length === 0 ? [words.noHistory] : entries.flatMap((entry) => entryLines(words, entry));
}

export function logLines(words: Words, events: readonly LoggedEvent[]): string[] {
  if (events.length === 0) return [words.noEvents];
  return events.map(({ at, sinceBootMs, kind, text }) => {
    const when = at === null ? words.afterBoot(Math.round(sinceBootMs / 1000)) : at.slice(0, 19).replace('T', ' ');
    return `${when}  ${cell(words.eventKind(kind), EVENT_COLUMNS)}  ${text}`;
  });
}

export function diagnosisLines({ verdicts, so, cure: doThis, tally }: Words, { findings }: Diagnosis): string[] {
  const lines = findings.flatMap(({ name, verdict, found, means, cure }) => [
    `${name}: ${verdicts[verdict]}. ${found}`,
    ...(means === '' ? [] : [`    ${so} ${means}`]),
    ...(cure === '' ? [] : [`    ${doThis} ${cure}`]),
  ]);
  const count = (one: Finding['verdict']): number => findings.filter(({ verdict }) => verdict === one).length;
  return [...lines, tally(count('ok'), count('warn'), count('fail'))];
}

/** One line, and one or two more if the output is locked. */
export function outputLines(words: Words, output: DeviceStatus['outputs'][number]): string[] {
  const { numOutput, name, mode, pulseMs, state, lock } = output;
  const stateWord = state === null ? words.states.unknown : state === 1 ? words.states.on : words.states.off;
  const what = mode === 'impulse' ? `${words.choices.mode.impulse} ${pulseMs} ms` : words.choices.mode[mode];
  const notes = notesOf(words, output);
  const columns = [String(numOutput).padStart(2), cell(name, NAME_COLUMNS), cell(stateWord, STATE_COLUMNS), what];
  return [
    columns.join('  ') + (notes.length > 0 ? ` (${notes.join(', ')})` : ''),
    ...(lock ? [`    ${words.lockedBy(words.duration(lock.leftMs), lock.by)}`] : []),
    ...(lock?.isUnsaved ? [`    ${words.lockUnsaved}`] : []),
  ];
}

function notesOf({ notes, pulseLeft, duration }: Words, output: DeviceStatus['outputs'][number]): string[] {
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

function inputLines(words: Words, inputs: NonNullable<DeviceStatus['inputs']>): string[] {
  const lines = inputs.map(({ numInput, name, kind, state, forMs }) => {
    const what = words.inputKinds[kind] + (forMs === undefined ? '' : `, ${words.forSoLong(words.duration(forMs))}`);
    const stateWord = cell(words.inputStates[state ?? 'unknown'], STATE_COLUMNS);
    return [String(numInput).padStart(2), cell(name, INPUT_NAME_COLUMNS), stateWord, what].join('  ');
  });
  return lines.length === 0 ? [] : [words.inputs, ...lines, ''];
}

/** The newest first. */
function lastCommandLines(words: Words, commands: readonly ShownCommand[]): string[] {
  if (commands.length === 0) return [];
  return [words.lastCommands, ...[...commands].reverse().map((command) => commandLine(words, command)), ''];
}

function commandLine(words: Words, { numOutput, words: asTyped, by, outcome, reason, agoMs }: ShownCommand): string {
  // "set 0 on", "toggle 0", "pulse 0" or "stop 0".
  const [action = '', , state] = asTyped.split(' ');
  const what = inWords({ ...words.kinds, toggle: words.toggle }, state === undefined ? action : `${action}-${state}`);
  const became = inWords(words.outcomes, outcome) + (reason === undefined ? '' : ` (${words.reason(reason)})`);
  return `${what} ${numOutput}: ${became}, ${words.agoBy(words.duration(agoMs), by)}`;
}

function connectionLines(words: Words, { link, guard }: DeviceStatus): string[] {
  return [
    labelled(words.labels.link, link.isUp ? words.linkUp : words.linkDown(link.problem ?? '-')),
    labelled(words.labels.relays, guard.isReachable ? words.guardRuns : words.guardAway(guard.problem ?? '-')),
  ];
}

function faultLines(words: Words, faults: DeviceStatus['faults']): string[] {
  return faults.length === 0 ? [words.noFaults] : [words.faults, ...faults.map(({ text }) => `- ${text}`)];
}

function labelled(label: string, value: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}${value}`;
}

function entryLines(words: Words, entry: HistoryEntry): string[] {
  const { actor, kind, numOutput, forMs, outcome, reason, changes } = entry;
  const what = [inWords(words.kinds, kind), ...(numOutput === undefined ? [] : [String(numOutput)])].join(' ');
  const forHowLong = forMs === undefined ? undefined : words.lockedFor(words.duration(forMs));
  const why = reason === undefined ? undefined : words.reason(reason);
  const became = [forHowLong, outcome === undefined ? undefined : inWords(words.outcomes, outcome), why];
  const text = [what, became.filter((word) => word !== undefined).join(', ')].filter((word) => word !== '').join(': ');
  return [`${whenOf(words, entry)}  ${actor}  ${text}`, ...changes.map((change) => changeLine(words, change))];
}

/** The PIN's change shows ids, which say nothing to people. */
function changeLine(words: Words, { member, from, to }: HistoryChange): string {
  const short = member.replace(/^outputs\.\d+\./, '');
  if (member === 'pin.id') return '    PIN: ***';
  return `    ${short}: ${from ?? words.none} -> ${to ?? words.none}`;
}

function whenOf(words: Words, { atMs, bootMs }: HistoryEntry): string {
  if (atMs === null) return words.afterBoot(Math.round(bootMs / 1000));
  return new Date(atMs)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, 'Z')
    .replace('T', ' ');
}

function inWords(words: Readonly<Record<string, string>>, word: string): string {
  return known(words, word) ?? word;
}
