/** `relayctl status` as one screen: 80 columns, and 24 lines with four outputs. Readable without colour. */
import type { CompleteOutput } from '@relaygate/shared/device';
import type { DeviceStatus, OutputStatus, ShownCommand } from '../agent/technician/local-messages/device';
import type { RelayctlTranslations } from '../locales/relayctl';
import { table } from './show';

const COLUMNS = 80;
const LINES = 24;
const LABEL_COLUMNS = 7;
const NAME_COLUMNS = 20;
const CUT = '...';

export function showStatus(status: DeviceStatus, t: RelayctlTranslations): string {
  const { link, guard, outputs, faults } = status;
  const label = (name: keyof RelayctlTranslations['status'], value: string): string =>
    `${t.status[name].padEnd(LABEL_COLUMNS)}  ${value}`;
  const rows = outputs.map((output) => [
    String(output.numOutput),
    stateOf(output, t),
    t.choices.mode[output.mode],
    output.mode === 'impulse' ? `${output.pulseMs} ms${output.pulseEndedBy ? ` ${t.ofBoard}` : ''}` : '-',
    cut(output.name, NAME_COLUMNS),
    policiesOf(output, t).join(', ') || '-',
  ]);
  const inputRows = (status.inputs ?? []).map(({ numInput, state, kind, name, forMs }) => [
    String(numInput),
    `${t.inputStates[state ?? 'unknown']}${forMs === undefined ? '' : `, ${t.forSoLong(t.duration(forMs))}`}`,
    t.inputKinds[kind],
    cut(name, NAME_COLUMNS),
  ]);
  const commands = [...status.lastCommands].reverse().map((command) => commandRow(command, t));
  const lines = [
    label('product', status.productLogin),
    label('link', `${link.serverUrl} ${link.isUp ? t.linkUp(link.epoch) : t.linkDown(link.problem)}`),
    label('guard', guard.isReachable ? t.status.runs : t.guardAway(guard.problem)),
    ...(status.webLeftMs === null ? [] : [label('page', t.pageOn(t.duration(status.webLeftMs)))]),
    ...outputs.flatMap(({ numOutput, lock }) =>
      lock ? [label('locked', t.lockOf(numOutput, t.duration(lock.leftMs), lock.isUnsaved === true, lock.by))] : [],
    ),
    '',
    ...table([t.columns, ...rows]),
    ...(inputRows.length > 0 ? ['', ...table([t.inputColumns, ...inputRows])] : []),
    ...(commands.length > 0 ? ['', t.lastCommands, ...table(commands)] : []),
  ].map((line) => cut(line, COLUMNS));
  const texts = faults.map(({ text }) => text);
  return [...lines, ...faultLines(texts, LINES - lines.length, t)].join('\n');
}

/** At least one line; faults without room are counted. */
function faultLines(faults: readonly string[], room: number, t: RelayctlTranslations): string[] {
  if (faults.length === 0) return [];
  const whole = faults.flatMap((fault) =>
    wrapped(fault, COLUMNS - 2).map((line, n) => `${n === 0 ? '- ' : '  '}${line}`),
  );
  if (whole.length + 2 <= room) return ['', t.faults, ...whole];
  // Then each fault gets one line, and those without room are only counted.
  const short = faults.map((fault) => cut(`- ${fault}`, COLUMNS));
  const shown = Math.max(1, room - 2);
  if (short.length <= shown) return [t.faults, ...short];
  return [t.faultsIn(faults.length), ...short.slice(0, shown)];
}

function stateOf(output: OutputStatus, t: RelayctlTranslations): string {
  const { state, unproven, confirmedBy, endedBy, pulseLeftMs, lock } = output;
  const { states, notes: note, pulseLeft, duration } = t;
  const word = state === null ? states.unknown : state === 1 ? states.on : states.off;
  const left =
    pulseLeftMs === undefined
      ? ''
      : `, ${pulseLeft(pulseLeftMs < 10_000 ? `${pulseLeftMs} ms` : duration(pulseLeftMs))}`;
  const notes = [
    ...(unproven ? [note.unproven] : []),
    ...(state !== null && confirmedBy ? [note.asWritten] : []),
    ...(state === 0 && endedBy ? [`${note.by} ${endedBy}`] : []),
    ...(lock ? [note.locked] : []),
  ];
  return `${word}${left}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

function commandRow({ words: asTyped, by, outcome, reason, agoMs }: ShownCommand, t: RelayctlTranslations): string[] {
  const became = t.outcome(outcome);
  const result = reason === undefined ? became : `${became} (${t.reason(reason)})`;
  return [asTyped, result, t.ago(t.duration(agoMs)), by === null ? '' : t.by(by)];
}

function cut(text: string, columns: number): string {
  const letters = [...text];
  return letters.length <= columns ? text : `${letters.slice(0, columns - CUT.length).join('')}${CUT}`;
}

/** Breaks at spaces; a word that is longer than a line is broken. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && [...last].length + 1 + [...word].length <= columns)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines.flatMap((line) => chunks([...line], columns));
}

function chunks(letters: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (let at = 0; at < letters.length; at += columns) lines.push(letters.slice(at, at + columns).join(''));
  return lines;
}

/** The policies that do something, in few words. */
function policiesOf(output: CompleteOutput, t: RelayctlTranslations): string[] {
  const { mode, maxOnMs, minSwitchIntervalMs, interlock, interlockDelayMs } = output;
  const isOnOff = mode === 'on-off';
  return [
    ...(!isOnOff && output.retrigger === 'extend' ? ['extend'] : []),
    ...(isOnOff && maxOnMs > 0 ? [`max-on ${maxOnMs} ms`] : []),
    ...(minSwitchIntervalMs > 0 ? [`min-switch-interval ${minSwitchIntervalMs} ms`] : []),
    ...(interlock === null ? [] : [`interlock ${interlock} ${interlockDelayMs} ms`]),
    ...(isOnOff && output.onLinkLoss === 'off' ? [`${t.withoutLink} ${output.linkLossMs} ms`] : []),
    ...(isOnOff && output.onAgentLoss === 'off' ? [`${t.withoutAgent} ${output.agentLossMs} ms`] : []),
    ...(output.feedbackInput === null ? [] : [`feedback ${output.feedbackInput} ${output.feedbackMs} ms`]),
  ];
}
