import type { ConsoleTranslations } from '../../../locales/console';

/** What a page of the menu talks through. */
export interface Dialogue {
  readonly t: ConsoleTranslations;
  /** Shows lines, and lets the reader stop after each screen. Rejects with Interrupted. */
  show(lines: readonly string[]): Promise<void>;
  /** The next line. Rejects with Interrupted. */
  ask(question: string): Promise<string>;
  changeLanguage(): void;
}

/** cancelled: by Ctrl-C, which leads back to the menu; over: nobody is there any more, and nothing may be done. */
export class Interrupted extends Error {
  readonly by: 'cancelled' | 'over';

  constructor(by: Interrupted['by']) {
    super(`the console's dialogue is ${by}`);
    this.name = 'Interrupted';
    this.by = by;
  }
}

/** True only where this very question was answered with yes. */
export async function confirmed(talk: Dialogue, question: string): Promise<boolean> {
  const answer = await talk.ask(question);
  if (talk.t.yes.includes(answer.toLowerCase())) return true;
  await talk.show([talk.t.nothingDone]);
  return false;
}

/** null: none of them was named. */
export async function chosen<T>(
  talk: Dialogue,
  options: readonly T[],
  label: (option: T) => string,
): Promise<T | null> {
  await talk.show(options.map((option, n) => `${String(n + 1).padStart(2)}  ${label(option)}`));
  const answer = await talk.ask(talk.t.choice);
  if (answer === '') return null;
  const option = /^[1-9]\d?$/.test(answer) ? options[Number(answer) - 1] : undefined;
  if (option === undefined) await talk.show([talk.t.noSuchChoice]);
  return option ?? null;
}
