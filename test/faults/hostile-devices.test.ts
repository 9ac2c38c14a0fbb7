/**
 * T18: devices that stop reading, flood, forge and speak for others, all at the server that a real device is linked
 * to. They are cut off where they harm; the real device's commands are served all the time, and nobody else's change.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CLOSE, DEAD_LINK_MS, LINK_FRAME_BURST } from '@relaygate/shared';
import { commandsIn } from '../support/command-log';
import { eventually, Installation, type Provisioned, timed } from '../support/installation';
import { pause, repeat } from '../support/running-demo';
import { v1 } from '../support/server/api-client';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';

/** Beside a device that misbehaves; alone it is a few. */
const SERVED_WITHIN_MS = 500;

let site: Installation;
let product: Provisioned;
let hostile: ScriptedDevice;
beforeAll(async () => {
  site = await Installation.start();
}, 60_000);
afterAll(() => site?.stop());
beforeEach(async () => {
  await site.settle();
  product = await site.newProduct();
  const identity = newIdentity(product.productLogin, product.enrolmentCode);
  hostile = await new ScriptedDevice(site.url, identity).linkUp();
}, 40_000);
afterEach(() => hostile?.close());

/** The real device's commands, as often as told: each done in time, with its one edge. */
async function expectOthersServed(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    const { answer, tookMs } = await timed(site.toggle(1));
    expect(answer.text).toBe('OK');
    expect(tookMs).toBeLessThan(SERVED_WITHIN_MS);
    expect(site.newEdges()).toHaveLength(1);
  }
}

const commandHostile = () => v1(site.url).set(product.productLogin, 0, 1, { token: site.token });

describe('a device that stops reading', () => {
  test('and says nothing: its command ends in 504, its link in 15 s, and others are served', async () => {
    hostile.socket.pause();
    const pending = timed(commandHostile());
    await expectOthersServed(20);
    const { answer, tookMs } = await pending;
    expect(answer.status).toBe(504);
    expect(tookMs).toBeLessThan(5_100);
    const connected = async (): Promise<boolean> => {
      const { json } = await v1(site.url).state(product.productLogin, { token: site.token });
      return (json as { connected: boolean }).connected;
    };
    await eventually(async () => !(await connected()), DEAD_LINK_MS + 1_000);
    await expectOthersServed(5);
  }, 60_000);

  test('and floods: cut off by its budget of frames long before the server’s answers fill its memory', async () => {
    hostile.socket.pause();
    const before = memoryBytes(site.server.pid);
    for (let seq = 0; seq < 20_000 && hostile.socket.readyState === hostile.socket.OPEN; seq += 1)
      hostile.send({ type: 'time', seq });
    await expectOthersServed(5);
    expect(memoryBytes(site.server.pid) - before).toBeLessThan(64 * 1024 * 1024);
    hostile.socket.resume();
    expect(await hostile.closing()).not.toBe(1000);
  });
});

describe('a device that floods', () => {
  test.each(repeat(2, 10))('is closed with a protocol error, its others are served, and it may come back', async () => {
    for (let seq = 0; seq < LINK_FRAME_BURST * 5; seq += 1) hostile.send({ type: 'report', outputs: [], faults: [] });
    await expectOthersServed(10);
    expect(await hostile.closing()).toBe(CLOSE.protocolError);
    hostile = await new ScriptedDevice(site.url, hostile.identity).linkUp();
    expect((await commandHostile()).text).toBe('OK');
  });

  test('with frames of the largest size is closed, and others are served', async () => {
    const text = JSON.stringify({ type: 'unheard-of', padding: 'x'.repeat(16_000) });
    for (let frame = 0; frame < LINK_FRAME_BURST * 5; frame += 1) hostile.send(text);
    await expectOthersServed(10);
    expect(await hostile.closing()).toBe(CLOSE.protocolError);
  });

  test('by connecting again and again with its own key replaces only itself', async () => {
    const links = [hostile];
    for (let turn = 0; turn < 20; turn += 1) links.push(await new ScriptedDevice(site.url, hostile.identity).linkUp());
    await expectOthersServed(5);
    for (const older of links.slice(0, -1)) expect(await older.closing()).toBe(CLOSE.replaced);
    hostile = links.at(-1) ?? hostile;
    expect((await commandHostile()).text).toBe('OK');
  });
});

describe('a device that lies', () => {
  test('confirming made-up commands changes nothing', async () => {
    const before = commandsIn(site.databaseFile);
    for (let turn = 0; turn < 50; turn += 1)
      hostile.send({ type: 'result', commandId: randomUUID(), outcome: 'executed', numOutput: 0, state: 1 });
    await hostile.roundTrip();
    expect(commandsIn(site.databaseFile)).toEqual(before);
    expect(hostile.closed).toBeUndefined();
  });

  test.each(repeat(2, 10))(
    'confirming the command that another product’s device has not seen yet does not answer it (I7, I10)',
    async () => {
      const seen = new Promise<string>((resolve) => {
        site.relay.onFrame = ({ type, text }) => {
          if (type === 'command') resolve(JSON.parse(text).commandId);
        };
      });
      site.relay.hold('to-device');
      const pending = timed(site.set(0, 1));
      const commandId = await seen;
      for (const outcome of ['executed', 'already-set', 'refused', 'expired'])
        hostile.send({ type: 'result', commandId, outcome, numOutput: 0, state: 1 });
      await hostile.roundTrip();
      expect(commandsIn(site.databaseFile).at(-1)).toEqual({ commandId, outcome: 'pending' });
      await pause(500);
      site.relay.heal();
      const { answer, tookMs } = await pending;
      expect(answer.text).toBe('OK');
      expect(tookMs).toBeGreaterThan(500);
      expect(site.newEdges()).toHaveLength(1);
    },
  );

  test('confirming or denying another’s open command in its resume report leaves it open', async () => {
    site.relay.copies = ({ type }) => (type === 'result' ? 0 : 1);
    const answer = await site.set(0, 1);
    expect(answer.status).toBe(504);
    const commandId = answer.headers.get('command-id') ?? '';
    const liar = new ScriptedDevice(site.url, hostile.identity);
    const before = (await site.state()).outputs;
    liar.known.set(commandId, { type: 'result', commandId, outcome: 'executed', numOutput: 1, state: 1 });
    liar.notStarted = [commandId];
    await liar.linkUp();
    hostile.close();
    hostile = liar;
    await liar.roundTrip();
    expect(await site.outcomeOf(commandId)).toBe('unknown');
    expect((await site.state()).outputs).toEqual(before);
    site.relay.heal();
    site.relay.cut();
    await eventually(async () => (await site.outcomeOf(commandId)) === 'confirmed-late', 30_000);
  }, 60_000);

  test('reporting outputs that its product has not, changes no other product’s state', async () => {
    const before = (await site.state()).outputs;
    const outputs = [0, 1, 2, 3, 4, 63, 999].map((numOutput) => ({
      numOutput,
      name: site.productLogin,
      mode: 'on-off',
      state: 1,
      pulseMs: 500,
    }));
    hostile.send({ type: 'report', outputs, faults: [`for ${site.productLogin}`] });
    await hostile.roundTrip();
    expect((await site.state()).outputs).toEqual(before);
    await expectOthersServed(1);
  });
});

/** Resident, from /proc. */
function memoryBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
