import { ENGLISH_FAULTS } from './english';
import type { Fault, FaultWords } from './fault';

/** One sentence. A fault of a guard of another version, which has no words here, is shown by its code. */
export function faultText({ code, values }: Fault, words: FaultWords = ENGLISH_FAULTS): string {
  const table: Readonly<Record<string, (of: never) => string>> = words;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  // `fault` has paired them: what has this code has these values.
  return say === undefined ? code : say(values as never);
}
