/** What a board's answer means to an output. */
import type { Level } from '@relaygate/shared/device';
import type { DriveResult } from '../../relay/relay-driver';
import type { Cause } from '../../runtime/cause';
import { cause } from '../../runtime/problem';
import type { OutputEvent } from '../output-types';

/** What went wrong with an order to bring a line to `level`; null: nothing, as far as the board knows. */
export function problemOfDrive(result: DriveResult, level: Level): Cause | null {
  if (result.kind === 'failed') return result.problem;
  const readBack = result.kind === 'driven' ? result.readBack : null;
  return readBack === null || readBack === level ? null : cause(`reads-${readBack}`, {});
}

/** `answeredMs`: when the board answered, or its answer was overdue. */
export function eventOf(result: DriveResult, activeLevel: Level, answeredMs: number): OutputEvent {
  switch (result.kind) {
    case 'driven': {
      const { readBack, atMs } = result;
      return { kind: 'driven', active: readBack === null ? null : readBack === activeLevel, atMs };
    }
    case 'too-late':
      return { kind: 'not-driven', outcome: 'expired' };
    case 'failed':
      return { kind: 'drive-failed', atMs: answeredMs };
    default:
      return result satisfies never;
  }
}
