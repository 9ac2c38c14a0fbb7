import type { ValuesOf } from '../../locales/catalogue';
import { EVENTS } from '../../locales/en/events';
import { anyCauseText } from '../../locales/en/refusals';
import { sentenceOf } from '../../locales/sentence';
import type { Reason } from '../../runtime/cause';

type Events = ValuesOf<typeof EVENTS>;

/** What the log shows in the reader's language; its English text stands in the program's log too. */
export type Happened = Required<Reason>;

export function happened<Code extends keyof Events>(code: Code, values: Events[Code]): Happened {
  return { code, values, text: sentenceOf({ code, values }, EVENTS, anyCauseText) ?? code };
}
