import { Type } from '../json-schema';

/** Of a serial port. */
export const Parity = Type.Union([Type.Literal('none'), Type.Literal('even'), Type.Literal('odd')]);
