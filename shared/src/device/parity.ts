import { Type } from '../json-schema';

/** The parity of a serial port. */
export const Parity = Type.Union([Type.Literal('none'), Type.Literal('even'), Type.Literal('odd')]);
