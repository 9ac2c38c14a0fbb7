import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createClient } from '@relaygate/server/clients/provision';
import { operatorAccess } from '@relaygate/server/operator-access';
import { createProduct, setProductActivated } from '@relaygate/server/products/provision';
import { readSettings } from '@relaygate/server/settings';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { typed } from '../../support/processes/every-command';
import { describeWhere } from '../../support/processes/needs';
import { tamper } from '../../support/server/tamper';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

interface Verified {
  sound: boolean;
  records: number;
  heads: { writer: string; seq: number; hash: string }[];
  findings: { writer: string; seq: number; fault: string }[];
  unconfirmed: object[];
  checkpoints: object;
}

/** Records 1 to 3 of the writer `cli`, behind the two with which an audit begins: ids 3 to 5. As three commands make them. */
async function threeRecords(): Promise<void> {
  const settings = readSettings({ RELAYGATE_DATA_DIR: cli.dataDir });
  const systemUser = userInfo().username;
  const store = await operatorAccess.openStore(settings, { mustExist: false, systemUser, showNotice() {} });
  const making = { store, randomness: systemRandomness, wallClock: systemWallClock };
  await createClient(making, 'Front desk');
  await createProduct(making, { productLogin: 'gate', outputs: 1, activated: false });
  await setProductActivated(making, 'gate', true);
  await store.close();
}

/** A server that starts and stops, which leaves a checkpoint. */
const serveOnce = (): Promise<void> => cli.beside(async () => {});

describe('audit list', () => {
  test('prints a table, or one JSON document a line', async () => {
    await threeRecords();
    const plain = await run(['audit', 'list']);
    expect(plain.out.split('\n')).toHaveLength(4);
    expect(plain.out).toMatch(/product-created +gate/);
    expect(plain.out).toMatch(/client-created +- +Front desk/);
    const { out } = await run(['audit', 'list', '--newest-first', '--limit', '2', '--json']);
    expect(out.split('\n').map((line) => JSON.parse(line))).toMatchObject([
      { id: 5, writer: 'cli', seq: 3, kind: 'product-activated', productLogin: 'gate' },
      { id: 4, kind: 'product-created', at: expect.stringMatching(/Z$/) },
    ]);
  });

  test('narrows by product, client, kind and time', async () => {
    await threeRecords();
    const ids = async (...args: string[]): Promise<number[]> => {
      const { out } = await run(['audit', 'list', '--json', ...args]);
      return out === '' ? [] : out.split('\n').map((line) => JSON.parse(line).id);
    };
    expect(await ids('--product', 'gate')).toEqual([4, 5]);
    expect(await ids('--client', 'Front desk')).toEqual([3]);
    expect(await ids('--kind', 'product-activated')).toEqual([5]);
    expect(await ids('--since', '1h', '--after', '3')).toEqual([4, 5]);
    expect(await ids('--since', 'yesterday')).toEqual([3, 4, 5]);
    expect(await ids('--kind', 'writer-added')).toEqual([2]);
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
    expect({ sound, records, heads }).toMatchObject({
      sound: true,
      records: 5,
      heads: [
        { writer: '@writers', seq: 2 },
        { writer: 'cli', seq: 3 },
      ],
    });
    const plain = await run(['audit', 'verify']);
    const [head = ''] = plain.out.match(/^cli:3:[0-9a-f]{64}$/m) ?? [];
    await json('product', 'deactivate', 'gate');
    const again = await run(['audit', 'verify', '--expect-head', head]);
    expect(again).toMatchObject({ code: 0, err: '' });
    // The one record since, of which nobody else knows.
    expect(again.out).toMatch(/no --expect-head confirms [\s\S]*\ncli: record 4$/);
  });

  test.each([
    ['UPDATE audit_log SET body = \'{"product":1}\' WHERE id = 4', 'cli 2: the record was changed'],
    ['DELETE FROM audit_log WHERE id = 4', 'cli 2: record 2 is missing'],
    ['UPDATE audit_log SET id = 9 WHERE id = 3', 'cli 1: the record was moved'],
  ])('%s ends with 1 and says where', async (statement, where) => {
    await threeRecords();
    tamper(join(cli.dataDir, 'relaygate.db'), statement);
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

  test('a broken audit ends with 1 although the reader of the report has gone', async () => {
    await threeRecords();
    tamper(join(cli.dataDir, 'relaygate.db'), 'DELETE FROM audit_log WHERE id = 4');
    const env = { RELAYGATE_DATA_DIR: cli.dataDir };
    const { code, err } = await typed('relaygate-server', ['audit', 'verify'], {
      env,
      began: (child) => child.stdout?.destroy(),
    });
    expect(err).toContain('audit-broken');
    expect(code).toBe(1);
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
    tamper(join(cli.dataDir, 'relaygate.db'), 'DELETE FROM audit_log WHERE id = 5');
    expect((await run(['audit', 'verify'])).err).toContain('cli 3: the chain ends here, but once had 3 records');
    // Whoever changes all that the database says of it is found out by a head that was noted elsewhere.
    tamper(
      join(cli.dataDir, 'relaygate.db'),
      "UPDATE audit_writers SET seq = 2, hash = (SELECT hash FROM audit_log WHERE id = 4) WHERE name = 'cli'",
    );
    expect((await run(['audit', 'verify'])).code).toBe(0);
    const noted = heads.map(({ writer, seq, hash }) => `${writer}:${seq}:${hash}`).join();
    const { code, err } = await run(['audit', 'verify', '--expect-head', noted]);
    expect(code).toBe(1);
    expect(err).toContain('cli 3: the chain ends here, but once had 3 records');
  });
});

describe('audit verify with the checkpoint of the last run', () => {
  test('finds it by itself, confirms the records by it, and says so', async () => {
    await threeRecords();
    expect((await run(['audit', 'verify'])).out).toContain('There is no checkpoint file');
    await serveOnce();
    const { sound, unconfirmed, checkpoints } = await json<Verified>('audit', 'verify');
    expect({ sound, unconfirmed, checkpoints }).toEqual({
      sound: true,
      unconfirmed: [],
      checkpoints: {
        good: 1,
        unchecked: 0,
        outside: { atMs: expect.any(Number), authentic: true },
        newestGoodAtMs: expect.any(Number),
      },
    });
    const { out } = await run(['audit', 'verify']);
    expect(out).toMatch(/Compared with the checkpoint of \d{4}-/);
    expect(out).not.toContain('confirms the records below');
    expect(out).toMatch(/The newest checkpoint with a good MAC is of \d{4}-[\s\S]*an older copy/);
  });

  test('a key that was lost is made anew, which is recorded and shown', async () => {
    await threeRecords();
    await serveOnce();
    rmSync(join(cli.dataDir, 'audit.key'));
    expect((await json<Verified>('audit', 'verify')).unconfirmed).not.toEqual([]);
    await serveOnce();
    const { sound, unconfirmed, checkpoints } = await json<Verified>('audit', 'verify');
    expect({ sound, unconfirmed, checkpoints }).toMatchObject({
      sound: true,
      unconfirmed: [],
      checkpoints: { unchecked: 1, keyChangedAtMs: expect.any(Number), outside: { authentic: true } },
    });
    expect((await run(['audit', 'verify'])).out).toContain('audit.key was changed at ');
    expect((await run(['audit', 'list'])).out).toContain('audit-key-changed');
  });

  test('is written where the settings say, and read from there', async () => {
    const place = join(cli.folder, 'elsewhere.json');
    const env = { RELAYGATE_DATA_DIR: cli.dataDir, RELAYGATE_AUDIT_CHECKPOINT_FILE: place };
    await threeRecords();
    await cli.beside(async () => {}, env);
    expect(existsSync(join(cli.dataDir, 'audit-checkpoint.json'))).toBe(false);
    expect(JSON.parse(readFileSync(place, 'utf8'))).toMatchObject({
      heads: expect.any(Array),
      mac: expect.any(String),
    });
    expect((await run(['audit', 'verify', '--json'], env)).out).toContain('"authentic":true');
  });

  /** To the audit of before the server ran, with all that the database knows of the rest. */
  const CUT = [
    'DELETE FROM audit_log WHERE id > 4',
    "DELETE FROM audit_writers WHERE name = 'node-1'",
    "UPDATE audit_writers SET seq = 2, hash = (SELECT hash FROM audit_log WHERE id = 4) WHERE name = 'cli'",
    "UPDATE audit_writers SET seq = 2, hash = (SELECT hash FROM audit_log WHERE id = 2) WHERE name = '@writers'",
  ];

  test('a tail that was cut with all traces of it is named; without the file the report says what it cannot tell', async () => {
    await threeRecords();
    await serveOnce();
    tamper(join(cli.dataDir, 'relaygate.db'), ...CUT);
    const found = await run(['audit', 'verify', '--json']);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out).findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ writer: 'cli', seq: 3, fault: 'cut' }),
        expect.objectContaining({ writer: 'node-1', fault: 'cut' }),
      ]),
    );
    const file = join(cli.dataDir, 'audit-checkpoint.json');
    const copy = join(cli.folder, 'kept-elsewhere.json');
    copyFileSync(file, copy);
    rmSync(file);
    const blind = await run(['audit', 'verify']);
    expect(blind).toMatchObject({ code: 0, out: expect.stringContaining('whether the newest records were cut off') });
    expect(blind.out).toContain('nobody can tell whether this is the newest');
    expect((await run(['audit', 'verify', '--checkpoint', copy])).code).toBe(1);
    expectRefusal(await run(['audit', 'verify', '--checkpoint', file]), 1, 'file-corrupt');
  });

  test('a checkpoint file that was forged or damaged is named', async () => {
    await threeRecords();
    await serveOnce();
    const file = join(cli.dataDir, 'audit-checkpoint.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/cli:3:/, 'cli:2:'));
    const { code, err } = await run(['audit', 'verify']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('the checkpoint file was forged') });
    writeFileSync(file, text.slice(0, 100));
    const damaged = await run(['audit', 'verify', '--json']);
    expect(damaged.code).toBe(1);
    expect(damaged.err).toContain('it is damaged: move it away, or name another one with --checkpoint');
    expect(JSON.parse(damaged.out)).toMatchObject({ faults: 1, findings: [{ fault: 'checkpoint' }] });
    await json('audit', 'archive', '--before', new Date().toISOString(), '--out', join(cli.folder, 'archive.gz'));
  });

  test('a copy without its write-ahead file is named', async () => {
    const database = join(cli.dataDir, 'relaygate.db');
    await threeRecords();
    const copy = join(cli.folder, 'copy.db');
    await cli.beside(async () => {
      // While the server has it open, the newest records are in the log beside it.
      await json('product', 'deactivate', 'gate');
      copyFileSync(database, copy);
    });
    copyFileSync(copy, database);
    const { code, err } = await run(['audit', 'verify']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('the chain ends here') });
  });
});

describe('audit erase-name', () => {
  test('takes a person out of all lists, and breaks no chain', async () => {
    const env = { RELAYGATE_DATA_DIR: cli.dataDir, SUDO_USER: 'ana' };
    await run(['client', 'create', '--name', 'Front desk'], env);
    expect((await run(['audit', 'list'])).out).toContain('cli as ana');
    expect(await json<object>('audit', 'erase-name', 'ana')).toEqual({ erased: 1, isLogEmpty: true });
    const { out } = await run(['audit', 'list']);
    expect(out).not.toContain('ana');
    expect(out).toContain('(erased)');
    expect(out).toMatch(/name-erased .*names=1/);
    expect(await json<Verified>('audit', 'verify')).toMatchObject({ sound: true });
    // Nor in the file.
    expect(readFileSync(join(cli.dataDir, 'relaygate.db')).includes('cli as ana')).toBe(false);
  });

  test('leaves the name in no file of the database beside a running server', async () => {
    await cli.beside(async () => {
      await run(['client', 'create', '--name', 'Front desk'], { RELAYGATE_DATA_DIR: cli.dataDir, SUDO_USER: 'ana' });
      const inLog = () => readFileSync(join(cli.dataDir, 'relaygate.db-wal')).includes('cli as ana');
      expect(inLog()).toBe(true);
      expect(await json<object>('audit', 'erase-name', 'ana')).toEqual({ erased: 1, isLogEmpty: true });
      expect(inLog()).toBe(false);
      expect(readFileSync(join(cli.dataDir, 'relaygate.db')).includes('cli as ana')).toBe(false);
    });
  });

  test("gives a client its id for a name, and works with the client's id from then on", async () => {
    const { clientId } = await json('client', 'create', '--name', 'Front desk');
    expect(await json<object>('audit', 'erase-name', '--client', 'Front desk')).toEqual({
      erased: 1,
      isLogEmpty: true,
    });
    expect((await run(['audit', 'list'])).out).not.toContain('Front desk');
    expect(await json<object[]>('client', 'list')).toMatchObject([{ clientId, name: `(erased) ${clientId}` }]);
    expectRefusal(await run(['client', 'deactivate', 'Front desk']), 1, 'client-not-found');
    await json('client', 'deactivate', clientId);
  });

  test('tells a name that nobody has, and what is missing', async () => {
    await threeRecords();
    expectRefusal(await run(['audit', 'erase-name', 'nobody']), 1, 'name-not-found');
    expectRefusal(await run(['audit', 'erase-name', '--client', 'nobody']), 1, 'client-not-found');
    expectRefusal(await run(['audit', 'erase-name']), 2, 'bad-usage');
    expectRefusal(await run(['audit', 'erase-name', 'ana', '--client', 'Front desk']), 2, 'bad-usage');
  });
});

describe('backup and restore', () => {
  test('go round beside and without a running server', async () => {
    const backup = join(cli.folder, 'backup.db');
    await cli.beside(async () => {
      await threeRecords();
      expect(await json<object>('backup', backup)).toMatchObject({
        file: backup,
        auditSound: true,
        databaseVersion: expect.any(Number),
      });
      expectRefusal(await run(['backup', backup]), 1, 'already-exists');
      expectRefusal(await run(['restore', backup]), 1, 'already-running');
    });
    // A copy of the file alone is whole.
    expect(readdirSync(cli.dataDir).filter((name) => name.startsWith('relaygate.db'))).toEqual(['relaygate.db']);
    await json('client', 'create', '--name', 'Later');
    const { keptAside } = await json<{ keptAside: string }>('restore', backup);
    expect(existsSync(keptAside)).toBe(true);
    expect(await json<object[]>('client', 'list')).toMatchObject([{ name: 'Front desk' }]);
    expect((await run(['audit', 'list', '--newest-first', '--limit', '1'])).out).toContain('database-restored');
    await serveOnce();
  });

  test('say in words what becomes of tokens and secrets', async () => {
    await threeRecords();
    const backup = join(cli.folder, 'backup.db');
    expect((await run(['backup', backup])).out).toContain('secrets.json is not in the backup');
    expect((await run(['restore', backup])).out).toMatch(/must\s+log in again/);
  });

  test('a backup of a broken audit is written, and is a failure all the same', async () => {
    await threeRecords();
    tamper(join(cli.dataDir, 'relaygate.db'), "UPDATE audit_log SET body = '{}' WHERE id = 4");
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
    // With a restore's mark in both chains, and its checkpoint.
    expect(await json<Verified>('audit', 'verify')).toMatchObject({ sound: true, records: 8 });
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
