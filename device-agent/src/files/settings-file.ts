import { type Parser, RelaygateError } from '@relaygate/shared';
import { problemOf } from '../program/problem';
import { allowedValue } from './allowed-values';
import type { Files } from './files';

/** Reads `settings.json`, or says in one sentence which member is wrong and what it may be. Never writes. */
export async function readSettings<T>(
  files: Files,
  path: string,
  parse: Parser<T>,
): Promise<{ settings: T; text: string }> {
  let text: string | null;
  try {
    text = await files.read(path);
  } catch (error) {
    throw new RelaygateError('bad-setting', `${path} cannot be read: ${problemOf(error)}.`, { cause: error });
  }
  if (text === null) {
    throw new RelaygateError(
      'bad-setting',
      `${path} is missing, so this device has no settings yet; write it as the README's "Settings" shows.`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RelaygateError('file-corrupt', `${path} is not JSON (${problemOf(error)}); mend it or restore a copy.`, {
      cause: error,
    });
  }
  const parsed = parse(value);
  if (parsed.ok) return { settings: parsed.value, text };
  throw new RelaygateError(
    'bad-setting',
    `${path}: ${parsed.problem}${hint(parsed.problem)}. Mend it and start again.`,
  );
}

/** `problem` begins with the member's path, or names it in quotes or brackets when it is missing or unknown. */
function hint(problem: string): string {
  const missing = /required property '(\w+)'/.exec(problem)?.[1];
  const unknown = /additional properties/.test(problem);
  const path = problem.split(' ')[0]?.split('.') ?? [];
  // The last word of the path; an item of a list is told by its list.
  const member = missing ?? path.findLast((name) => !/^\d+$/.test(name)) ?? '';
  const allowed = allowedValue(member);
  return unknown || allowed === null ? '' : `; ${member} is ${allowed}`;
}
