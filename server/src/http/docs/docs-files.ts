import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the documentation, kept in memory: one buffer for all answers, so that unread answers hold no copies. */
export interface DocsFile {
  body: Buffer;
  gzip: Buffer;
  contentType: string;
  etag: string;
  /** Its name changes with its content, so browsers may keep it. */
  immutable: boolean;
}

const CONTENT_TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
]);
const PAGES = [
  ['/docs', 'reference.html'],
  ['/docs/guide', 'guide.html'],
] as const;
const ASSETS = 'assets';

/**
 * By their paths, what test/support/prepare/build-docs.mjs has built in `folder`. Every file has a packed one beside it, with
 * the ending `.gz`. Fails with the error of the file system.
 */
export function readDocs(folder: string): ReadonlyMap<string, DocsFile> {
  const assets = readdirSync(join(folder, ASSETS)).filter((name) => !name.endsWith('.gz'));
  return new Map([
    ...PAGES.map(([path, name]) => [path, docsFile(join(folder, name), false)] as const),
    ...assets.map((name) => [`/docs/${ASSETS}/${name}`, docsFile(join(folder, ASSETS, name), true)] as const),
  ]);
}

function docsFile(file: string, immutable: boolean): DocsFile {
  const body = readFileSync(file);
  const contentType = CONTENT_TYPES.get(extname(file));
  if (contentType === undefined) throw new Error(`no content type is known for ${file}`);
  // Weak, because the packed form has the same one.
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, gzip: readFileSync(`${file}.gz`), contentType, etag, immutable };
}
