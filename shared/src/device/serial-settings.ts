/** What settings say of a serial port, whatever is behind it. */
import { Type } from '../json-schema';
import { MAX_BAUD, MIN_BAUD } from '../limits';

export const Baud = Type.Integer({ minimum: MIN_BAUD, maximum: MAX_BAUD });

/** A link of /dev/serial/by-id names the adapter and not the order in which it was found. */
export const SerialPath = Type.String({ pattern: '^/[\\x21-\\x7e]{1,199}$' });
