import { givenName, isProductLogin, MAX_NUM_OUTPUT, MAX_OUTPUTS } from '@relaygate/shared';
import { InvalidArgumentError } from 'commander';
import type { WriterHead } from '../audit/audit-record';
import { parseHead } from '../audit/checkpoint';

/** Parsers of values on the command line. Each throws an InvalidArgumentError that says what the value may be. */

const NAME_MAX_CHARS = 64;
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,15})$/;

export function clientName(text: string): string {
  const name = givenName(text);
  if (name !== null && [...name].length <= NAME_MAX_CHARS) return name;
  throw new InvalidArgumentError(
    `It may be 1 to ${NAME_MAX_CHARS} visible characters, without characters that control a terminal or the direction of the text.`,
  );
}

export function productLogin(text: string): string {
  if (isProductLogin(text)) return text;
  throw new InvalidArgumentError('It may be 1 to 64 letters, digits, dots, dashes and underscores.');
}

/** Products of one command. */
const MAX_PRODUCTS = 100_000;
const MAX_ROWS = 999_999_999;

export const productCount = (text: string): number => wholeNumber(text, 1, MAX_PRODUCTS);
export const rowLimit = (text: string): number => wholeNumber(text, 1, MAX_ROWS);
/** After a restore, or in a copied database, ids go on far above all others. */
export const recordId = (text: string): number => wholeNumber(text, 0, Number.MAX_SAFE_INTEGER);
export const outputCount = (text: string): number => wholeNumber(text, 1, MAX_OUTPUTS);
export const numOutput = (text: string): number => wholeNumber(text, 0, MAX_NUM_OUTPUT);

function wholeNumber(text: string, min: number, max: number): number {
  const value = Number(text);
  if (WHOLE_NUMBER.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`It may be a whole number from ${min} to ${max}.`);
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^([1-9][0-9]{0,5})([smhd])$/;
const MAX_DURATION_MS = 366 * UNIT_MS.d;
/** The time zone is required, so that the time means the same on every machine. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const DURATIONS = 'a duration such as 90s, 30m, 24h or 7d, at most 366d';
const TIMES = 'a time such as 2026-03-01T12:00:00Z or 2026-03-01T13:00+01:00';

/** In ms. */
export function duration(text: string): number {
  const durationMs = durationMsOf(text);
  if (durationMs !== undefined) return durationMs;
  throw new InvalidArgumentError(`It may be ${DURATIONS}.`);
}

/** Wall time in ms. */
export function time(text: string): number {
  const epochMs = epochMsOf(text);
  if (epochMs !== undefined) return epochMs;
  throw new InvalidArgumentError(`It may be ${TIMES}.`);
}

/** Wall time in ms, also from a duration (so long ago), or from `today` or `yesterday` (their beginning in UTC). */
export function pastTime(text: string, nowMs: number): number {
  const todayMs = Math.floor(nowMs / UNIT_MS.d) * UNIT_MS.d;
  if (text === 'today') return todayMs;
  if (text === 'yesterday') return todayMs - UNIT_MS.d;
  const agoMs = durationMsOf(text);
  const epochMs = agoMs === undefined ? epochMsOf(text) : nowMs - agoMs;
  if (epochMs !== undefined) return epochMs;
  throw new InvalidArgumentError(
    `It may be ${TIMES}, today or yesterday (from 0:00 UTC), or ${DURATIONS} (so long ago).`,
  );
}

function durationMsOf(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return undefined;
  const durationMs = Number(count) * UNIT_MS[unit];
  return durationMs <= MAX_DURATION_MS ? durationMs : undefined;
}

function epochMsOf(text: string): number | undefined {
  const epochMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Adds `WRITER:SEQ:HASH`, as `audit verify` prints it, or several with commas between, to those given before. */
export function expectedHeads(text: string, before: readonly WriterHead[] = []): WriterHead[] {
  const heads = text.split(',').map(parseHead);
  const isHead = (head: WriterHead | undefined): head is WriterHead => head !== undefined && head.seq > 0;
  if (heads.every(isHead)) return [...before, ...heads];
  throw new InvalidArgumentError('It may be WRITER:SEQ:HASH, as audit verify prints it.');
}
