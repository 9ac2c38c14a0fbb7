/** `site.json` in the data folder: which file of the boot partition was taken over, and whether its secrets are gone. */
import { createHash } from 'node:crypto';
import { parserOf, type Static, Type } from '@relaygate/shared';
import { parseSiteSettings, type SiteSettings, siteText, withoutSecrets } from '@relaygate/shared/site-settings';
import type { Files } from '../files/files';
import { jsonIn, parsedIn } from '../files/json-text';

const SiteRecord = Type.Object({
  /** SHA-256 of the file as it was found. */
  digest: Type.String(),
  /** What the file is without secrets. */
  rest: Type.String(),
  isWiped: Type.Boolean(),
});
export type SiteRecord = Static<typeof SiteRecord>;
const parseRecord = parserOf(SiteRecord);

export function newRecord(text: string, site: SiteSettings): SiteRecord {
  return { digest: digestOf(text), rest: siteText(withoutSecrets(site)), isWiped: false };
}

/** null: none was taken over, or nobody knows any more. */
export async function readRecord(files: Files, path: string): Promise<SiteRecord | null> {
  const text = await files.read(path);
  return text === null ? null : parsedIn(text, parseRecord);
}

export function writeRecord(files: Files, path: string, record: SiteRecord): Promise<void> {
  return files.replace(path, `${JSON.stringify(record, null, 2)}\n`);
}

/** What the site that was taken over says in the open; null: nothing was. */
export function siteOfRecord(record: SiteRecord | null): SiteSettings | null {
  const parsed = parseSiteSettings(jsonIn(record?.rest ?? ''));
  return parsed.ok ? parsed.value : null;
}

/** Whether a file of the boot partition is settled with that record: nothing in it is new. */
export function isSettled(text: string, record: SiteRecord): boolean {
  return record.isWiped ? isRest(text, record) : digestOf(text) === record.digest || isMixture(text, record);
}

/** The file has its blanks behind it. */
export function isRest(text: string, { rest }: SiteRecord): boolean {
  return text.trimEnd() === rest.trimEnd();
}

/** What a power cut left of an overwriting: no JSON, or the same site with some secret half there. */
function isMixture(text: string, record: SiteRecord): boolean {
  const parsed = parseSiteSettings(jsonIn(text));
  return !parsed.ok || siteText(withoutSecrets(parsed.value)) === record.rest;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
