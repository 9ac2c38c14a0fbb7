/** What all three programs answer alike, for every command that their help lists. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { commandsOf, type KnownCommand, PROGRAM_NAMES, type Typed, typed } from '../../support/processes/every-command';
import { folderForAll } from '../../support/processes/fresh-folder';

/** Processes at once. */
const AT_ONCE = 4;
const LEAST_COMMANDS = { relayctl: 20, 'relaygate-server': 22, 'relaygate-flash': 4 };

describe.each(PROGRAM_NAMES)('%s', (name) => {
  const folder = folderForAll('rg-lines-');
  let commands: KnownCommand[];
  beforeAll(async () => {
    commands = await commandsOf(name);
    expect(commands.length).toBeGreaterThanOrEqual(LEAST_COMMANDS[name]);
  });

  /** `run` for every command; what is told of the first that is not as `look` wants it begins with its words. */
  async function ofEach(
    run: (command: readonly string[]) => Promise<Typed>,
    look: (ran: Typed) => void,
  ): Promise<void> {
    for (let first = 0; first < commands.length; first += AT_ONCE)
      await Promise.all(
        commands.slice(first, first + AT_ONCE).map(async ({ words }) => {
          const ran = await run(words);
          try {
            look(ran);
          } catch (error) {
            throw new Error(`${[name, ...words].join(' ')}: ${String(error)}\n${JSON.stringify(ran)}`);
          }
        }),
      );
  }
  /** Whoever read it is gone before the program writes. */
  const unread = (stream: 'stdout' | 'stderr', ...args: string[]) =>
    typed(name, args, { began: (child) => child[stream]?.destroy() });

  test('its help ends quietly where nobody reads on', () =>
    ofEach(
      (command) => unread('stdout', ...command, '--help'),
      ({ code, signal, err }) => expect({ code, signal, err }).toEqual({ code: 0, signal: null, err: '' }),
    ));

  test('a complaint that nobody reads changes no exit code', () =>
    ofEach(
      (command) => unread('stderr', ...command, '--nonsense'),
      ({ code, signal }) => expect({ code, signal }).toEqual({ code: 2, signal: null }),
    ));

  test('with --json a wrong option is one line of JSON that says so', () =>
    ofEach(
      (command) => typed(name, [...command, '--nonsense', '--json']),
      ({ code, out, err }) => {
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err.trimEnd().split('\n')).toHaveLength(1);
        const complaint = JSON.parse(err);
        expect(complaint).toEqual({ error: 'bad-usage', message: expect.stringMatching(/^(unknown|required) option/) });
      },
    ));

  test.each([
    ['a missing command', [], /^a command is missing; "[a-z-]+ --help" lists them$/],
    ['an unknown command', ['explode'], /^unknown command 'explode'/],
    ['help for an unknown command', ['help', 'explode'], /^unknown command 'explode'; "[a-z-]+ --help" lists them$/],
  ])('tells %s in its last line, and with --json as one object', async (_what, args, message) => {
    const plain = await typed(name, args);
    const last = plain.err.trimEnd().split('\n').at(-1) ?? '';
    expect(plain).toMatchObject({ code: 2, out: '' });
    expect(last).toMatch(/bad-usage/);
    expect(last.startsWith(`${name}: `)).toBe(true);
    const { code, out, err } = await typed(name, [...args, '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toEqual({ error: 'bad-usage', message: expect.stringMatching(message) });
  });

  test('no help shows a bare number of milliseconds as a default', () => {
    const otherwiseCounted = /in (?:MiB|a minute), [^()]*\(default \d+\)/g;
    for (const { help } of commands)
      expect(help.replaceAll(/\s+/g, ' ').replaceAll(otherwiseCounted, '')).not.toMatch(/default:? \d{4,7}\b/);
  });

  test('says that its answer could not be written', async () => {
    const full = openSync('/dev/full', 'w');
    const { code, err } = await typed(name, ['--version'], { stdout: full });
    closeSync(full);
    expect(code).not.toBe(0);
    expect(err).toMatch(/^relay\S+: .*ENOSPC.*\n$/);
  });

  test('says that a file took only the beginning of its answer', async () => {
    const file = openSync(join(folder, 'help'), 'w');
    const { code, err } = await typed(name, ['--help'], { stdout: file, fileBlocks: 2 });
    closeSync(file);
    expect(code).not.toBe(0);
    expect(err).toMatch(/^relay\S+: .*EFBIG.*\n$/);
  });
});

test.each([
  [
    'relaygate-server',
    ['--json', 'product', 'list'],
    '--json goes behind the command: "relaygate-server COMMAND --json"',
  ],
  ['relaygate-flash', ['--json', 'prepare'], '--json goes behind the command: "relaygate-flash COMMAND --json"'],
  [
    'relaygate-server',
    ['product', '--json'],
    `unknown option '--json'; "relaygate-server product --help" shows what goes there`,
  ],
  [
    'relaygate-server',
    ['start', '--settings', 'product', '--json'],
    `unknown option '--json'; "relaygate-server start --help" shows what goes there`,
  ],
] as const)('%s says where --json goes: %j', async (name, args, message) => {
  const { code, out, err } = await typed(name, args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(JSON.parse(err)).toEqual({ error: 'bad-usage', message });
});

describe('a refusal of the server is JSON too', () => {
  const dataDir = folderForAll('rg-lines-');

  test('says with --json in JSON that options do not go together', async () => {
    const wrong = ['product', 'create', '--outputs', '4', '--csv', '--json'];
    const { code, err } = await typed('relaygate-server', wrong);
    expect({ code, ...JSON.parse(err) }).toMatchObject({
      code: 2,
      error: 'bad-usage',
      message: expect.stringContaining('cannot be used with'),
    });
  });

  test('one object with code and message', async () => {
    const env = { RELAYGATE_DATA_DIR: dataDir };
    await typed('relaygate-server', ['client', 'create', '--name', 'Front desk'], { env });
    const { code, err } = await typed('relaygate-server', ['client', 'activate', 'nobody', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(err)).toEqual({ error: 'client-not-found', message: expect.any(String) });
  });
});
