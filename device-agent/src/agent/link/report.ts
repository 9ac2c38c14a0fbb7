import { LINK_MAX_FRAME_BYTES, type Report, type ReportedInput, type ReportedOutput } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import type { GuardStatus } from '../../guard/protocol';

const MAX_FAULTS = 16;
const MAX_FAULT_CHARS = 200;
/** Two locks of one output that end within this are the same to the server. */
const SAME_LOCK_MS = 1_000;
/**
 * How many characters of each name are kept, tried in this order until the report fits into a frame. With the last one 64
 * outputs and 64 inputs fit, in any alphabet.
 */
const SHORT_NAMES = [16, 4, 1];
const SHORT_FAULT_CHARS = 80;

/**
 * The report to the server: the outputs as the guard has them; without a guard their states are unknown. `inputs`: those
 * with a meaning.
 */
export function reportOf(
  settings: readonly OutputSettings[],
  guard: GuardStatus | null,
  faults: readonly string[],
  lockedForMs: (numOutput: number) => number | null = () => null,
  inputs: readonly ReportedInput[] = [],
): Report {
  const outputs: GuardStatus['outputs'] =
    guard?.outputs ?? settings.map((output) => ({ settings: output, state: null }));
  const report: Report = {
    type: 'report',
    outputs: outputs.map(({ settings: { name, mode, pulseMs }, state, confirmedBy }, numOutput) => ({
      numOutput,
      name,
      mode,
      state,
      pulseMs,
      ...(confirmedBy === undefined ? {} : { confirmedBy }),
      ...lockOf(lockedForMs(numOutput)),
    })),
    ...(inputs.length === 0 ? {} : { inputs: [...inputs] }),
    faults: faults.slice(0, MAX_FAULTS).map((fault) => cut(fault, MAX_FAULT_CHARS)),
  };
  return SHORT_NAMES.reduce((tried, chars) => (fitsIntoFrame(tried) ? tried : shortened(report, chars)), report);
}

function lockOf(lockedForMs: number | null): Pick<ReportedOutput, 'lockedForMs'> {
  return lockedForMs === null ? {} : { lockedForMs: Math.ceil(lockedForMs) };
}

function fitsIntoFrame(report: Report): boolean {
  return Buffer.byteLength(JSON.stringify(report)) <= LINK_MAX_FRAME_BYTES;
}

/** Shorter names come with fewer faults. */
function shortened(report: Report, nameChars: number): Report {
  const renamed = <T extends { name: string }>(one: T): T => ({ ...one, name: cut(one.name, nameChars) });
  return {
    ...report,
    outputs: report.outputs.map(renamed),
    ...(report.inputs && { inputs: report.inputs.map(renamed) }),
    faults: report.faults.slice(0, Math.ceil(nameChars / 2)).map((fault) => cut(fault, SHORT_FAULT_CHARS)),
  };
}

/** What the server knows by the last report and the results since. */
export class ReportedState {
  #report: Report = { type: 'report', outputs: [], faults: [] };
  #atMs = 0;

  reported(report: Report, nowMs: number): void {
    this.#report = report;
    this.#atMs = nowMs;
  }

  /** Notes the state in a result, so that the command's own edge needs no report. */
  confirmed(numOutput: number | undefined, state: 0 | 1 | undefined): void {
    if (numOutput === undefined || state === undefined) return;
    const confirm = (output: ReportedOutput) => (output.numOutput === numOutput ? { ...output, state } : output);
    this.#report = { ...this.#report, outputs: this.#report.outputs.map(confirm) };
  }

  isNews(report: Report, nowMs: number): boolean {
    const known = lockEnds(this.#report, this.#atMs);
    const isLockNews = lockEnds(report, nowMs).some((untilMs, n) => !isSameEnd(untilMs, known[n] ?? null));
    return isLockNews || textOf(report) !== textOf(this.#report);
  }
}

/** The report without the remaining times of locks, which pass by themselves. */
function textOf(report: Report): string {
  return JSON.stringify(report, (member, value) => (member === 'lockedForMs' ? undefined : value));
}

/** By the position in the report, on this device's clock; null: not locked. */
function lockEnds({ outputs }: Report, nowMs: number): (number | null)[] {
  return outputs.map(({ lockedForMs }) => (lockedForMs === undefined ? null : nowMs + lockedForMs));
}

/** The remaining time is in whole milliseconds, and is taken some time before the report leaves. */
function isSameEnd(one: number | null, other: number | null): boolean {
  return one === null || other === null ? one === other : Math.abs(one - other) < SAME_LOCK_MS;
}

/** Cuts between characters, because half a surrogate pair is no text. */
function cut(text: string, chars: number): string {
  return [...text].slice(0, chars).join('');
}
