import { described, Type } from './json-schema';
import { MAX_INPUTS } from './limits';

/** Zero-based, as on the board. */
export const NumInput = Type.Integer({ minimum: 0, maximum: MAX_INPUTS - 1 });

/** Kebab-case. Devices bring new ones, and the server passes them on. */
const Word = Type.String({ pattern: '^[a-z0-9-]{1,32}$' });

export const InputKind = described(
  Word,
  'What it means, one kebab-case word: `contact`, `button` or `tamper`; new ones may come.',
);
export const InputState = Type.Union([Word, Type.Null()], {
  description:
    'How it is, one kebab-case word. `contact` and `tamper`: `open` or `closed`; `button`: `pressed` or `released`; new ones may come. null: not known.',
});
