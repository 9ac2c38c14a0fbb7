import { execFileSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { signCheckpoint } from '@relaygate/server/audit/checkpoint';
import { readCheckpoint } from '@relaygate/server/files/checkpoint-file';
import { saveCheckpointApart } from '@relaygate/server/files/checkpoint-process';
import { folderForEach } from '../../../support/processes/fresh-folder';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const [OLDER, NEWER] = [1, 2].map((seq) =>
  signCheckpoint(KEY, seq * 1_000, [{ writer: 'cli', seq, hash: 'a'.repeat(64) }]),
) as [ReturnType<typeof signCheckpoint>, ReturnType<typeof signCheckpoint>];

const folder = folderForEach('rg-checkpoint-');
const file = join(folder, 'checkpoint.json');
afterEach(() => void jest.restoreAllMocks());

const never = (): AbortSignal => new AbortController().signal;

test('replaces the file, and leaves nothing beside it', async () => {
  await saveCheckpointApart(file, OLDER, never());
  await saveCheckpointApart(file, NEWER, never());
  expect(readCheckpoint(file)).toEqual(NEWER);
  expect(readdirSync(folder)).toEqual(['checkpoint.json']);
  expect(statSync(file).mode & 0o777).toBe(0o644 & ~process.umask());
});

test('says why the file cannot be written', async () => {
  mkdirSync(file);
  await expect(saveCheckpointApart(file, NEWER, never())).rejects.toThrow(
    /checkpoint\.json cannot be written: .*EISDIR/s,
  );
  const missing = join(folder, 'missing', 'checkpoint.json');
  await expect(saveCheckpointApart(missing, NEWER, never())).rejects.toThrow(/ENOENT/);
});

test('a disk that hangs is given up', async () => {
  await saveCheckpointApart(file, OLDER, never());
  // A program that does nothing stands for it.
  const stub = join(folder, 'stub');
  writeFileSync(stub, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  jest.replaceProperty(process, 'execPath', stub);
  const controller = new AbortController();
  const saved = saveCheckpointApart(file, NEWER, controller.signal);
  controller.abort();
  await expect(saved).rejects.toThrow('its process was ended');
  expect(readCheckpoint(file)).toEqual(OLDER);
});

/** Saves where no process can begin, because all file descriptors are taken. */
const WITHOUT_DESCRIPTORS = `
  const { openSync } = require('node:fs');
  const [, entry, file, checkpoint] = process.argv;
  const { saveCheckpointApart } = require(entry);
  process.stdout.write('');
  try { for (;;) openSync('/dev/null'); } catch {}
  saveCheckpointApart(file, JSON.parse(checkpoint), new AbortController().signal).catch((error) => console.log(error.code));
`;

test('a process that cannot begin is a failure like another', () => {
  const entry = require.resolve('@relaygate/server/files/checkpoint-process');
  const args = ['-e', WITHOUT_DESCRIPTORS, entry, file, JSON.stringify(OLDER)];
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, ...args];
  expect(execFileSync('sh', limited, { encoding: 'utf8' })).toBe('EMFILE\n');
});

/** Saves where the program is another one, and gives up as soon as that one has begun. */
const GIVING_UP = `
  const { existsSync } = require('node:fs');
  const [, entry, file, stub, begun, checkpoint] = process.argv;
  process.execPath = stub;
  const controller = new AbortController();
  require(entry).saveCheckpointApart(file, JSON.parse(checkpoint), controller.signal).catch(() => {});
  const timer = setInterval(() => {
    if (!existsSync(begun)) return;
    clearInterval(timer);
    controller.abort();
  }, 5);
`;

test('what outlives the kill and keeps its pipes open does not keep this process from ending', () => {
  const [stub, begun] = [join(folder, 'stub'), join(folder, 'begun')];
  const script = `#!/bin/sh\nexec 3<&0\nsleep 50 &\necho $! > ${begun}.half\nmv ${begun}.half ${begun}\nwait\n`;
  writeFileSync(stub, script, { mode: 0o755 });
  const entry = require.resolve('@relaygate/server/files/checkpoint-process');
  const args = ['-e', GIVING_UP, entry, file, stub, begun, JSON.stringify(OLDER)];
  try {
    execFileSync(process.execPath, args, { timeout: 20_000 });
  } finally {
    // Fails if it has ended, and had nothing to show.
    process.kill(Number(readFileSync(begun, 'utf8')));
  }
});
