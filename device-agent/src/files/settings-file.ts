import type { Parser } from '@relaygate/shared/schema';
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
    throw sentences().failedSettings('bad-setting', 'settings-unreadable', path, error);
  }
  if (text === null) throw sentences().settingsRefused('bad-setting', 'settings-missing', { path });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw sentences().failedSettings('file-corrupt', 'settings-no-json', path, error);
  }
  const parsed = parse(value);
  if (parsed.ok) return { settings: parsed.value, text };
  throw sentences().wrongSettings(path, parsed, value);
}

/** Loaded here, because a guard with good settings needs no sentences. */
function sentences(): typeof import('./settings-refused') {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  return require('./settings-refused');
}
