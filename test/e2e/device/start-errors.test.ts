/** What stops guard and agent from starting: one line that says what to do, an exit code, nothing lost. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lockDataFolder } from '@relaygate/device-agent/platform/data-lock';
import {
  NO_SERVER,
  outputsWith,
  run,
  startAgent,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from '../../support/device/device';
import { quietLog } from '../../support/device/quiet-log';
import { foldersForEach } from '../../support/device/test-device';
import { eventually } from '../../support/time/waiting';

const folders = foldersForEach();

const PROGRAMS = ['relaygate-guard', 'relaygate-agent'] as const;
/** The guard's, by which outputs-off knows that the relays are in good hands. */
const ALREADY_RUNNING = { 'relaygate-guard': 75, 'relaygate-agent': 1 };

async function startAndFail(program: (typeof PROGRAMS)[number], ...more: string[]): Promise<string> {
  const before = contents(folders.dataDir);
  const { code, stderr, stdout } = await run(program, ['--data', folders.dataDir, '--run', folders.runDir, ...more]);
  expect(code).toBe(stderr.includes(': already-running: ') ? ALREADY_RUNNING[program] : 1);
  expect(stdout).toBe('');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(contents(folders.dataDir)).toEqual(before);
  return stderr;
}

/** Resolves once it has written what it writes by itself. */
async function startFirst(program: (typeof PROGRAMS)[number]): ReturnType<typeof startAgent> {
  if (program === 'relaygate-guard') return startGuard(folders);
  const agent = await startAgent(folders);
  await eventually(() => existsSync(join(folders.dataDir, 'history.jsonl')));
  return agent;
}

/** Every file with its content: what must not be lost. Not the empty ones by which a folder is locked. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.endsWith('.lock'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe.each(PROGRAMS)('%s', (program) => {
  test('without settings says which file is missing', async () => {
    expect(await startAndFail(program)).toMatch(/settings\.json is missing/);
  });

  test('with settings that are not JSON leaves them as they are', async () => {
    writeFileSync(join(folders.dataDir, 'settings.json'), '{"board": {"kind"');
    expect(await startAndFail(program)).toMatch(/file-corrupt: .*settings\.json is not JSON/);
  });

  test('with a wrong setting names the member and what it may be', async () => {
    writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 2: { pulseMs: 20 } }) });
    expect(await startAndFail(program)).toMatch(/outputs\.2\.pulseMs .* 50 to 3600000/);
  });

  test('with a socket path that is too long says how long it may be', async () => {
    writeDeviceSettings(folders.dataDir);
    expect(await startAndFail(program, '--run', join(folders.runDir, 'x'.repeat(100)))).toMatch(/over 100 bytes/);
  });

  test('with a run folder that cannot be made says so', async () => {
    writeDeviceSettings(folders.dataDir);
    writeFileSync(join(folders.runDir, 'file'), '');
    expect(await startAndFail(program, '--run', join(folders.runDir, 'file', 'below'))).toMatch(/socket-unusable/);
  });

  test('beside another one says that it runs already, and leaves that one alone', async () => {
    writeDeviceSettings(folders.dataDir);
    const first = await startFirst(program);
    try {
      expect(await startAndFail(program)).toMatch(/already-running: /);
      expect(first.running).toBe(true);
    } finally {
      await stopDevice([first]);
    }
  });

  test('beside another one on the same data folder, with another run folder, says that it runs already', async () => {
    writeDeviceSettings(folders.dataDir);
    const first = await startFirst(program);
    try {
      expect(await startAndFail(program, '--run', join(folders.runDir, 'other'))).toMatch(/already-running: /);
    } finally {
      await stopDevice([first]);
    }
  });

  test('with a wrong option says so', async () => {
    const { code, stderr } = await run(program, ['--dta']);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/unknown option '--dta'.*--data/);
  });
});

describe('relaygate-agent', () => {
  test('does not speak ws:// to another machine', async () => {
    writeDeviceSettings(folders.dataDir, { link: { ...NO_SERVER, serverUrl: 'ws://gate.example.com' } });
    expect(await startAndFail('relaygate-agent')).toMatch(/serverUrl must be wss:\/\//);
  });

  test('with a CA file that is not there says so', async () => {
    const serverCaFile = join(folders.dataDir, 'no-such.pem');
    writeDeviceSettings(folders.dataDir, { link: { ...NO_SERVER, serverCaFile } });
    expect(await startAndFail('relaygate-agent')).toMatch(/serverCaFile cannot be read/);
  });

  test('with a corrupt identity does not make a new one', async () => {
    writeDeviceSettings(folders.dataDir);
    writeFileSync(join(folders.dataDir, 'identity.json'), '{"privateKey":"AAAA"}');
    expect(await startAndFail('relaygate-agent')).toMatch(/identity\.json is corrupt/);
  });
});

describe('relaygate-guard', () => {
  test('reads nothing before it has its data folder: who finishes a factory reset there may be about to wipe it', async () => {
    const lock = await lockDataFolder(folders.dataDir, 'relaygate-guard', quietLog());
    try {
      expect(await startAndFail('relaygate-guard')).toMatch(/already-running: /);
    } finally {
      await lock.release();
    }
    expect(await startAndFail('relaygate-guard')).toMatch(/settings\.json is missing/);
  });

  test('replaces the socket that a killed one has left', async () => {
    writeDeviceSettings(folders.dataDir);
    const killed = await startGuard(folders);
    killed.kill('SIGKILL');
    await killed.ended;
    expect(readdirSync(folders.runDir)).toContain('guard.sock');
    await stopDevice([await startGuard(folders)]);
  });

  test('makes the folder of its socket', async () => {
    writeDeviceSettings(folders.dataDir);
    const runDir = join(folders.runDir, 'deep', 'er');
    await stopDevice([await startGuard({ dataDir: folders.dataDir, runDir })]);
    expect(readdirSync(runDir)).toEqual(['guard.sock.lock', 'journal.jsonl', 'off-orders']);
  });

  test('keeps a corrupt journal aside and starts', async () => {
    writeDeviceSettings(folders.dataDir);
    mkdirSync(folders.runDir, { recursive: true });
    writeFileSync(join(folders.runDir, 'journal.jsonl'), 'no journal\n');
    const guard = await startGuard(folders);
    expect(guard.complaint).toContain('the journal was corrupt');
    expect(readdirSync(folders.runDir)).toContain('journal.jsonl.corrupt-1');
    await stopDevice([guard]);
  });
});

test('a guard whose run folder takes no orders for its end starts all the same, and writes them once it can', async () => {
  writeDeviceSettings(folders.dataDir);
  const orders = join(folders.runDir, 'off-orders');
  mkdirSync(`${orders}.new`, { recursive: true });
  const guard = await startGuard(folders);
  try {
    expect(existsSync(orders)).toBe(false);
    rmdirSync(`${orders}.new`);
    await eventually(() => existsSync(orders));
  } finally {
    await stopDevice([guard]);
  }
});

test('a console at lines that the relays use keeps no agent from starting; it is not opened, and a fault', async () => {
  const board = { kind: 'gpio' as const, lines: [5, 6, 7, 14] };
  writeDeviceSettings(folders.dataDir, { board, console: { port: '/dev/serial0' } });
  const agent = await startAgent(folders);
  try {
    await agent.line(/serial0.*the UART at the lines 14 and 15, and line 14 is in use/);
  } finally {
    await stopDevice([agent]);
  }
});
