/** What is wrong with a device now: a word for programs with its values; a sentence is made of it where it is shown. */
import type { ValuesOf } from '../locales/catalogue';
import { causeText } from '../locales/en/causes';
import type { FAULTS } from '../locales/en/faults';
import type { Cause, Reason } from './cause';

export type FaultValues = ValuesOf<typeof FAULTS>;
export type FaultCode = keyof FaultValues;

/** A fault of guard or agent, also as it goes from the one to the other. */
export interface Fault {
  code: string;
  /** A cause among them is in English, as agents of older versions show it. */
  values: Readonly<Record<string, string | number>>;
  /** The same causes for a reader of any language. */
  causes?: Readonly<Record<string, object>>;
}

export function fault<Code extends FaultCode>(code: Code, of: FaultValues[Code]): Fault {
  const values: Record<string, string | number> = {};
  const causes: Record<string, Reason> = {};
  for (const [name, value] of Object.entries<Cause | number>(of)) {
    values[name] = typeof value === 'object' ? causeText(value) : value;
    if (typeof value === 'object') causes[name] = value;
  }
  return { code, values, ...(Object.keys(causes).length === 0 ? {} : { causes }) };
}
