import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Change } from '@relaygate/server/changes/change';
import type { Cursor } from '@relaygate/server/changes/cursor';
import { MAX_OUTPUTS } from '@relaygate/shared';
import { runToEnd } from '../support/processes/program';
import { v1 } from '../support/server/api-client';
import { type LinkedGate, startLinkedGate } from '../support/server/linked-gate';
import { startTestServer, type TestServer } from '../support/server/test-server';
import { expectWithin, timed } from '../support/time/timed';
import { eventually } from '../support/time/waiting';

/** What a listener gets of changes by its own process, and by others. */
let bench: LinkedGate;
beforeEach(async () => {
  bench = await startLinkedGate();
  const { server, gate, token } = bench;
  await server.untilState(gate, token, ({ outputs }) => outputs.every(({ observedAt }) => observedAt !== null));
});
afterEach(() => bench.server.stop());

test('a listener sees each command, outcome, state, link and activation once, in the order in which it came', async () => {
  const { server, gate, token, device } = bench;
  const { productLogin } = gate;
  // Otherwise the outcome may come before anybody has read that the command waits.
  device.react = (command, me) =>
    void eventually(() => seen.texts.includes('command pending')).then(() => me.obey(command));
  const seen = await listen(server);
  await v1(server.url).set(productLogin, 0, 1, { token });
  await eventually(() => seen.texts.includes('output 0 is 1'));
  device.states[1] = 1;
  device.report();
  await eventually(() => seen.texts.includes('output 1 is 1'));
  device.report();
  await device.roundTrip();
  device.close();
  await eventually(() => seen.texts.includes('down'));
  await operate(server, 'output', 'deactivate', productLogin, '1');
  await operate(server, 'product', 'deactivate', productLogin);
  await eventually(() => seen.texts.includes('down deactivated'));
  const byServer = ['command pending', 'command executed', 'output 0 is 1', 'output 1 is 1', 'down'];
  expect(seen.texts).toEqual([...byServer, 'output 1 is 1 deactivated', 'down deactivated']);
});

test('a listener goes on from its cursor after a restart, with what an operator has done meanwhile', async () => {
  const { server, gate, token } = bench;
  const before = await listen(server);
  await v1(server.url).set(gate.productLogin, 0, 1, { token });
  await eventually(() => before.texts.includes('output 0 is 1'));
  const { cursor } = before;
  await server.stop({ keepData: true });
  await operate(server, 'output', 'deactivate', gate.productLogin, '0');
  bench = { ...bench, server: await startTestServer({ dataDir: server.dataDir }) };
  const after = await listen(bench.server, cursor);
  await eventually(() => after.texts.length >= 2);
  expect([...after.texts].sort()).toEqual(['down', 'output 0 is 1 deactivated']);
});

/** A command whose device answers at once takes a few milliseconds. */
const ANSWERED_WITHIN_MS = 500;

test('10,000 changes grow no memory at listeners that never take them, and commands do not slow down', async () => {
  const { server, gate, token } = bench;
  const doors = Array.from({ length: 170 }, (_, n) => ({
    ...{ productId: n, productLogin: `door-${n}`, keyHash: '', enrolmentHash: '' },
    ...{ outputCount: MAX_OUTPUTS, activated: false, createdAtMs: 0 },
  }));
  await server.storage.createProducts(doors);
  const activate = async (some: typeof doors): Promise<void> => {
    for (const { productLogin } of some) {
      const all = Array.from({ length: MAX_OUTPUTS }, (_, numOutput) => numOutput);
      await Promise.all(all.map((numOutput) => server.storage.setOutputActivated(productLogin, numOutput, true, 0)));
    }
  };
  const stuck = new Promise<void>(() => {});
  const cursor = await server.changes.cursor();
  const stops: (() => void)[] = [];
  for (let n = 0; n < 100; n += 1) stops.push(server.changes.listen(cursor, () => stuck));
  await activate(doors.slice(0, 10));
  const usedBytes = heapBytes();
  await activate(doors.slice(10));
  expect(heapBytes() - usedBytes).toBeLessThan(1_500_000);

  // Of processors: what a command waits for one beside other programs says nothing about the listeners. The time on the clock
  // has a wide bound, which shows a command that waits for a listener.
  const costs = { stuck: [] as number[], alone: [] as number[] };
  const commands = async (into: number[]): Promise<void> => {
    for (let n = 0; n < 20; n += 1) {
      const before = process.cpuUsage();
      const times = await timed(v1(server.url).toggle(gate.productLogin, 0, { token }));
      const { user, system } = process.cpuUsage(before);
      expectWithin(times, ANSWERED_WITHIN_MS);
      into.push(user + system);
    }
  };
  for (let batch = 0; batch < 6; batch += 1) {
    await commands(costs.alone);
    const from = await server.changes.cursor();
    while (stops.length < 100) stops.push(server.changes.listen(from, () => stuck));
    await commands(costs.stuck);
    for (const stop of stops.splice(0)) stop();
  }
  expect(median(costs.stuck) / median(costs.alone)).toBeLessThan(1.5);
});

class Seen {
  readonly texts: string[] = [];
  cursor: Cursor = new Map();
}

/** From now on, or from a cursor. */
async function listen(server: TestServer, from?: Cursor): Promise<Seen> {
  const seen = new Seen();
  server.changes.listen(from ?? (await server.changes.cursor()), (changes, cursor) => {
    seen.texts.push(...changes.map(text));
    seen.cursor = cursor;
  });
  return seen;
}

function text(change: Change): string {
  if (change.kind === 'command') return `command ${change.outcome}`;
  const activated = change.activated ? '' : ' deactivated';
  if (change.kind === 'output') return `output ${change.numOutput} is ${change.state}${activated}`;
  return `${change.connected ? 'up' : 'down'}${activated}`;
}

/** As an operator does, in a process of its own. */
function operate(server: TestServer, ...args: string[]): Promise<string> {
  const file = 'server/bin/relaygate-server.js';
  return runToEnd({ name: 'relaygate-server', file, args, env: { RELAYGATE_DATA_DIR: server.dataDir } });
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
