import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runToEnd } from '../../support/processes/program';
import { RunningDemo } from '../../support/processes/running-demo';
import type { Answer } from '../../support/server/api-client';
import { repeat } from '../../support/time/excuse';
import { expectPulse, expectWithin, machine, timed } from '../../support/time/timed';
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

describe('parts that die', () => {
  test('the agent is killed: a command inside the next 5 s waits for it to come back, one edge', async () => {
    demo.signal('agent', 'SIGKILL');
    await demo.untilConnected(false);
    expect((await demo.set(0, 1)).text).toBe('OK');
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
