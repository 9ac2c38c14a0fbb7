import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandsOf } from '../../support/processes/every-command';
import { expectRefusal, freshCli } from './fresh-cli';

const CLIENT_KEY = /rgc_[0-9a-z]{16}_[0-9a-z]{52}/;
const SECRET_CODE = /P[0-9A-Z]{3}(-[0-9A-Z]{4}){6}|E[0-9A-Z]{6}(-[0-9A-Z]{7}){3}/;
const MAX_COLUMNS = 100;

const cli = freshCli();
const { run, json } = cli;

describe('clients', () => {
  test('create prints the key once, list never', async () => {
    const created = await json('client', 'create', '--name', 'Front desk');
    expect(Object.keys(created)).toEqual(['clientId', 'name', 'clientKey']);
    expect(created.clientKey).toMatch(CLIENT_KEY);
    const plain = await run(['client', 'create', '--name', 'Gate app']);
    expect(plain.out).toMatch(CLIENT_KEY);
    expect(plain.out).toContain('shown once');
    const list = await run(['client', 'list']);
    expect(list.out).toContain('Front desk');
    expect(list.out).not.toMatch(CLIENT_KEY);
  });

  test('deactivate and activate take the id or the name', async () => {
    const { clientId } = await json('client', 'create', '--name', 'Front desk');
    expect(await json('client', 'deactivate', 'Front desk')).toEqual({ client: 'Front desk', active: false });
    expect(await json('client', 'list')).toMatchObject([{ clientId, name: 'Front desk', active: false, products: 0 }]);
    expect(await json('client', 'activate', clientId)).toEqual({ client: clientId, active: true });
    expect(await json('client', 'list')).toMatchObject([{ active: true }]);
  });

  test('list shows until when a rotated key works on', async () => {
    await json('client', 'create', '--name', 'Front desk');
    expect((await run(['client', 'list'])).out).not.toContain('2099-');
    await json('client', 'rotate', 'Front desk', '--old-key-until', new Date(Date.now() + 86_400_000).toISOString());
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect((await run(['client', 'list'])).out).toContain(until);
  });

  test('a second client of a name, and an unknown client, are refused', async () => {
    await json('client', 'create', '--name', 'Front desk');
    expectRefusal(await run(['client', 'create', '--name', 'Front desk']), 1, 'already-exists');
    expectRefusal(await run(['client', 'activate', 'nobody']), 1, 'client-not-found');
  });
});

describe('products and outputs', () => {
  test('create prints login, key and code once', async () => {
    const created = await json('product', 'create', '--outputs', '4', '--login', 'north-gate');
    expect(created).toEqual({
      productLogin: 'north-gate',
      productKey: expect.stringMatching(SECRET_CODE),
      enrolmentCode: expect.stringMatching(SECRET_CODE),
      outputs: 4,
      activated: false,
    });
    expect(created.productKey).not.toBe(created.enrolmentCode);
    const plain = await run(['product', 'create', '--outputs', '1', '--activate-all']);
    expect(plain.out).toMatch(/gate-[0-9a-z]{8}/);
    expect(plain.out).toContain('shown once');
  });

  test('activate-all activates the application and every output', async () => {
    await json('product', 'create', '--outputs', '2', '--login', 'gate', '--activate-all');
    expect(await json('product', 'show', 'gate')).toMatchObject({
      activated: true,
      enrolled: false,
      connected: false,
      outputs: [{ activated: true }, { activated: true }],
    });
  });

  test('application and outputs are activated one by one', async () => {
    await json('product', 'create', '--outputs', '2', '--login', 'gate');
    expect(await json('product', 'activate', 'gate')).toEqual({ productLogin: 'gate', activated: true });
    expect(await json('output', 'activate', 'gate', '1')).toEqual({
      productLogin: 'gate',
      numOutput: 1,
      activated: true,
    });
    expect(await json('product', 'show', 'gate')).toMatchObject({
      activated: true,
      outputs: [{ activated: false }, { activated: true }],
    });
    await json('product', 'deactivate', 'gate');
    await json('output', 'deactivate', 'gate', '1');
    expect(await json('product', 'list')).toMatchObject([{ productLogin: 'gate', outputs: 2, activated: false }]);
    expect(await json('product', 'show', 'gate')).toMatchObject({
      activated: false,
      outputs: [{ activated: false }, { activated: false }],
    });
  });

  test('show prints neither keys nor hashes', async () => {
    const { productKey, enrolmentCode } = await json('product', 'create', '--outputs', '1', '--login', 'gate');
    for (const args of [[], ['--json']]) {
      const { out } = await run(['product', 'show', 'gate', ...args]);
      expect(out).toContain('gate');
      expect(out).not.toContain(productKey);
      expect(out).not.toContain(enrolmentCode);
      expect(out).not.toMatch(/[0-9a-f]{64}/);
    }
  });

  test('revoke-device prints a new code', async () => {
    const { enrolmentCode } = await json('product', 'create', '--outputs', '1', '--login', 'gate');
    const revoked = await json('product', 'revoke-device', 'gate');
    expect(revoked).toEqual({ productLogin: 'gate', enrolmentCode: expect.stringMatching(SECRET_CODE) });
    expect(revoked.enrolmentCode).not.toBe(enrolmentCode);
    expect((await run(['product', 'revoke-device', 'gate'])).out).toContain('shown once');
  });

  test('what does not exist is refused', async () => {
    await json('product', 'create', '--outputs', '2', '--login', 'gate');
    expectRefusal(await run(['product', 'create', '--outputs', '2', '--login', 'gate']), 1, 'already-exists');
    for (const verb of ['show', 'activate', 'deactivate', 'rotate-key', 'revoke-device']) {
      expectRefusal(await run(['product', verb, 'door']), 1, 'product-not-found');
    }
    expectRefusal(await run(['output', 'activate', 'door', '0']), 1, 'product-not-found');
    expectRefusal(await run(['output', 'activate', 'gate', '2']), 1, 'output-not-found');
  });

  test('tables fit 100 columns, however long the names', async () => {
    await json('client', 'create', '--name', 'n'.repeat(64));
    await json('product', 'create', '--outputs', '64', '--login', 'p'.repeat(64));
    for (const args of [
      ['client', 'list'],
      ['product', 'list'],
      ['product', 'show', 'p'.repeat(64)],
      ['audit', 'list'],
    ]) {
      const widest = Math.max(...(await run(args)).out.split('\n').map((line) => line.length));
      expect(widest).toBeLessThanOrEqual(MAX_COLUMNS);
    }
  });
});

test('--version prints the version alone', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../../server/package.json'), 'utf8'));
  expect(await run(['--version'])).toEqual({ code: 0, out: version, err: '' });
});

describe('wrong usage ends with 2 and one line', () => {
  test.each([
    [['nonsense']],
    [['client', 'nonsense']],
    [['client', 'create']],
    [['client', 'create', '--name', '']],
    [['client', 'create', '--name', 'a\u001b[31mb']],
    [['client', 'list', '--nonsense']],
    [['client', 'list', 'surplus']],
    [['client', 'activate']],
    [['client', 'rotate']],
    [['client', 'rotate', 'x', '--keep-old-for', '400d']],
    [['client', 'rotate', 'x', '--keep-old-for', '1h', '--old-key-until', '2099-01-01T00:00Z']],
    [['product', 'create']],
    [['product', 'create', '--outputs', '0']],
    [['product', 'create', '--outputs', '65']],
    [['product', 'create', '--outputs', '1.5']],
    [['product', 'create', '--outputs', '0x4']],
    [['product', 'create', '--outputs', '4', '--login', 'a/b']],
    [['product', 'create', '--outputs', '4', '--count', '5']],
    [['product', 'create', '--outputs', '4', '--count', '0', '--csv']],
    [['product', 'create', '--outputs', '4', '--count', '5', '--csv', '--login', 'gate']],
    [['product', 'list', '--limit', '0']],
    [['output', 'activate', 'gate']],
    [['association', 'end', 'gate']],
    [['association', 'list', '--limit', '0']],
    [['audit', 'list', '--outcome', 'pending']],
    [['audit', 'list', '--kind', 'nonsense']],
    [['audit', 'list', '--since', 'tomorrow']],
    [['audit', 'verify', '--expect-head', 'cli:1']],
    [['backup']],
    [['restore']],
    [['output', 'activate', 'gate', 'one']],
    [['output', 'activate', 'gate', '-1']],
  ])('%p', async (args) => {
    expectRefusal(await run(args), 2, 'bad-usage');
  });

  test('no command at all prints the help on stderr', async () => {
    const { code, out, err } = await run([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: relaygate-server');
  });
});

test('the help of each command has an example', async () => {
  const commands = await commandsOf('relaygate-server');
  for (const { words, help } of commands.filter((one) => !one.help.includes('\nCommands:\n')))
    expect(help).toMatch(new RegExp(`Example:\\n  .*relaygate-server ${words.join(' ')}`));
});

describe('settings', () => {
  test('a settings file names the data folder, by option or by environment', async () => {
    await json('client', 'create', '--name', 'Front desk');
    const settings = join(cli.folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ dataDir: cli.dataDir }));
    const byOption = await run(['client', 'list', '--settings', settings], {});
    const byVariable = await run(['client', 'list'], { RELAYGATE_SETTINGS_FILE: settings });
    for (const { code, out } of [byOption, byVariable]) {
      expect(code).toBe(0);
      expect(out).toContain('Front desk');
    }
  });

  test('a settings file that is not there is refused', async () => {
    const env = { RELAYGATE_DATA_DIR: cli.dataDir, RELAYGATE_SETTINGS_FILE: '/nonexistent/settings.json' };
    expectRefusal(await run(['start'], env), 1, 'bad-setting');
  });

  test('a data folder without a database is no place for other commands than create', async () => {
    expectRefusal(await run(['client', 'list']), 1, 'database-unusable');
    expectRefusal(await run(['product', 'show', 'gate']), 1, 'database-unusable');
  });

  test('a data folder that cannot be made, or holds something else, is refused', async () => {
    writeFileSync(join(cli.folder, 'plain-file'), '');
    const inFile = { RELAYGATE_DATA_DIR: join(cli.folder, 'plain-file', 'data') };
    expectRefusal(await run(['client', 'create', '--name', 'x'], inFile), 1, 'folder-not-writable');
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, 'relaygate.db'), 'Dear diary, '.repeat(1000));
    expectRefusal(await run(['client', 'create', '--name', 'x']), 1, 'database-unusable');
    expectRefusal(
      await run(['start'], { RELAYGATE_DATA_DIR: cli.dataDir, RELAYGATE_LISTEN: '127.0.0.1:0' }),
      1,
      'database-unusable',
    );
  });
});

test('commands work beside a running server', async () => {
  await cli.beside(async (url) => {
    const { clientKey } = await json('client', 'create', '--name', 'Front desk');
    const login = async (): Promise<number> => {
      const body = JSON.stringify({ clientKey });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })).status;
    };
    expect(await login()).toBe(200);
    await json('client', 'deactivate', 'Front desk');
    expect(await login()).toBe(401);
  });
});
