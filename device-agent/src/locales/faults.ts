/** What is said of each fault. */
import type { FaultCode, FaultValues } from '../runtime/fault';

export type FaultWords = { readonly [Code in FaultCode]: (values: FaultValues[Code]) => string };
