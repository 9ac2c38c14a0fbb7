import { chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { describeWhere } from '../../support/needs';
import { Program } from '../../support/processes';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

interface Verified {
  sound: boolean;
  records: number;
  heads: { writer: string; seq: number; hash: string }[];
  findings: { writer: string; seq: number; fault: string }[];
}

function tamper(statement: string): void {
  const db = openSqlite(join(cli.dataDir, 'relaygate.db'));
  const triggers = db.prepare<[], { sql: string }>("SELECT sql FROM sqlite_master WHERE type = 'trigger'").all();
  db.exec(`DROP TRIGGER audit_records_stay; DROP TRIGGER audit_records_keep; ${statement}`);
  for (const { sql } of triggers) db.exec(sql);
  db.close();
}

/** Records 1 to 3 of the writer `cli`. */
async function threeRecords(): Promise<void> {
  await json('client', 'create', '--name', 'Front desk');
  await json('product', 'create', '--outputs', '1', '--login', 'gate');
  await json('product', 'activate', 'gate');
}

describe('audit list', () => {
  test('prints a table, or one JSON document a line', async () => {
    await threeRecords();
    const plain = await run(['audit', 'list']);
    expect(plain.out.split('\n')).toHaveLength(4);
    expect(plain.out).toMatch(/product-created +gate/);
    expect(plain.out).toMatch(/client-created +- +Front desk/);
    const { out } = await run(['audit', 'list', '--newest-first', '--limit', '2', '--json']);
    expect(out.split('\n').map((line) => JSON.parse(line))).toMatchObject([
      { id: 3, writer: 'cli', seq: 3, kind: 'product-activated', productLogin: 'gate' },
      { id: 2, kind: 'product-created', at: expect.stringMatching(/Z$/) },
    ]);
  });

  test('narrows by product, client, kind and time', async () => {
    await threeRecords();
    const ids = async (...args: string[]): Promise<number[]> => {
      const { out } = await run(['audit', 'list', '--json', ...args]);
      return out === '' ? [] : out.split('\n').map((line) => JSON.parse(line).id);
    };
    expect(await ids('--product', 'gate')).toEqual([2, 3]);
    expect(await ids('--client', 'Front desk')).toEqual([1]);
    expect(await ids('--kind', 'product-activated')).toEqual([3]);
    expect(await ids('--since', '1h', '--after', '1')).toEqual([2, 3]);
    expect(await ids('--since', 'yesterday')).toEqual([1, 2, 3]);
    expect(await ids('--until', '2020-01-01T00:00Z')).toEqual([]);
    expect(await ids('--outcome', 'executed')).toEqual([]);
  });

  test('says who gave a command, restores included', async () => {
    const env = { RELAYGATE_DATA_DIR: cli.dataDir, SUDO_USER: 'ana' };
    await run(['client', 'create', '--name', 'Front desk'], env);
    await json('product', 'create', '--outputs', '1', '--login', 'gate');
    const backup = join(cli.folder, 'backup.db');
    await run(['backup', backup]);
    await run(['restore', backup], { ...env, SUDO_USER: 'bo\u001b' });
    const { out } = await run(['audit', 'list', '--json']);
    expect(out.split('\n').map((line) => JSON.parse(line).actor)).toEqual([
      'cli as ana',
      `cli as ${userInfo().username}`,
      'cli as bo\\u001b',
    ]);
    expect((await run(['audit', 'list'])).out).toMatch(/client-created +- +Front desk +cli as ana: name=/);
    expect((await run(['audit', 'verify'])).code).toBe(0);
  });

  test('tells a name that does not exist', async () => {
    await threeRecords();
    expectRefusal(await run(['audit', 'list', '--product', 'door']), 1, 'product-not-found');
    expectRefusal(await run(['audit', 'list', '--client', 'nobody']), 1, 'client-not-found');
  });
});

describe('audit verify', () => {
  test('says that all is sound, and prints heads that it takes back', async () => {
    await threeRecords();
    const { sound, records, heads } = await json<Verified>('audit', 'verify');
    expect({ sound, records, heads }).toMatchObject({ sound: true, records: 3, heads: [{ writer: 'cli', seq: 3 }] });
    const plain = await run(['audit', 'verify']);
    const [head = ''] = plain.out.match(/^cli:3:[0-9a-f]{64}$/m) ?? [];
    await json('product', 'deactivate', 'gate');
    const again = await run(['audit', 'verify', '--expect-head', head]);
    expect(again).toMatchObject({ code: 0, err: '' });
    // The one record since, of which nobody else knows.
    expect(again.out).toMatch(/No --expect-head confirms [\s\S]*\ncli: record 4$/);
  });

  test.each([
    ["UPDATE audit_records SET body = replace(body, 'gate', 'door') WHERE seq = 2", 'cli 2: the record was changed'],
    ['DELETE FROM audit_records WHERE seq = 2', 'cli 2: record 2 is missing'],
    ['UPDATE audit_records SET id = 9 WHERE seq = 1', 'cli 2: the record does not follow'],
    ['DELETE FROM audit_records WHERE seq > 1', 'cli 2: the chain ends here, but once had 3 records'],
  ])('%s ends with 1 and says where', async (statement, where) => {
    await threeRecords();
    tamper(statement);
    const { code, out, err } = await run(['audit', 'verify', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ sound: false });
    expect(err).toContain(where);
    expect(JSON.parse(err)).toMatchObject({
      error: 'audit-broken',
      message: expect.stringMatching(/^The audit is broken/),
    });
    expect((await run(['audit', 'verify'])).out).toContain('faults.');
  });

  test('an older copy looks as sound, and the report says that only a later head tells', async () => {
    await threeRecords();
    const database = join(cli.dataDir, 'relaygate.db');
    const older = join(cli.folder, 'older.db');
    copyFileSync(database, older);
    await json('product', 'deactivate', 'gate');
    const [head = ''] = (await run(['audit', 'verify'])).out.match(/^cli:4:[0-9a-f]{64}$/m) ?? [];
    copyFileSync(older, database);
    const { code, out } = await run(['audit', 'verify']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('an older copy, or one') });
    expect((await run(['audit', 'verify', '--expect-head', head])).code).toBe(1);
  });

  test('a record removed from the end is missed', async () => {
    await threeRecords();
    const { heads } = await json<Verified>('audit', 'verify');
    tamper('DELETE FROM audit_records WHERE seq = 3');
    expect((await run(['audit', 'verify'])).err).toContain('cli 3: the chain ends here, but once had 3 records');
    // Whoever changes all that the database says of it is found out by a head that was noted elsewhere.
    tamper("UPDATE audit_heads SET seq = 2, hash = (SELECT hash FROM audit_records WHERE writer = 'cli' AND seq = 2)");
    expect((await run(['audit', 'verify'])).code).toBe(0);
    const noted = heads.map(({ writer, seq, hash }) => `${writer}:${seq}:${hash}`).join();
    const { code, err } = await run(['audit', 'verify', '--expect-head', noted]);
    expect(code).toBe(1);
    expect(err).toContain('cli 3: the chain ends here, but once had 3 records');
  });
});

describe('backup and restore', () => {
  test('go round beside and without a running server', async () => {
    const env = { RELAYGATE_DATA_DIR: cli.dataDir, RELAYGATE_LISTEN: '127.0.0.1:0', RELAYGATE_LOG_LEVEL: 'silent' };
    const backup = join(cli.folder, 'backup.db');
    const server = await Program.start({
      name: 'server',
      file: 'server/bin/relaygate-server.js',
      args: ['start'],
      env,
    });
    try {
      await server.line(/listening on (\S+)/, 10_000);
      await threeRecords();
      expect(await json<object>('backup', backup)).toMatchObject({
        file: backup,
        auditSound: true,
        databaseVersion: expect.any(Number),
      });
      expectRefusal(await run(['backup', backup]), 1, 'already-exists');
      expectRefusal(await run(['restore', backup]), 1, 'already-running');
    } finally {
      expect(await server.stop()).toMatchObject({ code: 0 });
    }
    // A copy of the file alone is whole.
    expect(readdirSync(cli.dataDir).filter((name) => name.startsWith('relaygate.db'))).toEqual(['relaygate.db']);
    await json('client', 'create', '--name', 'Later');
    const { keptAside } = await json<{ keptAside: string }>('restore', backup);
    expect(existsSync(keptAside)).toBe(true);
    expect(await json<object[]>('client', 'list')).toMatchObject([{ name: 'Front desk' }]);
    expect((await run(['audit', 'list', '--newest-first', '--limit', '1'])).out).toContain('database-restored');
    const again = await Program.start({ name: 'server', file: 'server/bin/relaygate-server.js', args: ['start'], env });
    await again.line(/listening on (\S+)/, 10_000);
    expect(await again.stop()).toMatchObject({ code: 0 });
  });

  test('say in words what becomes of tokens and secrets', async () => {
    await threeRecords();
    const backup = join(cli.folder, 'backup.db');
    expect((await run(['backup', backup])).out).toContain('secrets.json is not in the backup');
    expect((await run(['restore', backup])).out).toMatch(/must\s+log in again/);
  });

  test('a backup of a broken audit is written, and is a failure all the same', async () => {
    await threeRecords();
    tamper("UPDATE audit_records SET body = '{}' WHERE seq = 2");
    const backup = join(cli.folder, 'backup.db');
    const { code, err } = await run(['backup', backup]);
    expect(code).toBe(1);
    expect(err).toMatch(/is whole, but the audit in it is broken at cli 2: .* \(audit-broken\)$/);
    expectRefusal(await run(['restore', backup]), 1, 'audit-broken');
  });

  test('a restore where there is nothing to replace is asked for by --new', async () => {
    await threeRecords();
    const backup = join(cli.folder, 'backup.db');
    await run(['backup', backup]);
    rmSync(cli.dataDir, { recursive: true });
    const refused = await run(['restore', backup]);
    expectRefusal(refused, 1, 'database-unusable');
    expect(refused.err).toContain('--new');
    expect(existsSync(cli.dataDir)).toBe(false);
    expect((await run(['restore', '--new', backup])).out).toContain(cli.dataDir);
    expect(await json<Verified>('audit', 'verify')).toMatchObject({ sound: true, records: 4 });
  });

  test('of what is not there are refused', async () => {
    expectRefusal(await run(['backup', join(cli.folder, 'backup.db')]), 1, 'database-unusable');
    await threeRecords();
    writeFileSync(join(cli.folder, 'diary'), 'Dear diary, '.repeat(1000));
    expectRefusal(await run(['restore', join(cli.folder, 'diary')]), 1, 'database-unusable');
    expectRefusal(await run(['restore', join(cli.folder, 'nothing')]), 1, 'database-unusable');
    expect(readdirSync(cli.folder).sort()).toEqual(['data', 'diary']);
  });
});

describeWhere(process.geteuid?.() === 0 ? undefined : 'only root can give files away')(
  'as root, beside a service that runs as somebody else',
  () => {
    test('files that root makes are given to the owner of the data folder', async () => {
      await threeRecords();
      const backup = join(cli.folder, 'backup.db');
      await run(['backup', backup]);
      rmSync(cli.dataDir, { recursive: true });
      mkdirSync(cli.dataDir);
      chownSync(cli.dataDir, 1_234, 1_235);
      await run(['restore', '--new', backup]);
      await json('client', 'create', '--name', 'Another');
      const owners = readdirSync(cli.dataDir).map((name) => statSync(join(cli.dataDir, name)));
      expect(new Set(owners.map(({ uid, gid }) => `${uid}:${gid}`))).toEqual(new Set(['1234:1235']));
    });
  },
);
