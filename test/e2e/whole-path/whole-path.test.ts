import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Program, runToEnd } from '../../support/processes/program';
import { RunningDemo } from '../../support/processes/running-demo';
import type { Answer } from '../../support/server/api-client';
import { repeat } from '../../support/time/excuse';
import { expectDeadline, expectPulse, expectWithin, machine, timed } from '../../support/time/timed';
import { eventually, pause } from '../../support/time/waiting';

/**
 * The path from an application's call to a relay's edge with the built programs as real processes. The oracle is the
 * simulated board's edge log, written by the guard's process in CLOCK_MONOTONIC.
 */
const PARTS = ['server', 'agent', 'guard'] as const;

let demo: RunningDemo;
beforeAll(async () => {
  demo = await RunningDemo.start();
}, 120_000);
afterAll(() => demo?.stop());
beforeEach(async () => {
  await settle();
  for (const pid of pids()) machine.watch(pid);
}, 40_000);

/** Who makes an answer late beside this process. */
const pids = (): number[] => PARTS.map((part) => demo.pid(part));
const settle = (): Promise<void> => demo.settle();

const levels = (edges: { output: number; level: number }[]) => edges.map(({ output, level }) => [output, level]);

describe('what an application asks for is what the relay does', () => {
  test('set, already set, toggle', async () => {
    expect((await demo.set(0, 1)).text).toBe('OK');
    expect((await demo.set(0, 1)).json).toEqual({ already_set: true });
    expect((await demo.toggle(0)).text).toBe('OK');
    expect((await demo.toggle(0)).text).toBe('OK');
    expect(levels(demo.newEdges())).toEqual([
      [0, 1],
      [0, 0],
      [0, 1],
    ]);
    expect((await demo.state()).outputs[0]?.state).toBe(1);
  });

  test('commands one after the other as fast as they come: each is executed', async () => {
    for (let n = 0; n < 600; n += 1) expect((await demo.toggle(0)).status).toBe(200);
    expect(demo.newEdges()).toHaveLength(600);
  });

  test.each<[string, () => Promise<Answer>]>([
    ['set to 1', () => demo.set(2, 1)],
    ['toggle', () => demo.toggle(2)],
    ['legacy toggle', () => demo.legacy.toggle(demo.facts.productLogin, 2, { token: demo.token })],
    ['legacy set to 1', () => demo.legacy.set(demo.facts.productLogin, 2, 1, { token: demo.token })],
  ])('impulse by %s: confirmed at its leading edge, 500 ms long', (_how, drive) =>
    repeat(async () => {
      const { answer, ...times } = await timed(drive());
      expect(answer.text).toBe('OK');
      expectWithin(times, 450, pids());
      const [on, off] = await demo.nextEdges(2);
      expect(levels([on, off].flatMap((edge) => edge ?? []))).toEqual([
        [2, 1],
        [2, 0],
      ]);
      expectPulse({ onMs: on?.atMs ?? 0, offMs: off?.atMs ?? 0 }, 500);
    }, settle),
  );

  test.each(['v1', 'legacy'] as const)(
    'an impulse output toggled during its pulse, over %s, answers OK, moves nothing, and toggles anew after it',
    async (generation) => {
      const toggle = (): Promise<Answer> => demo[generation].toggle(demo.facts.productLogin, 3, { token: demo.token });
      expect((await toggle()).text).toBe('OK');
      expect((await toggle()).text).toBe('OK');
      const first = await demo.nextEdges(2);
      expect(levels(first)).toEqual([
        [3, 1],
        [3, 0],
      ]);
      expectPulse({ onMs: first[0]?.atMs ?? 0, offMs: first[1]?.atMs ?? 0 }, 500);
      await eventually(async () => (await demo.state()).outputs[3]?.state === 0);
      expect((await toggle()).text).toBe('OK');
      expect(levels(await demo.nextEdges(2))).toEqual([
        [3, 1],
        [3, 0],
      ]);
    },
  );

  test('impulse set to 0 moves nothing; a second impulse during the first moves nothing; all answer OK', async () => {
    expect((await demo.set(3, 0)).text).toBe('OK');
    expect(demo.newEdges()).toEqual([]);
    expect((await demo.set(3, 1)).text).toBe('OK');
    expect((await demo.set(3, 1)).text).toBe('OK');
    expect((await demo.set(3, 0)).text).toBe('OK');
    const edges = await demo.nextEdges(2);
    expect(levels(edges)).toEqual([
      [3, 1],
      [3, 0],
    ]);
    await eventually(async () => (await demo.state()).outputs[3]?.state === 0);
    expect(demo.newEdges()).toEqual([]);
  });
});

describe('a stalled agent', () => {
  test('T15: stopped for 3 s: executed late but in time, 200', async () => {
    demo.signal('agent', 'SIGSTOP');
    const pending = demo.set(0, 1);
    await pause(3_000);
    const goesOnMs = monotonicNowMs();
    demo.signal('agent', 'SIGCONT');
    expect((await pending).text).toBe('OK');
    const edges = demo.newEdges();
    expect(levels(edges)).toEqual([[0, 1]]);
    expect(edges[0]?.atMs).toBeGreaterThan(goesOnMs);
  });

  test('T15: stopped for 6 s: 504 at 5.0 to 5.1 s, and no edge when it goes on (I2)', () =>
    repeat(async () => {
      demo.signal('agent', 'SIGSTOP');
      const { answer, ...times } = await timed(demo.set(0, 1));
      expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
      expectDeadline(times, pids());
      await pause(1_000);
      demo.signal('agent', 'SIGCONT');
      await eventually(async () => (await demo.outcomeOf(answer)) === 'expired');
      expect(demo.newEdges()).toEqual([]);
    }, settle));
});

describe('parts that die', () => {
  test('the agent is killed: a command inside the next 5 s waits for it to come back, one edge', async () => {
    demo.signal('agent', 'SIGKILL');
    await demo.untilConnected(false);
    expect((await demo.set(0, 1)).text).toBe('OK');
    expect(levels(demo.newEdges())).toEqual([[0, 1]]);
  });

  test('T2: the agent is killed in a pulse: the pulse keeps its length', () =>
    repeat(async () => {
      expect((await demo.set(2, 1)).text).toBe('OK');
      demo.signal('agent', 'SIGKILL');
      const [on, off] = await demo.nextEdges(2);
      expectPulse({ onMs: on?.atMs ?? 0, offMs: off?.atMs ?? 0 }, 500);
    }, settle));

  test('T3: the guard is killed in a pulse: off as the next one starts, not pulsed again (I4)', async () => {
    expect((await demo.set(2, 1)).text).toBe('OK');
    demo.signal('guard', 'SIGKILL');
    const [on, off] = await demo.nextEdges(2);
    expect(levels([on, off].flatMap((edge) => edge ?? []))).toEqual([
      [2, 1],
      [2, 0],
    ]);
    await eventually(async () => (await demo.set(0, 1)).status === 200);
    expect(levels(demo.newEdges())).toEqual([[0, 1]]);
  });

  test('while the guard is dead commands are refused, and the agent finds it again by itself', async () => {
    demo.signal('guard', 'SIGSTOP');
    const pending = demo.set(0, 1);
    await pause(200);
    demo.signal('guard', 'SIGKILL');
    expect((await pending).status).toBe(504);
    await eventually(async () => (await demo.set(0, 1)).status === 200);
    expect(levels(demo.newEdges())).toEqual([[0, 1]]);
  });

  test('T1: the server is killed in a command: the client sees a reset, one edge at most, and the next command tells which', async () => {
    demo.signal('agent', 'SIGSTOP');
    const reset = demo.set(0, 1).then(
      () => 'answered',
      () => 'reset',
    );
    await pause(300);
    demo.signal('server', 'SIGKILL');
    expect(await reset).toBe('reset');
    demo.signal('agent', 'SIGCONT');
    await demo.untilConnected();
    const edges = levels(demo.newEdges());
    expect(edges.length).toBeLessThanOrEqual(1);
    const answer = await demo.set(0, 1);
    expect(edges.length === 1 ? answer.json : answer.text).toEqual(edges.length === 1 ? { already_set: true } : 'OK');
  });
});

describe('two agents with one key', () => {
  test('T10: the newest wins, the older is told so and says it, nothing is executed twice', async () => {
    const twin = mkdtempSync(join(tmpdir(), 'rg-twin-'));
    const runDir = mkdtempSync(join(tmpdir(), 'rg-t-'));
    cpSync(join(demo.facts.dataDir, 'device'), twin, { recursive: true });
    writeFileSync(join(twin, 'edges.jsonl'), '');
    const args = ['--data', twin, '--run', runDir];
    const guard = await Program.start({ name: 'twin guard', file: 'device-agent/bin/relaygate-guard.js', args });
    try {
      await guard.line(/ready/);
      const agent = await Program.start({ name: 'twin agent', file: 'device-agent/bin/relaygate-agent.js', args });
      try {
        await agent.line(/link up/);
        expect((await demo.set(0, 1)).text).toBe('OK');
        expect(demo.newEdges()).toEqual([]);
        expect(readFileSync(join(twin, 'edges.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
        const status = JSON.stringify(await demo.relayctl('status'));
        expect(status).toMatch(/is the card a copy/);
      } finally {
        await agent.stop();
      }
    } finally {
      await guard.stop();
      rmSync(twin, { recursive: true });
      rmSync(runDir, { recursive: true });
      // The one that was replaced waits at least a minute; a restart of it is what an installer would do.
      demo.signal('agent', 'SIGKILL');
    }
    await demo.untilConnected();
  });
});

describe('the technician', () => {
  test('a pulse duration changed while running: next pulse, after a restart, and in the product’s state', () =>
    repeat(async () => {
      await demo.relayctl('output', '3', '--pulse-ms', '300');
      expect((await demo.set(3, 1)).text).toBe('OK');
      const [on, off] = await demo.nextEdges(2);
      expectPulse({ onMs: on?.atMs ?? 0, offMs: off?.atMs ?? 0 }, 300);
      await eventually(async () => (await demo.state()).outputs[3]?.pulseMs === 300);
      demo.signal('guard', 'SIGKILL');
      demo.signal('agent', 'SIGKILL');
      await demo.untilConnected(false);
      await demo.settle();
      expect((await demo.set(3, 1)).text).toBe('OK');
      const [on2, off2] = await demo.nextEdges(2);
      expectPulse({ onMs: on2?.atMs ?? 0, offMs: off2?.atMs ?? 0 }, 300);
      await demo.relayctl('output', '3', '--pulse-ms', '500');
    }, settle));

  test('an output switched on the device shows in the product’s state', async () => {
    await demo.relayctl('set', '1', 'on');
    await eventually(async () => (await demo.state()).outputs[1]?.state === 1);
    expect(levels(demo.newEdges())).toEqual([[1, 1]]);
  });

  test('what is done on the device is in the server’s audit, once, also after both were killed', async () => {
    await demo.relayctl('output', '2', '--name', 'North gate');
    const told = async (): Promise<string[]> =>
      (await demo.audit('device-history')).filter((line) => line.includes('North gate'));
    await eventually(async () => (await told()).length > 0);
    demo.signal('agent', 'SIGKILL');
    demo.signal('server', 'SIGKILL');
    await demo.settle();
    await demo.relayctl('output', '2', '--name', 'Output 2');
    await eventually(async () => (await told()).length > 1);
    const changes = (await told()).map((line) => JSON.parse(line).details);
    expect(changes).toMatchObject([
      {
        did: 'output',
        numOutput: 2,
        actor: expect.stringMatching(/^relayctl as /),
        changes: expect.stringContaining('-> "North gate"'),
      },
      { did: 'output', changes: expect.stringContaining('"North gate" ->') },
    ]);
    expect(changes[1].deviceSeq).toBeGreaterThan(changes[0].deviceSeq);
  });
});

test('the demo’s check does a round trip in a process of its own', async () => {
  const printed = await runToEnd({ name: 'demo --check', file: 'test/demo/launch.mjs', args: ['--check'] }, 60_000);
  expect(printed).toMatch(/all well/);
});
