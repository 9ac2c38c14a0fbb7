import { LINK_MAX_FRAME_BYTES, type Report, type ReportedOutput } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import type { GuardStatus } from '../../guard/protocol';

const MAX_FAULTS = 16;
const MAX_FAULT_CHARS = 200;
/** Two locks of one output that end within this are the same to the server. */
const SAME_LOCK_MS = 1_000;
/** A report of 64 outputs cut to these fits into a frame, whatever the alphabet. */
const SHORT = { nameChars: 16, faults: 8, faultChars: 80 };

/** What is reported to the server: the outputs as the guard has them; without a guard their states are unknown. */
export function reportOf(
  settings: readonly OutputSettings[],
  guard: GuardStatus | null,
  faults: readonly string[],
  lockedForMs: (numOutput: number) => number | null = () => null,
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
    faults: faults.slice(0, MAX_FAULTS).map((fault) => cut(fault, MAX_FAULT_CHARS)),
  };
  return Buffer.byteLength(JSON.stringify(report)) <= LINK_MAX_FRAME_BYTES ? report : shortened(report);
}

function lockOf(lockedForMs: number | null): Pick<ReportedOutput, 'lockedForMs'> {
  return lockedForMs === null ? {} : { lockedForMs: Math.ceil(lockedForMs) };
}

function shortened({ type, outputs, faults }: Report): Report {
  return {
    type,
    outputs: outputs.map((output) => ({ ...output, name: cut(output.name, SHORT.nameChars) })),
    faults: faults.slice(0, SHORT.faults).map((fault) => cut(fault, SHORT.faultChars)),
  };
}

/** What the server knows after a report and the results since. */
export class ReportedState {
  #report: Report = { type: 'report', outputs: [], faults: [] };
  #atMs = 0;

  reported(report: Report, nowMs: number): void {
    this.#report = report;
    this.#atMs = nowMs;
  }

  /** A result carries its output's state, so that no report is needed for the command's own edge. */
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

/** Without what is left of locks, which passes by itself. */
function textOf(report: Report): string {
  return JSON.stringify(report, (member, value) => (member === 'lockedForMs' ? undefined : value));
}

/** By the position in the report, on this device's clock; null: not locked. */
function lockEnds({ outputs }: Report, nowMs: number): (number | null)[] {
  return outputs.map(({ lockedForMs }) => (lockedForMs === undefined ? null : nowMs + lockedForMs));
}

/** What is left is counted in whole milliseconds, some time before the report leaves. */
function isSameEnd(one: number | null, other: number | null): boolean {
  return one === null || other === null ? one === other : Math.abs(one - other) < SAME_LOCK_MS;
}

/** By whole characters: half a surrogate pair is no text. */
function cut(text: string, chars: number): string {
  return [...text].slice(0, chars).join('');
}
