/**
 * Frames of LCUS boards (LC Technology, CH340). Pure. A write is `A0 relay operation sum` and is not acknowledged. To `FF`
 * some boards answer by a byte for each relay, others by a line for each, others not at all.
 */
import type { Level } from '@relaygate/shared/device';

const HEAD = 0xa0;
export const STATUS_REQUEST = Uint8Array.of(0xff);

export type Dialect = 'bytes' | 'lines';

export type Status =
  | { kind: 'read'; dialect: Dialect; levels: Level[] }
  /** The board may be of those that do not answer. */
  | { kind: 'silent' }
  /** Half an answer, or noise. */
  | { kind: 'garbled' };

/** `line` from 0; on the board relays are counted from 1. */
export function switchFrame(line: number, level: Level): Uint8Array {
  const relay = line + 1;
  const operation = level === 'high' ? 1 : 0;
  return Uint8Array.of(HEAD, relay, operation, (HEAD + relay + operation) & 0xff);
}

/** Reads the answer to STATUS_REQUEST, once nothing more comes. */
export function readStatus(bytes: Uint8Array, relays: number): Status {
  if (bytes.length === 0) return { kind: 'silent' };
  if (bytes.length === relays && bytes.every((byte) => byte <= 1))
    return { kind: 'read', dialect: 'bytes', levels: [...bytes].map((byte) => levelOf(byte === 1)) };
  const levels = readLines(bytes, relays);
  return levels === null ? { kind: 'garbled' } : { kind: 'read', dialect: 'lines', levels };
}

/** `CH1: OFF` and so on, each relay once and in order; null: it is something else. */
function readLines(bytes: Uint8Array, relays: number): Level[] | null {
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/[\r\n\0]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length !== relays) return null;
  const levels: Level[] = [];
  for (const [n, line] of lines.entries()) {
    const [, relay, word] = /^CH([1-9]) *: *(ON|OFF)$/.exec(line) ?? [];
    if (relay !== String(n + 1)) return null;
    levels.push(levelOf(word === 'ON'));
  }
  return levels;
}

function levelOf(isOn: boolean): Level {
  return isOn ? 'high' : 'low';
}
