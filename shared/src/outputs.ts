import { NAME_PATTERN } from './given-name';
import { type Static, Type } from './json-schema';
import { MAX_NUM_OUTPUT, OUTPUT_NAME_MAX_CHARS, PULSE_MAX_MS, PULSE_MIN_MS } from './limits';

/** on-off: the output holds a state. impulse: it gives a pulse whose duration is set on the device. */
export const OutputMode = Type.Union([Type.Literal('on-off'), Type.Literal('impulse')]);
export type OutputMode = Static<typeof OutputMode>;

/** 1 = activated = relay energised. */
export const OutputState = Type.Union([Type.Literal(0), Type.Literal(1)]);
export type OutputState = Static<typeof OutputState>;

/**
 * How a device knows the state of an output. readback: the board was read after it was written. write: the board was written
 * and cannot be read.
 */
export const ConfirmedBy = Type.Union([Type.Literal('readback'), Type.Literal('write')]);
export type ConfirmedBy = Static<typeof ConfirmedBy>;

/** Zero-based, as in the contract. */
export const NumOutput = Type.Integer({ minimum: 0, maximum: MAX_NUM_OUTPUT });
export const PulseMs = Type.Integer({ minimum: PULSE_MIN_MS, maximum: PULSE_MAX_MS });
export const OutputName = Type.String({
  minLength: 1,
  maxLength: OUTPUT_NAME_MAX_CHARS,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
});
/** For a name that is given now. Older names stay and are shown escaped. */
export const NewOutputName = Type.String({
  minLength: 1,
  maxLength: OUTPUT_NAME_MAX_CHARS,
  pattern: NAME_PATTERN,
});
