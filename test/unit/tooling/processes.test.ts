/** Starting and stopping programs, shared by the demo and by tests with processes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { folderForAll } from '../../support/processes/fresh-folder';
import { type Launch, Program, ProgramError, runToEnd } from '../../support/processes/program';

const LIMIT_MS = 5_000;

const folder = folderForAll('rg-processes-');
const started: Program[] = [];

afterEach(async () => {
  for (const program of started.splice(0)) {
    program.kill('SIGKILL');
    await program.ended;
  }
});

function script(name: string, text: string): Launch {
  const file = join(folder, `${name}.js`);
  writeFileSync(file, text);
  return { name, file, args: [] };
}

async function start(launch: Launch): Promise<Program> {
  const program = await Program.start(launch);
  started.push(program);
  return program;
}

const STAYS = 'setInterval(() => {}, 1000);';

describe('a program', () => {
  test('is awaited by a line it prints, before or after somebody asks', async () => {
    const program = await start(script('ready', `console.log('listening on 8080'); ${STAYS}`));
    expect((await program.line(/listening on (\d+)/, LIMIT_MS))[1]).toBe('8080');
    expect((await program.line(/listening on (\d+)/, LIMIT_MS))[1]).toBe('8080');
  });

  test('that ends instead is an error with its own words', async () => {
    const program = await start(script('broken', `console.error('port 80 is taken'); process.exitCode = 3;`));
    await expect(program.line(/ready/, LIMIT_MS)).rejects.toThrow('broken ended with exit code 3:\nport 80 is taken');
  });

  test('that stays silent is an error when the time is over', async () => {
    const program = await start(script('silent', STAYS));
    await expect(program.line(/ready/, 50)).rejects.toThrow(ProgramError);
  });

  test('is asked to end, and may take leave', async () => {
    const text = `process.on('SIGTERM', () => process.exit(7)); ${STAYS} console.log('ready');`;
    const program = await start(script('polite', text));
    await program.line(/ready/, LIMIT_MS);
    expect(await program.stop()).toEqual({ code: 7, signal: null });
    expect(program.running).toBe(false);
  });

  test('is ended when it does not listen', async () => {
    const text = `process.on('SIGTERM', () => {}); ${STAYS} console.log('ready');`;
    const program = await start(script('stubborn', text));
    await program.line(/ready/, LIMIT_MS);
    expect(await program.stop(50)).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('does not see the Relaygate settings of whoever starts it', async () => {
    process.env.RELAYGATE_LISTEN = '127.0.0.1:1';
    try {
      const print = `console.log(process.env.RELAYGATE_LISTEN, process.env.RELAYGATE_DATA_DIR);`;
      const launch = { ...script('settings', print), env: { RELAYGATE_DATA_DIR: 'ours' } };
      expect(await runToEnd(launch)).toBe('undefined ours');
    } finally {
      delete process.env.RELAYGATE_LISTEN;
    }
  });

  test('that runs to its end gives its output, or an error with what it said', async () => {
    expect(await runToEnd(script('prints', `console.log('{"a":1}'); console.error('log');`))).toBe('{"a":1}');
    await expect(runToEnd(script('fails', `console.error('no such client'); process.exitCode = 1;`))).rejects.toThrow(
      'fails ended with exit code 1:\nno such client',
    );
  });
});
