import { type ErrorCode, RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Parser } from '@relaygate/shared/schema';
import { problemOf } from '../runtime/problem';
import type { Files } from './files';

/** Reads `settings.json`, or says in one sentence which member is wrong and what it may be. Never writes. */
export async function readSettings<T>(
  files: Files,
  path: string,
  parse: Parser<T>,
): Promise<{ settings: T; text: string }> {
  const wrong = (code: ErrorCode, why: string, options?: ErrorOptions): RelaygateError =>
    new RelaygateError(code, `${path}${why}`, options);
  let text: string | null;
  try {
    text = await files.read(path);
  } catch (error) {
    throw wrong('bad-setting', ` cannot be read: ${problemOf(error)}.`, { cause: error });
  }
  if (text === null)
    throw wrong(
      'bad-setting',
      ' is missing, so this device has no settings yet; write it as device-agent/SETTINGS.md shows.',
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong('file-corrupt', ` is not JSON (${problemOf(error)}); mend it or restore a copy.`, { cause: error });
  }
  const parsed = parse(value);
  if (parsed.ok) return { settings: parsed.value, text };
  throw wrong('bad-setting', `: ${parsed.problem}${hintOf(parsed.problem)}. Mend it and start again.`);
}

/** Its words are loaded here, because a guard with good settings needs none of them. */
function hintOf(problem: string): string {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { memberHint }: typeof import('./member-hint') = require('./member-hint');
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { allowedValue }: typeof import('./allowed-values') = require('./allowed-values');
  return memberHint(problem, allowedValue);
}
