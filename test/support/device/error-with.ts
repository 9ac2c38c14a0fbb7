import { expect } from '@jest/globals';

/** What an error looks like that has this code, and a message with these words in it. */
export function errorWith(code: string, words: string | RegExp): { code: string; message: unknown } {
  return { code, message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words) };
}
