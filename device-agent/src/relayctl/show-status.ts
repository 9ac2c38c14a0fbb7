/** `relayctl status` as one screen: 80 columns, and 24 lines with four outputs. Readable without colour. */
import type { CompleteOutput } from '@relaygate/shared/device';
import type { DeviceStatus, OutputStatus, ShownCommand } from '../agent/technician/local-messages/device';
import { durationWords } from '../runtime/duration';
import { table } from './show';

const COLUMNS = 80;
const LINES = 24;
const NAME_COLUMNS = 20;
const CUT = '...';

export function showStatus(status: DeviceStatus): string {
  const { link, guard, outputs, faults } = status;
  const linkWords = link.isUp ? `up (epoch ${link.epoch})` : `down: ${link.problem}`;
  const rows = outputs.map((output) => [
    String(output.numOutput),
    stateOf(output),
    output.mode,
    output.mode === 'impulse' ? `${output.pulseMs} ms${output.pulseEndedBy ? ' (by the board)' : ''}` : '-',
    cut(output.name, NAME_COLUMNS),
    policiesOf(output).join(', ') || '-',
  ]);
  const commands = [...status.lastCommands].reverse().map(commandRow);
  const lines = [
    `product  ${status.productLogin}`,
    `link     ${link.serverUrl} ${linkWords}`,
    `guard    ${guard.isReachable ? 'running' : `away: ${guard.problem}`}`,
    ...(status.webLeftMs === null ? [] : [`page     on for ${durationWords(status.webLeftMs)}`]),
    ...outputs.flatMap(lockLine),
    '',
    ...table([['output', 'state', 'mode', 'pulse', 'name', 'policies'], ...rows]),
    ...(commands.length > 0 ? ['', 'last commands', ...table(commands)] : []),
  ].map((line) => cut(line, COLUMNS));
  const texts = faults.map(({ text }) => text);
  return [...lines, ...faultLines(texts, LINES - lines.length)].join('\n');
}

/** One line at least; what has no room is counted. */
function faultLines(faults: readonly string[], room: number): string[] {
  if (faults.length === 0) return [];
  const whole = faults.flatMap((fault) =>
    wrapped(fault, COLUMNS - 2).map((line, n) => `${n === 0 ? '- ' : '  '}${line}`),
  );
  if (whole.length + 2 <= room) return ['', 'faults', ...whole];
  // Each in one line then, and those that have none are only counted.
  const short = faults.map((fault) => cut(`- ${fault}`, COLUMNS));
  const shown = Math.max(1, room - 2);
  if (short.length <= shown) return ['faults', ...short];
  return [`faults: ${faults.length}, all of them with --json`, ...short.slice(0, shown)];
}

function lockLine({ numOutput, lock }: OutputStatus): string[] {
  if (!lock) return [];
  const { leftMs, by, isUnsaved } = lock;
  return [`locked   output ${numOutput} for ${durationWords(leftMs)}${isUnsaved ? ' (not saved)' : ''} by ${by}`];
}

function stateOf({ state, unproven, confirmedBy, endedBy, pulseLeftMs, lock }: OutputStatus): string {
  const word = state === null ? 'unknown' : state === 1 ? 'on' : 'off';
  const left =
    pulseLeftMs === undefined
      ? ''
      : `, ${pulseLeftMs < 10_000 ? `${pulseLeftMs} ms` : durationWords(pulseLeftMs)} left`;
  const notes = [
    ...(unproven ? ['unproven'] : []),
    ...(state !== null && confirmedBy ? ['as written'] : []),
    ...(state === 0 && endedBy ? [`by ${endedBy}`] : []),
    ...(lock ? ['locked'] : []),
  ];
  return `${word}${left}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

function commandRow({ words, by, outcome, reason, agoMs }: ShownCommand): string[] {
  const result = reason === undefined ? outcome : `${outcome} (${reason})`;
  return [words, result, `${durationWords(agoMs)} ago`, by === null ? '' : `by ${by}`];
}

function cut(text: string, columns: number): string {
  const letters = [...text];
  return letters.length <= columns ? text : `${letters.slice(0, columns - CUT.length).join('')}${CUT}`;
}

/** At spaces; a word that is longer than a line is broken. */
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

/** Those that do something, in few words. */
function policiesOf(output: CompleteOutput): string[] {
  const { mode, maxOnMs, minSwitchIntervalMs, interlock, interlockDelayMs } = output;
  const isOnOff = mode === 'on-off';
  return [
    ...(!isOnOff && output.retrigger === 'extend' ? ['extend'] : []),
    ...(isOnOff && maxOnMs > 0 ? [`max-on ${maxOnMs} ms`] : []),
    ...(minSwitchIntervalMs > 0 ? [`min-switch-interval ${minSwitchIntervalMs} ms`] : []),
    ...(interlock === null ? [] : [`interlock ${interlock} ${interlockDelayMs} ms`]),
    ...(isOnOff && output.onLinkLoss === 'off' ? [`off without link ${output.linkLossMs} ms`] : []),
    ...(isOnOff && output.onAgentLoss === 'off' ? [`off without agent ${output.agentLossMs} ms`] : []),
    ...(output.feedbackInput === null ? [] : [`feedback ${output.feedbackInput} ${output.feedbackMs} ms`]),
  ];
}
