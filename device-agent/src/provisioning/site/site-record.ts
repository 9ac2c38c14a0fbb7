/** `site.json` in the data folder: which file of the boot partition was taken over, and whether its secrets are gone. */
import { createHash } from 'node:crypto';
import { parserOf, type Static, Type } from '@relaygate/shared';
import type { BoardProfile } from '@relaygate/shared/device';
import { parseSiteSettings, type SiteSettings, siteText, withoutSecrets } from '@relaygate/shared/site-settings';
import type { Files } from '../../files/files';
import { JsonFile, type JsonFormat } from '../../files/json-file';
import { jsonIn, parsedIn } from '../../files/json-text';
import type { FormerSite } from './site-edit';

/** What a card writes as a whole. */
const SECTOR_BYTES = 512;

const SiteRecord = Type.Object({
  /** The size of the file as it was found. */
  sizeBytes: Type.Integer({ minimum: 0 }),
  /** SHA-256 of each of its sectors, because a power cut leaves some of them wiped and others not. */
  sectors: Type.Array(Type.String()),
  /** The file without secrets. */
  rest: Type.String(),
  isWiped: Type.Boolean(),
});
export type SiteRecord = Static<typeof SiteRecord>;
const FORMAT: JsonFormat<SiteRecord> = { parse: parserOf(SiteRecord) };
/** What a record has had since its first version. */
const parseRest = parserOf(Type.Object({ rest: Type.String() }));

export function newRecord(text: string, site: SiteSettings): SiteRecord {
  const bytes = Buffer.from(text);
  return {
    sizeBytes: bytes.length,
    sectors: sectorsOf(bytes).map(digestOf),
    rest: siteText(withoutSecrets(site)),
    isWiped: false,
  };
}

/** Its value is null if no file was taken over, or nobody knows any more. */
export function recordFile(files: Files, path: string): JsonFile<SiteRecord> {
  return new JsonFile(files, path, FORMAT);
}

/** The site that was taken over, without secrets and outputs; null: none was. */
export function siteOfRecord(record: Pick<SiteRecord, 'rest'> | null): Omit<SiteSettings, 'outputs'> | null {
  const value = jsonIn(record?.rest ?? '');
  if (typeof value !== 'object') return null;
  // settings.json has the outputs. Their names may be older than the rules for names, and the machine needs the other
  // members.
  const { outputs: _, ...others } = { outputs: null, ...value };
  const parsed = parseSiteSettings(others);
  return parsed.ok ? parsed.value : null;
}

/** What the file named, by the text of any version's record; null: nobody knows. */
export function formerSiteIn(text: string | null): FormerSite | null {
  const record = parsedIn(text ?? '', parseRest);
  const site = record && siteOfRecord(record);
  const value = jsonIn(record?.rest ?? '');
  const outputs = typeof value === 'object' && value !== null && 'outputs' in value ? value.outputs : [];
  return site && { site, outputs: Array.isArray(outputs) ? outputs : [] };
}

/** The board profile that came with the card; null: none did. */
export async function readSiteProfile(files: Files, path: string): Promise<BoardProfile | null> {
  return siteOfRecord((await recordFile(files, path).read()).value)?.board.ownProfile ?? null;
}

/** Whether the record covers a file of the boot partition: nothing in it is new. */
export function isSettled(text: string, record: SiteRecord): boolean {
  return isRedacted(text, record) || (!record.isWiped && isMixture(text, record));
}

/** Ignores the blanks behind the text. */
export function isRedacted(text: string, { rest }: SiteRecord): boolean {
  return text.trimEnd() === rest.trimEnd();
}

/**
 * True for the file as it was found, or what a power cut has left of its overwriting: each sector is of the one or of the
 * other. Anything else somebody has put there, who must not lose it.
 */
function isMixture(text: string, { sizeBytes, sectors, rest }: SiteRecord): boolean {
  const bytes = Buffer.from(text);
  const wiped = Buffer.from(rest.padEnd(rest.length + Math.max(0, sizeBytes - Buffer.byteLength(rest))));
  if (bytes.length < sizeBytes || bytes.length > wiped.length) return false;
  const wipedSectors = sectorsOf(wiped.subarray(0, bytes.length));
  return sectorsOf(bytes).every((sector, n) => wipedSectors[n]?.equals(sector) || sectors[n] === digestOf(sector));
}

function sectorsOf(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / SECTOR_BYTES);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * SECTOR_BYTES, (n + 1) * SECTOR_BYTES));
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
