/** Settings of any serial port. */
import { Type } from '../json-schema';
import { MAX_BAUD, MIN_BAUD } from '../limits';

export const Baud = Type.Integer({ minimum: MIN_BAUD, maximum: MAX_BAUD });

/** Best a link in /dev/serial/by-id: its name does not depend on the order in which adapters are found. */
export const SerialPath = Type.String({ pattern: '^/[\\x21-\\x7e]{1,199}$' });

export const Parity = Type.Union([Type.Literal('none'), Type.Literal('even'), Type.Literal('odd')]);
