import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

/** A folder that is empty when each test begins; what a test leaves is removed after all `afterEach`. */
export function folderForEach(prefix: string): string {
  const path = newPath(prefix);
  beforeEach(() => {
    remove(path);
    mkdirSync(path, { mode: 0o700 });
  });
  afterAll(() => remove(path));
  return path;
}

/** A folder that all tests of a file or block share; it is removed after each `afterAll` that stands above the call. */
export function folderForAll(prefix: string): string {
  const path = newPath(prefix);
  beforeAll(() => void mkdirSync(path, { mode: 0o700 }));
  afterAll(() => remove(path));
  return path;
}

/** It is known before the hooks run, so that the paths of files in it may be constants; a block that is skipped leaves nothing. */
function newPath(prefix: string): string {
  return join(tmpdir(), prefix + randomBytes(4).toString('hex'));
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
