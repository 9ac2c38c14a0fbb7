import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { PageFile, ReadPage } from '../agent/technician/web/web-exchange';
import { codeOf } from '../runtime/problem';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};
const INDEX = 'index.html';

/** The files of a folder by their path at the page; index.html is "/". Files of unknown kinds are left out. */
export function readPageOf(folder: string): ReadPage {
  return async () => {
    const files = new Map<string, PageFile>();
    for (const name of await namesIn(folder)) {
      const contentType = CONTENT_TYPES[extname(name)];
      if (contentType === undefined) continue;
      const bytes = await readFile(join(folder, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      files.set(name === INDEX ? '/' : `/${name}`, { contentType, bytes, etag });
    }
    return files;
  };
}

/** None if the page was not built: all else in the agent works without it. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
