import {
  type CommandOutcome,
  type ConfirmedBy,
  DEVICE_REASONS,
  ERRORS,
  type ErrorCode,
  type OutputMode,
  SERVER_REASONS,
} from '@relaygate/shared';

/** A code that an answer of the API can have. */
export type ApiCode = { [C in ErrorCode]: (typeof ERRORS)[C] extends { status: number } ? C : never }[ErrorCode];

/** What each value of a named enum means, for the OpenAPI document. */
export const OUTPUT_MODES: Record<OutputMode, string> = {
  'on-off': 'the output holds a state',
  impulse: 'the output gives a pulse, whose duration is set on the device',
};

export const CONFIRMATIONS: Record<ConfirmedBy, string> = {
  readback: 'the relay board was read after it was written',
  write: 'the relay board was written, and cannot be read',
};

export const OUTCOMES: Record<CommandOutcome, string> = {
  pending: 'in flight; ask again',
  executed: 'done; of an impulse output: the pulse has begun, or nothing had to move',
  'already-set': 'the on-off output was in the desired state; nothing moved',
  refused: 'the output was not switched, or went off again; `reason` says why',
  unproven: 'done as far as the device knows; `reason` says what is missing to be sure',
  expired: 'not done, and it will not be: its time was over before it began',
  'confirmed-late': 'done; the device confirmed after the answer',
  unknown: 'it may have been done; the device has not confirmed',
};

export const ERROR_CODES: readonly ApiCode[] = Object.keys(ERRORS).filter(isApiCode);

export const CODES: Readonly<Record<string, string>> = Object.fromEntries(
  ERROR_CODES.map((code) => [code, ERRORS[code].meaning]),
);

/** After the others, something may have moved. */
const NOTHING_MOVED = ' (certainly nothing moved)';

export const REASONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...DEVICE_REASONS, ...SERVER_REASONS }).map(([reason, { meaning, moved }]) => [
    reason,
    moved === 'no' ? meaning + NOTHING_MOVED : meaning,
  ]),
);

function isApiCode(code: string): code is ApiCode {
  return Object.entries(ERRORS).some(([name, row]) => name === code && 'status' in row);
}

/** A Markdown list of the values. */
export function listOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([value, meaning]) => `- \`${value}\`: ${meaning}`)
    .join('\n');
}
