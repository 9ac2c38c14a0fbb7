/** What is said of each fault. */
import type { FaultValues } from '../runtime/fault';
import type { WordsOf } from './sentence';

export type FaultWords = WordsOf<FaultValues>;
