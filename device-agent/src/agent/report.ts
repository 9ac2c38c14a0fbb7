import { LINK_MAX_FRAME_BYTES, type OutputSettings, type Report, type ReportedOutput } from '@relaygate/shared';
import type { GuardStatus } from '../guard/protocol';

const MAX_FAULTS = 16;
const MAX_FAULT_CHARS = 200;
/** A report of 64 outputs cut to these fits into a frame, whatever the alphabet. */
const SHORT = { nameChars: 16, faults: 8, faultChars: 80 };

/** What the server is told: the outputs as the guard has them; without a guard their states are unknown. */
export function reportOf(
  settings: readonly OutputSettings[],
  guard: GuardStatus | null,
  faults: readonly string[],
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
    })),
    faults: faults.slice(0, MAX_FAULTS).map((fault) => cut(fault, MAX_FAULT_CHARS)),
  };
  return Buffer.byteLength(JSON.stringify(report)) <= LINK_MAX_FRAME_BYTES ? report : shortened(report);
}

function shortened({ type, outputs, faults }: Report): Report {
  return {
    type,
    outputs: outputs.map((output) => ({ ...output, name: cut(output.name, SHORT.nameChars) })),
    faults: faults.slice(0, SHORT.faults).map((fault) => cut(fault, SHORT.faultChars)),
  };
}

/** What the server knows after a report and the results since. */
export class ToldOutputs {
  #outputs: ReportedOutput[] = [];
  #faults = '';

  reported({ outputs, faults }: Report): void {
    this.#outputs = outputs;
    this.#faults = faults.join('\n');
  }

  /** A result carries its output's state, so that no report is needed for the command's own edge. */
  confirmed(numOutput: number | undefined, state: 0 | 1 | undefined): void {
    if (numOutput === undefined || state === undefined) return;
    this.#outputs = this.#outputs.map((output) => (output.numOutput === numOutput ? { ...output, state } : output));
  }

  isNews({ outputs, faults }: Report): boolean {
    return JSON.stringify(outputs) !== JSON.stringify(this.#outputs) || faults.join('\n') !== this.#faults;
  }
}

/** By whole characters: half a surrogate pair is no text. */
function cut(text: string, chars: number): string {
  return [...text].slice(0, chars).join('');
}
