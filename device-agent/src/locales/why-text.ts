import type { RefusalWords, Why } from '../runtime/refusal';
import { sentenceOf } from './sentence';

/** Within a sentence. */
export function whyText(why: Why, words: RefusalWords): string {
  return 'text' in why ? why.text : (sentenceOf(why, words) ?? why.code);
}
