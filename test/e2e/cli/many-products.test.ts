import { spawn, spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';
import { freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

const CSV_LINE = /^gate-[0-9a-z]{8},P[0-9A-Z]{3}(-[0-9A-Z]{4}){6},E[0-9A-Z]{6}(-[0-9A-Z]{7}){3}$/;

test('many products are made at once, as CSV', async () => {
  const { code, out, err } = await run(['product', 'create', '--outputs', '2', '--count', '600', '--csv']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [header, ...lines] = out.split('\n');
  expect(header).toBe('productLogin,productKey,enrolmentCode');
  expect(lines.filter((line) => !CSV_LINE.test(line))).toEqual([]);
  const logins = lines.map((line) => line.split(',')[0]).sort();
  expect(new Set(logins).size).toBe(600);
  const listed = await json<{ productLogin: string }[]>('product', 'list');
  expect(listed.map(({ productLogin }) => productLogin)).toEqual(logins);
});

test('one product, too, and many as one JSON document a line', async () => {
  const one = await run(['product', 'create', '--outputs', '2', '--csv', '--activate-all']);
  expect(one.out.split('\n')).toHaveLength(2);
  const many = await run(['product', 'create', '--outputs', '2', '--count', '3', '--json']);
  const made = many.out.split('\n').map((line) => JSON.parse(line));
  expect(made).toHaveLength(3);
  expect(made[0]).toMatchObject({ outputs: 2, activated: false });
});

test('the list is read in parts', async () => {
  for (const login of ['a', 'b', 'c', 'd']) await json('product', 'create', '--outputs', '1', '--login', login);
  const logins = async (...args: string[]): Promise<string[]> =>
    (await json<{ productLogin: string }[]>('product', 'list', ...args)).map(({ productLogin }) => productLogin);
  expect(await logins('--limit', '2')).toEqual(['a', 'b']);
  expect(await logins('--after', 'b')).toEqual(['c', 'd']);
  expect(await logins('--after', 'a', '--limit', '2')).toEqual(['b', 'c']);
  expect(await logins('--after', 'd')).toEqual([]);
  expect((await run(['product', 'list', '--after', 'c'])).out.split('\n')).toHaveLength(2);
});

test('when nobody takes the output, it says what was made, and stops', async () => {
  const env = { PATH: process.env.PATH, RELAYGATE_DATA_DIR: cli.dataDir };
  const args = ['server/bin/relaygate-server.js', 'product', 'create', '--outputs', '1', '--count', '50000', '--csv'];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(1);
  const [, printed, lost] =
    /(\d+) of 50000 products were made and printed; (\d+) more were made, but their keys are lost: gate-/.exec(err) ??
    [];
  const listed = await json<object[]>('product', 'list');
  expect(listed).toHaveLength(Number(printed) + Number(lost));
});

test('a full disk under the keys is one line that says what was made, and exit code 1', async () => {
  await json('product', 'create', '--outputs', '1', '--login', 'gate');
  await json('client', 'create', '--name', 'Desk');
  for (const [args, says] of [
    ['product create --outputs 1 --count 3 --csv', '0 of 3 products were made and printed.'],
    ['product create --outputs 1', 'cannot be written'],
    ['product rotate-key gate', 'cannot be written'],
    ['client rotate Desk', 'cannot be written'],
    ['audit verify --json', 'cannot be written'],
    ['product list', 'cannot be written'],
  ] as const) {
    const env = { PATH: process.env.PATH, RELAYGATE_DATA_DIR: cli.dataDir };
    const command = `${process.execPath} server/bin/relaygate-server.js ${args} > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' });
    expect(stderr).toContain(says);
    expect({ status, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 1, lines: 1 });
  }
});

test('a list whose reader has gone is no failure', async () => {
  await run(['product', 'create', '--outputs', '1', '--count', '5000', '--csv']);
  const env = { PATH: process.env.PATH, RELAYGATE_DATA_DIR: cli.dataDir };
  const args = ['server/bin/relaygate-server.js', 'product', 'list'];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.once('data', (text) => expect(String(text)).toBe(''));
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
});

test('a running server keeps writing while many products are made', async () => {
  await cli.beside(async (url) => {
    const { clientKey } = await json('client', 'create', '--name', 'Front desk');
    const body = JSON.stringify({ clientKey });
    const headers = { 'content-type': 'application/json' };
    // Each login writes a refresh family.
    const login = async (): Promise<number> =>
      (await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })).status;
    let making = true;
    const made = run(['product', 'create', '--outputs', '4', '--count', '5000', '--csv']).then((result) => {
      making = false;
      return result;
    });
    const statuses = new Set<number>();
    while (making) statuses.add(await login());
    expect([...statuses]).toEqual([200]);
    expect((await made).code).toBe(0);
  });
});
