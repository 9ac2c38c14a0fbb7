import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { PageFile, ReadPage } from '../agent/technician/web/web-exchange';
import { orNull } from './durable-files';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};
const INDEX = 'index.html';

/**
 * The files of a folder by their path at the page; index.html is "/". Files of unknown kinds are left out. None if the page
 * was not built: all else in the agent works without it.
 */
export function readPageOf(folder: string): ReadPage {
  return async () => {
    const files = new Map<string, PageFile>();
    for (const name of (await orNull('ENOENT', readdir(folder))) ?? []) {
      const contentType = CONTENT_TYPES[extname(name)];
      if (contentType === undefined) continue;
      const bytes = await readFile(join(folder, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      files.set(name === INDEX ? '/' : `/${name}`, { contentType, bytes, etag });
    }
    return files;
  };
}
