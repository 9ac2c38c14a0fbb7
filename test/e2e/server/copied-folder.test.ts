import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { isServerRunning } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { folderForEach } from '../../support/processes/fresh-folder';
import { Program, runToEnd } from '../../support/processes/program';
import { writtenAudit } from '../../support/server/audit-chain';
import { eventually } from '../../support/time/waiting';

const FILE = 'server/bin/relaygate-server.js';
const READY_MS = 10_000;
const FAR = 1_000_000;

const folder = folderForEach('rg-copied-');
const [original, copy] = [join(folder, 'original'), join(folder, 'copy')];
const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
});

const envOf = (dataDir: string) => ({ RELAYGATE_DATA_DIR: dataDir, RELAYGATE_LISTEN: '127.0.0.1:0' });

interface Started {
  program: Program;
  lines: string[];
}

async function start(dataDir: string): Promise<Started> {
  const lines: string[] = [];
  const onLine = (line: string): void => void lines.push(line);
  const program = await Program.start({ name: dataDir, file: FILE, args: ['start'], env: envOf(dataDir), onLine });
  programs.push(program);
  await program.line(/^listening on /, READY_MS);
  return { program, lines };
}

const saysCopied = ({ lines }: Started): boolean => lines.some((line) => line.includes('goes on with other numbers'));

const command = (dataDir: string, ...args: string[]) =>
  runToEnd({ name: 'relaygate-server', file: FILE, args, env: envOf(dataDir) });

interface Numbers {
  heads: Record<string, number>;
  revision: number;
  epoch: number;
}

function numbersOf(dataDir: string): Numbers {
  const db = openSqlite(join(dataDir, 'relaygate.db'), { readonly: true });
  const one = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const rows = db.prepare<[], [string, number]>('SELECT name, seq FROM audit_writers').raw().all();
  const revision = one("SELECT revision FROM revision_writers WHERE name = 'cli'");
  const numbers = { heads: Object.fromEntries(rows), revision, epoch: one('SELECT link_epoch FROM products') };
  db.close();
  return numbers;
}

function expectFarBehind(before: Numbers, after: Numbers): void {
  for (const [writer, seq] of Object.entries(before.heads)) {
    expect([writer, (after.heads[writer] ?? 0) >= seq + FAR]).toEqual([writer, true]);
  }
  expect(after.revision).toBeGreaterThanOrEqual(before.revision + FAR);
  expect(after.epoch).toBeGreaterThanOrEqual(before.epoch + FAR);
}

async function filled(): Promise<Numbers> {
  await command(original, 'product', 'create', '--outputs', '1');
  const { program } = await start(original);
  await program.stop();
  return numbersOf(original);
}

test('a copied data folder goes on with other numbers than the original beside it, once, and says so', async () => {
  const before = await filled();
  cpSync(original, copy, { recursive: true, preserveTimestamps: true });
  const [first, second] = [await start(original), await start(copy)];
  expect([saysCopied(first), saysCopied(second)]).toEqual([false, true]);
  for (const dataDir of [original, copy]) await command(dataDir, 'client', 'create', '--name', 'app');
  expect(numbersOf(original).heads.cli).toBe((before.heads.cli ?? 0) + 1);
  expectFarBehind(before, numbersOf(copy));
  await second.program.stop();
  const settled = numbersOf(copy);
  const third = await start(copy);
  await third.program.stop();
  expect(saysCopied(third)).toBe(false);
  expect(numbersOf(copy)).toEqual(settled);
  for (const dataDir of [original, copy]) {
    expect(writtenAudit(join(dataDir, 'relaygate.db')).problems).toEqual([]);
    // Rejects if it finds anything.
    await command(dataDir, 'audit', 'verify');
  }
  expect(await command(copy, 'audit', 'list')).toMatch(/database-copied/);
});

test("an operator's command in a copied data folder does so before it writes, and says so on stderr", async () => {
  const before = await filled();
  cpSync(original, copy, { recursive: true });
  const args = ['client', 'create', '--name', 'app', '--json'];
  const client = await Program.start({ name: 'client create', file: FILE, args, env: envOf(copy) });
  expect(await client.ended).toEqual({ code: 0, signal: null });
  expect(client.complaint).toMatch(/^the database is elsewhere than before, .*goes on with other numbers/);
  expectFarBehind(before, numbersOf(copy));
  const settled = numbersOf(copy);
  const { program, lines } = await start(copy);
  await program.stop();
  expect(saysCopied({ program, lines })).toBe(false);
  expect(numbersOf(copy).epoch).toBe(settled.epoch);
});

/** Loaded by the server and its children: the disk of its checkpoint file hangs for 8 s, and it waits for that before it listens. */
const HANGING_CHECKPOINT = `
  const isWriter = process.argv[1]?.endsWith('checkpoint-program.js');
  if (isWriter) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8_000);
`;

test("an operator's command beside a server that starts on a copy gives none of the original's numbers", async () => {
  const before = await filled();
  cpSync(original, copy, { recursive: true });
  const preload = join(folder, 'preload.js');
  writeFileSync(preload, HANGING_CHECKPOINT);
  const env = {
    ...envOf(copy),
    RELAYGATE_AUDIT_CHECKPOINT_FILE: join(folder, 'far.json'),
    NODE_OPTIONS: `--require=${preload}`,
  };
  programs.push(await Program.start({ name: copy, file: FILE, args: ['start'], env }));
  await eventually(() => isServerRunning(copy));
  await command(copy, 'client', 'create', '--name', 'app');
  expectFarBehind(before, numbersOf(copy));
});
