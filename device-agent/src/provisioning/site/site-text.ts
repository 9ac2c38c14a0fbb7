/** The text of relaygate-site.json, read at its edge. */
import type { RelaygateError } from '@relaygate/shared';
import { withInputNumber } from '@relaygate/shared/device';
import { parseSiteSettings, SITE_FILE, SITE_FILE_MAX_BYTES, type SiteSettings } from '@relaygate/shared/site-settings';
import { memberHint } from '../../files/member-hint';
import { badSetting } from '../../runtime/complaint';
import { problemOf } from '../../runtime/problem';
import { allowedInSite } from './site-words';

/** Throws `bad-setting` with the member and what it may be. Editors of Windows put a byte order mark before a text. */
export function readSite(text: string): SiteSettings {
  if (Buffer.byteLength(text) > SITE_FILE_MAX_BYTES)
    throw wrongSite(`it is larger than ${SITE_FILE_MAX_BYTES / 1024} KiB`);
  const strange = text.indexOf('\uFFFD');
  if (strange >= 0)
    throw wrongSite(`line ${text.slice(0, strange).split('\n').length} is not in UTF-8: save the file as UTF-8`);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const place = placeIn(text, error);
    throw wrongSite(`it is not JSON: a comma, a brace or a quotation mark is missing or too much${place}`);
  }
  return checkedSite(value);
}

/** As `readSite`, for a value that is no text yet. */
export function checkedSite(value: unknown): SiteSettings {
  const parsed = parseSiteSettings(value);
  if (parsed.ok) return parsed.value;
  throw wrongSite(`${withInputNumber(parsed, value).problem}${memberHint(parsed, allowedInSite)}`);
}

/** No cause: a parser's error holds a piece of the text, and with it a secret. */
export function wrongSite(problem: string): RelaygateError {
  return badSetting(`${SITE_FILE}: ${problem}.`);
}

/** V8's own words may quote the text, and with it a secret. */
function placeIn(text: string, error: unknown): string {
  const position = /at position (\d+)/.exec(problemOf(error))?.[1];
  if (position === undefined) return '';
  return ` in line ${text.slice(0, Number(position)).split('\n').length}`;
}
