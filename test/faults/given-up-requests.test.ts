/**
 * T28: somebody at the device gives up while agent or guard are stopped. What had not begun never begins, and whoever may not be
 * sure is told so.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type DeviceFolders, relayctl } from '../support/device/device';
import { TestDevice } from '../support/device/test-device';
import { TlsBrowser } from '../support/device/tls-browser';
import { Fault, PLAY_LIMIT_MS, type Times } from '../support/faults/fault';
import { freePort } from '../support/processes/free-port';
import { Program } from '../support/processes/program';
import { eventually, pause } from '../support/time/waiting';

const T28 = new Fault('T28', 'given up at the device while agent or guard are stopped', 'nothing');
/** Each way once in `npm test`. */
const ONCE: Times = { few: 1, full: 10 };
const AT_ONCE = 2;
/** Longer than anything may take that was asked for before. */
const LATER_MS = 2_000;
const SHORT_STOP_MS = 3_000;
/** From relayctl's connection to its request, on a busy machine. */
const SENT_WITHIN_MS = 800;
/** Behind the deadline of all that was asked for, and of whoever waits. */
const LONG_STOP_MS = 40_000;
/** All of them at once: nearly all of it is waiting. */
const testLong = process.env.RELAYGATE_FULL === undefined ? test.concurrent.skip : test.concurrent;

type Who = 'agent' | 'guard';

/** Plays it on a device of its own with output 1 on, where nothing else may have moved by the end. */
async function play(body: (device: TestDevice, webPort: number) => Promise<void>, ownEdges = 0): Promise<void> {
  await T28.playAlone(ONCE, AT_ONCE, async () => {
    const webPort = await freePort();
    const device = new TestDevice();
    try {
      await device.start({ web: { port: webPort } });
      expect((await device.relayctl('set', '1', 'on')).code).toBe(0);
      const before = device.edges();
      expect(before).toHaveLength(1);
      await body(device, webPort);
      await pause(LATER_MS);
      const after = device.edges();
      expect(after).toEqual([...before, ...after.slice(1, 1 + ownEdges)]);
      // It does work.
      await eventually(async () => (await device.relayctl('set', '1', 'off')).code === 0);
      expect(device.edges()).toHaveLength(2 + ownEdges);
    } finally {
      await device.stop();
    }
  });
}

/** Connections to agent and guard, also those that nobody has accepted: the kernel has each by where its socket was made. */
function connectionsTo({ runDir }: DeviceFolders): number {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return rows.filter((row) => row.includes(` ${runDir}/`)).length;
}

interface Asking {
  program: Program;
  said(): string;
}

/** Starts relayctl; resolves once its request has left. */
async function ask(device: TestDevice, ...args: string[]): Promise<Asking> {
  let text = '';
  const before = connectionsTo(device);
  const program = await Program.start({
    name: 'relayctl',
    file: 'device-agent/bin/relayctl.js',
    args: ['--run', device.runDir, ...args],
    onLine: (line, stream) => {
      if (stream === 'stderr') text += `${line}\n`;
    },
  });
  await eventually(() => connectionsTo(device) > before);
  // The kernel has the connection before relayctl does.
  await pause(SENT_WITHIN_MS);
  return { program, said: () => text };
}

const UNKNOWN = /outcome-unknown: .*[Ii]t may have happened/;
const COMMANDS = [
  ['set', '0', 'on'],
  ['pulse', '2'],
  ['set', '1', 'off'],
  ['output', '1', '--mode', 'impulse', '--force'],
  ['factory-reset', '--yes-wipe', 'test-product'],
] as const;

describe('relayctl', () => {
  describe.each<Who>(['agent', 'guard'])('while the %s is stopped for a while', (who) => {
    test.concurrent.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
      '%s: Ctrl-C ends it with 7, and nothing moves when it goes on',
      (_words, args) =>
        play(async (device) => {
          device[who].kill('SIGSTOP');
          const asked = Date.now();
          const { program, said } = await ask(device, ...args);
          program.kill('SIGINT');
          const { code, signal } = await program.ended;
          // It first asks whether a pulse runs, and nothing else was sent.
          if (args.at(-1) === 'off' && who === 'agent') expect(signal).toBe('SIGINT');
          else {
            expect(code).toBe(7);
            expect(said()).toMatch(UNKNOWN);
          }
          await pause(SHORT_STOP_MS - (Date.now() - asked));
          device[who].kill('SIGCONT');
        }),
      PLAY_LIMIT_MS,
    );

    test.concurrent(
      'pulse 2, killed: nothing moves when it goes on',
      () =>
        play(async (device) => {
          device[who].kill('SIGSTOP');
          const { program } = await ask(device, 'pulse', '2');
          program.kill('SIGKILL');
          await program.ended;
          await pause(1_000);
          device[who].kill('SIGCONT');
        }),
      PLAY_LIMIT_MS,
    );
  });

  testLong.each<Who>(['agent', 'guard'])(
    'that gives up by itself says that it may have happened, and nothing moves after 40 s: the %s',
    (who) =>
      play(async (device) => {
        device[who].kill('SIGSTOP');
        const asked = Date.now();
        const { program, said } = await ask(device, 'pulse', '2');
        expect((await program.ended).code).toBe(7);
        expect(said()).toMatch(UNKNOWN);
        await pause(LONG_STOP_MS - (Date.now() - asked));
        device[who].kill('SIGCONT');
      }),
    PLAY_LIMIT_MS,
  );

  test.concurrent.each<Who>(['agent', 'guard'])(
    'behind its deadline, still there: refused or not known, and nothing moves: the %s',
    (who) =>
      play(async (device) => {
        device[who].kill('SIGSTOP');
        const { program } = await ask(device, 'set', '0', 'on');
        await pause(6_000);
        device[who].kill('SIGCONT');
        expect([5, 7]).toContain((await program.ended).code);
      }),
    PLAY_LIMIT_MS,
  );

  test.concurrent(
    'where nothing listens: 3, at once',
    () =>
      play(async (device) => {
        const nobody = await relayctl(join(device.runDir, 'nobody'), 'set', '0', 'on');
        expect(nobody.code).toBe(3);
      }),
    PLAY_LIMIT_MS,
  );
});

describe('a proof', () => {
  test.concurrent(
    'whose first click is given up while the guard is stopped, and then the agent, clicks no relay later',
    () =>
      play(async (device) => {
        expect((await device.relayctl('set', '1', 'off')).code).toBe(0);
        const before = device.edges();
        const answers = join(device.dataDir, 'answers');
        writeFileSync(answers, '{"relay":1,"isOn":false}\n'.repeat(4));
        device.guard.kill('SIGSTOP');
        const { program, said } = await ask(device, 'prove', '--by', 'Ana', '--answers', answers);
        device.agent.kill('SIGSTOP');
        program.kill('SIGINT');
        expect((await program.ended).code).toBe(7);
        expect(said()).toMatch(UNKNOWN);
        await pause(1_500);
        device.agent.kill('SIGCONT');
        await pause(500);
        device.guard.kill('SIGCONT');
        await pause(LATER_MS);
        expect(device.edges()).toEqual(before);
        expect((await device.relayctl('set', '1', 'on')).code).toBe(0);
      }, 2),
    PLAY_LIMIT_MS,
  );
});

describe('the page', () => {
  test.concurrent.each<Who>(['agent', 'guard'])(
    'closed after a tap while the %s is stopped: nothing moves later',
    async (who) => {
      await play(async (device, webPort) => {
        const pin = /\d{8}/.exec((await device.relayctl('identity', '--new-pin', '--yes')).stdout)?.[0] ?? '';
        await device.relayctl('web', 'on');
        const phone = new TlsBrowser(webPort);
        await phone.logIn(pin);
        const headers = { 'x-csrf-token': phone.csrfToken };
        const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
        const { value } = await phone.send('POST', '/api/actions/status', {}, headers, agent);
        const { nowMs } = (value as { value: { nowMs: number } }).value;
        const tap = (numOutput: number) =>
          phone.send('POST', '/api/actions/pulse', { numOutput, notAfterMs: nowMs + 4_500 }, headers, agent);
        // A tap does move something.
        expect((await tap(3)).status).toBe(200);
        device[who].kill('SIGSTOP');
        const tapped = tap(2).catch(() => {});
        await pause(500);
        agent.destroy();
        await tapped;
        await pause(1_500);
        device[who].kill('SIGCONT');
      }, 2);
    },
    PLAY_LIMIT_MS,
  );
});
