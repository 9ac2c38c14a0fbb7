/** A technician at the device and an application at the server, with the built programs: locks, status and log. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import type { LoggedEvent } from '@relaygate/device-agent/agent/technician/local-messages/log';
import type { HistoryEntry } from '@relaygate/shared';
import { Program } from '../../support/processes/program';
import { type Part, RunningDemo } from '../../support/processes/running-demo';
import { call } from '../../support/server/api-client';
import { eventually } from '../../support/time/waiting';

let demo: RunningDemo;
beforeAll(async () => {
  demo = await RunningDemo.start();
}, 120_000);
afterAll(() => demo?.stop());
beforeEach(() => demo.settle(), 40_000);

const status = async (): Promise<DeviceStatus> => (await demo.relayctl('status')) as DeviceStatus;

async function refusalOf(numOutput: number): Promise<string> {
  const answer = await demo.set(numOutput, 1);
  const id = answer.headers.get('command-id');
  const { json } = await call('GET', `${demo.facts.baseUrl}/v1/commands/${id}`, undefined, { token: demo.token });
  const { outcome, reason } = json as { outcome: string; reason: string | null };
  return `${answer.status} ${outcome} ${reason}`;
}

async function killAndAwait(part: Part): Promise<void> {
  const pid = demo.pid(part);
  demo.signal(part, 'SIGKILL');
  await eventually(async () => demo.pid(part) !== pid);
  await eventually(async () =>
    status().then(
      ({ link, guard }) => link.isUp && guard.isReachable,
      () => false,
    ),
  );
}

describe('a locked output', () => {
  test('is not moved by the server, says so to the application, and outlives guard and agent', async () => {
    expect(await demo.relayctl('lock', '0', '--for', '2h')).toEqual({ numOutput: 0, forMs: 7_200_000 });
    expect(await refusalOf(0)).toBe('504 refused locked');
    await killAndAwait('guard');
    expect(await refusalOf(0)).toBe('504 refused locked');
    await killAndAwait('agent');
    await demo.untilConnected();
    expect(await refusalOf(0)).toBe('504 refused locked');
    expect((await demo.set(1, 1)).status).toBe(200);
    expect(demo.newEdges().map(({ output }) => output)).toEqual([1]);
    const [lamp] = (await demo.state()).outputs as { lockedUntil?: string }[];
    expect(Date.parse(lamp?.lockedUntil ?? '')).toBeGreaterThan(Date.now() + 7_100_000);
    expect(await demo.relayctl('set', '0', 'on')).toMatchObject({ outcome: 'executed' });
    expect(await demo.relayctl('unlock', '0')).toEqual({ numOutput: 0, wasLocked: true });
    expect((await demo.set(0, 0)).status).toBe(200);
    await eventually(async () => (await demo.state()).outputs.every((output) => !('lockedUntil' in output)));
  });

  test('and its unlocking stand once in the server’s audit, also when the agent is killed meanwhile', async () => {
    const of = async (did: string): Promise<object[]> =>
      (await demo.audit('device-history')).map((line) => JSON.parse(line).details).filter((made) => made.did === did);
    const before = { lock: (await of('lock')).length, unlock: (await of('unlock')).length };
    await demo.relayctl('lock', '3', '--for', '90m');
    await killAndAwait('agent');
    await demo.relayctl('unlock', '3');
    await killAndAwait('agent');
    await eventually(async () => (await of('unlock')).length > before.unlock);
    expect((await of('lock')).slice(before.lock)).toMatchObject([{ numOutput: 3, forMs: 5_400_000 }]);
    expect((await of('unlock')).slice(before.unlock)).toMatchObject([{ numOutput: 3 }]);
    const { entries } = (await demo.relayctl('history', '-n', '2')) as { entries: HistoryEntry[] };
    expect(entries.map(({ kind }) => kind)).toEqual(['lock', 'unlock']);
  });
});

describe('status and log', () => {
  test('name the application and the technician, also after a restart of the agent', async () => {
    await demo.set(0, 1);
    await demo.relayctl('set', '0', 'off');
    await killAndAwait('agent');
    const { lastCommands } = await status();
    const [remote, local] = lastCommands.slice(-2);
    expect(remote).toMatchObject({ words: 'set 0 on', by: 'demo', outcome: 'executed' });
    expect(local).toMatchObject({
      words: 'set 0 off',
      by: expect.stringMatching(/^relayctl as /),
      outcome: 'executed',
    });
    const events = (await demo.relayctl('log', '-n', '500')) as LoggedEvent[];
    const commands = events.filter(({ kind }) => kind === 'command').map(({ text }) => text);
    expect(commands.slice(-2)).toEqual([
      'set 0 on by demo: executed',
      expect.stringMatching(/^set 0 off by relayctl as .*: executed$/),
    ]);
    expect(events.filter(({ text }) => /^agent .* started$/.test(text)).length).toBeGreaterThan(1);
    const shown = await demo.relayctlText('log', '-n', '500');
    expect(shown).toMatch(/^2\d{3}-\S+ \S+ {2}the log begins; nothing from before is in it\n/);
    expect(await demo.relayctlText('log', '-n', '1')).not.toContain('the log begins');
  });

  test('a pulse that runs shows what is left of it', async () => {
    await demo.relayctl('output', '2', '--pulse-ms', '5000');
    await demo.relayctl('pulse', '2');
    const { pulseLeftMs = 0 } = (await status()).outputs[2] ?? {};
    expect(pulseLeftMs).toBeGreaterThan(0);
    expect(pulseLeftMs).toBeLessThanOrEqual(5_000);
    await demo.relayctl('output', '2', '--pulse-ms', '500');
  });

  test('the log goes on over a restart of the agent', async () => {
    const file = 'device-agent/bin/relayctl.js';
    const log = await Program.start({ name: 'log', file, args: ['log', '-n', '1', '-f'], env: demo.relayctlEnv });
    await demo.set(1, 1);
    await log.line(/command +set 1 on by demo: executed/);
    await killAndAwait('agent');
    await log.line(/agent .* started/);
    await demo.untilConnected();
    await demo.set(1, 0);
    await log.line(/command +set 1 off by demo: executed/);
    log.kill('SIGKILL');
  });
});
