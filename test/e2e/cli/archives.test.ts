import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '@relaygate/server/clients/provision';
import { openAuditKey } from '@relaygate/server/files/audit-key';
import { createProduct } from '@relaygate/server/products/provision';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { monotonicNowMs, systemRandomness } from '@relaygate/shared/system';
import { bareEnvironment, Program } from '../../support/processes/program';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

const IS_LONG = process.env.RELAYGATE_FULL !== undefined;
const BEGAN_MS = Date.UTC(2026, 0, 1);
const AFTER_ALL = '2026-06-01T00:00:00Z';

interface Archived {
  archived: number;
  fromId: number;
  toId: number;
  removed: number;
  sha256: string;
}
interface Verified {
  sound: boolean;
  records: number;
  archived?: { toId: number; unreadToId: number };
}

/** A UUID version 7. */
function commandIdOf(atMs: number): string {
  const time = atMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Commands and their outcomes, a second apart, of a product that the operator has made. */
async function withCommands(count: number): Promise<void> {
  const storage = await openSqliteStorage({ file: join(cli.dataDir, 'relaygate.db'), writerName: 'node-1' });
  await openAuditKey(cli.dataDir, systemRandomness, async () => {});
  const making = { store: storage, randomness: systemRandomness, wallClock: { epochMs: () => BEGAN_MS } };
  const { clientId } = await createClient(making, 'Front desk');
  await createProduct(making, { productLogin: 'gate', outputs: 1, activated: true });
  const give = async (n: number): Promise<void> => {
    const acceptedAtMs = BEGAN_MS + n * 1_000;
    const commandId = commandIdOf(acceptedAtMs);
    const asked = { commandId, productLogin: 'gate', clientId, numOutput: 0, action: 'toggle', state: null } as const;
    await storage.recordCommand({ ...asked, acceptedAtMs, bootId: 'boot-1', outcome: 'pending', reason: null });
    const outcome = { commandId, productLogin: 'gate', outcome: 'executed', reason: null, observed: null } as const;
    await storage.recordOutcome({ ...outcome, resolvedAtMs: acceptedAtMs + 40 });
  };
  for (let n = 0; n < count; n += 200)
    await Promise.all(Array.from({ length: Math.min(200, count - n) }, (_, m) => give(n + m)));
  await storage.close();
}

const out = (name: string): string => join(cli.folder, name);
const archiveArgs = (name: string, before = AFTER_ALL): string[] => [
  'audit',
  'archive',
  '--before',
  before,
  '--out',
  out(name),
];

/** Without a look at stderr: on a busy machine it takes long enough for progress. */
async function archived(...args: Parameters<typeof archiveArgs>): Promise<Archived> {
  const { code, out } = await run([...archiveArgs(...args), '--json']);
  expect(code).toBe(0);
  return JSON.parse(out);
}

async function exported(name: string, ...archives: string[]): Promise<string[]> {
  const given = archives.flatMap((archive) => ['--archive', out(archive)]);
  const { code, err } = await run(['audit', 'export', '--out', out(name), ...given]);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return readFileSync(out(name), 'utf8').trimEnd().split('\n');
}

async function kinds(...args: string[]): Promise<string[]> {
  return (await run(['audit', 'list', '--json', ...args])).out.split('\n').map((line) => JSON.parse(line).kind);
}

describe('audit archive', () => {
  test('gives up a lost archive only if there is one, and does one thing at a time', async () => {
    await withCommands(1);
    const lost = ['audit', 'archive', '--without-lost', out('a.gz'), '--out', out('b.gz')];
    expectRefusal(await run(lost), 1, 'bad-usage');
    expectRefusal(await run([...lost, '--before', AFTER_ALL]), 2, 'bad-usage');
    expectRefusal(await run(['audit', 'archive', '--out', out('b.gz')]), 2, 'bad-usage');
  });

  test('moves old records into a file, which verify, list and export read', async () => {
    await withCommands(30);
    const before = await exported('before.ndjson');
    const made = await archived('a.gz', '2026-01-01T00:00:20Z');
    expect(made).toMatchObject({ fromId: 1, removed: made.toId, archived: made.toId });
    expect(await json<Verified>('audit', 'verify')).toMatchObject({
      sound: true,
      archived: { unreadToId: made.toId },
    });
    const whole = await json<Verified>('audit', 'verify', '--archive', out('a.gz'));
    const after = await exported('after.ndjson', 'a.gz');
    expect(whole).toMatchObject({ sound: true, archived: { unreadToId: 0 }, records: after.length });
    expect(after.slice(0, before.length)).toEqual(before);
    const listed = await kinds('--archive', out('a.gz'));
    expect(listed.filter((kind) => kind === 'command')).toHaveLength(30);
    expect(
      await kinds('--archive', out('a.gz'), '--kind', 'outcome', '--product', 'gate', '--limit', '25'),
    ).toHaveLength(25);
    expect(await kinds('--kind', 'audit-archived')).toEqual(['audit-archived']);
    const { out: text } = await run(['audit', 'verify']);
    expect(text).toContain('Not read: the records up to');
    expect(text).toContain('a.gz');
  });

  test('is known to backups, from before and after it, and to what is restored from them', async () => {
    await withCommands(20);
    await json('backup', out('before.db'));
    await archived('a.gz');
    await json('backup', out('after.db'));
    await json('restore', out('after.db'));
    expect(await json<Verified>('audit', 'verify', '--archive', out('a.gz'))).toMatchObject({
      sound: true,
      archived: { unreadToId: 0 },
    });
    expect((await archived('b.gz', '2099-01-01T00:00:00Z')).fromId).toBeGreaterThan(20);
    expect(await json<Verified>('audit', 'verify', '--archive', out('a.gz'), out('b.gz'))).toMatchObject({
      sound: true,
    });
    await json('restore', out('before.db'));
    expect(await json<Verified>('audit', 'verify')).toMatchObject({ sound: true });
    const { code, err } = await run(['audit', 'verify', '--archive', out('a.gz')]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('a.gz is no archive of this audit') });
    expect(await archived('c.gz')).toMatchObject({ fromId: 1 });
    expect(await json<Verified>('audit', 'verify', '--archive', out('c.gz'))).toMatchObject({ sound: true });
  });

  test('shows a restore once, as the list of the database does', async () => {
    await withCommands(2);
    await json('backup', out('backup.db'));
    await json('restore', out('backup.db'));
    const before = await kinds();
    expect(before.filter((kind) => kind === 'database-restored')).toHaveLength(1);
    await archived('a.gz', '2099-01-01T00:00:00Z');
    expect(await kinds('--archive', out('a.gz'))).toEqual([...before, 'audit-archived']);
    expect(await kinds('--archive', out('a.gz'), '--kind', 'database-restored')).toHaveLength(1);
  });

  test('says what it did, and that it did nothing', async () => {
    await withCommands(3);
    expect((await run(archiveArgs('a.gz', '2020-01-01T00:00:00Z'))).out).toContain('nothing was archived');
    expect(existsSync(out('a.gz'))).toBe(false);
    const { code, out: text } = await run(archiveArgs('a.gz'));
    expect({ code, text }).toEqual({
      code: 0,
      text: expect.stringMatching(/Records +1 to \d+[\s\S]*SHA-256 +[0-9a-f]{64}/),
    });
    // As after a run that was killed just before its end.
    expect(await archived('a.gz')).toMatchObject({ fromId: 1, removed: 0 });
    expect((await run(archiveArgs('b.gz', '2026-02-01T00:00:00Z'))).out).toContain('nothing was archived');
  });

  test('refuses what it cannot do in one line', async () => {
    await withCommands(3);
    writeFileSync(out('precious'), 'precious');
    expectRefusal(await run(archiveArgs('precious')), 1, 'already-exists');
    expectRefusal(await run(archiveArgs('no-folder/a.gz')), 1, 'folder-not-writable');
    expectRefusal(await run(['audit', 'verify', '--archive', out('nothing')]), 1, 'bad-usage');
    expectRefusal(await run(['audit', 'list', '--newest-first', '--archive', out('precious')]), 1, 'bad-usage');
    expectRefusal(await run(['audit', 'export', '--out', out('precious')]), 1, 'already-exists');
    rmSync(join(cli.dataDir, 'audit.key'));
    expectRefusal(await run(archiveArgs('a.gz')), 1, 'secrets-unusable');
    expect(await json<Verified>('audit', 'verify')).toMatchObject({ sound: true });
  });

  test('an altered archive is named, with exit code 1', async () => {
    await withCommands(3);
    await archived('a.gz');
    const bytes = readFileSync(out('a.gz'));
    bytes[bytes.length - 10] = (bytes.at(-10) ?? 0) ^ 1;
    writeFileSync(out('a.gz'), bytes);
    const { code, err } = await run(['audit', 'verify', '--archive', out('a.gz')]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/a\.gz was altered: its SHA-256 .*\(audit-broken\)$/),
    });
  });
});

describe('audit archive, killed at any point', () => {
  const ROUNDS = IS_LONG ? 60 : 8;
  let original: string[];
  const saved = (): string => join(cli.folder, 'saved');
  beforeEach(async () => {
    await withCommands(4_000);
    original = await exported('original.ndjson');
    cpSync(cli.dataDir, saved(), { recursive: true });
  });

  function begin(): Promise<Program> {
    const env = { RELAYGATE_DATA_DIR: cli.dataDir };
    return Program.start({ name: 'archive', file: 'server/bin/relaygate-server.js', args: archiveArgs('a.gz'), env });
  }

  async function verified(...args: string[]): Promise<Verified> {
    return JSON.parse((await run(['audit', 'verify', '--json', ...args])).out);
  }

  function startOver(): void {
    for (const file of [cli.dataDir, out('a.gz')]) rmSync(file, { recursive: true, force: true });
    mkdirSync(cli.dataDir);
    cpSync(saved(), cli.dataDir, { recursive: true });
  }

  /** In turn: once the file is begun, once it is whole, at a moment of the whole run: by time alone a fast machine shows one state. */
  function killWhen(program: Program, round: number, wholeMs: number): () => void {
    const kill = (): void => program.kill('SIGKILL');
    const moment = round % 3;
    if (moment === 0) {
      const timer = setTimeout(kill, (wholeMs * (round + ROUNDS / 2)) / (ROUNDS * 1.5));
      return () => clearTimeout(timer);
    }
    const awaited = moment === 1 ? /^a\.gz\.half-/ : /^a\.gz$/;
    const watcher = watch(cli.folder, (_, name) => name && awaited.test(name) && existsSync(out(name)) && kill());
    return () => watcher.close();
  }

  test(
    'loses no record, and the next run finishes it',
    async () => {
      const beganMs = monotonicNowMs();
      await (await begin()).ended;
      const wholeMs = monotonicNowMs() - beganMs;
      const seen = new Set<string>();
      for (let round = 1; round <= ROUNDS; round += 1) {
        startOver();
        const program = await begin();
        const stopWaiting = killWhen(program, round, wholeMs);
        const { signal } = await program.ended;
        stopWaiting();
        const between = await verified();
        expect(between).toMatchObject({ sound: true });
        seen.add(`${signal}, ${between.archived ? 'recorded' : existsSync(out('a.gz')) ? 'written' : 'begun'}`);
        if (signal !== null || between.archived === undefined) {
          const { code, err } = await run(archiveArgs('a.gz'));
          expect({ round, code, err: code === 0 ? '' : err }).toEqual({ round, code: 0, err: '' });
        }
        const all = await exported(`round-${round}.ndjson`, 'a.gz');
        expect(all.slice(0, original.length)).toEqual(original);
        expect(await verified('--archive', out('a.gz'))).toMatchObject({ sound: true });
      }
      process.stderr.write(`archive: killed when ${[...seen].sort().join('; ')}\n`);
      expect(seen.size).toBeGreaterThan(1);
    },
    IS_LONG ? 900_000 : 240_000,
  );
});

test('a list whose reader is slow ends with an error if what it has not read is archived meanwhile', async () => {
  await withCommands(1_000);
  const bin = join(process.cwd(), 'server/bin/relaygate-server.js');
  const list = spawn(process.execPath, [bin, 'audit', 'list', '--json'], {
    env: { ...bareEnvironment(), RELAYGATE_DATA_DIR: cli.dataDir },
  });
  const ended = once(list, 'close');
  try {
    // The pipe fills with the first page.
    list.stdout.once('data', () => list.stdout.pause());
    // It ends without a line only if it has failed.
    await Promise.race([once(list.stdout, 'data'), ended]);
    expect(list.exitCode).toBeNull();
    await archived('a.gz');
    let errors = '';
    list.stderr.on('data', (text) => {
      errors += text;
    });
    list.stdout.resume();
    expect(await ended).toEqual([1, null]);
    expect(errors).toContain('Run it again with --archive');
    expect(errors).toContain('a.gz');
  } finally {
    list.kill();
  }
});
