/** Product keys and enrolment codes as a server makes them, of bytes that are all the same: a number, a code. */
import { productCode } from '@relaygate/shared';

const BYTES = 16;

export const productKey = (n = 1): string => productCode('product key', new Uint8Array(BYTES).fill(n));
export const enrolmentCode = (n = 1): string => productCode('enrolment code', new Uint8Array(BYTES).fill(n));
