/**
 * T18: devices that stop reading, flood, forge and speak for others, all at the server that real devices are linked
 * to. They are cut off where they harm; the real device's commands are served all the time, and nobody else's change.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CLOSE, DEAD_LINK_MS, LINK_FRAME_BURST } from '@relaygate/shared';
import { Fault, FEW_PAIRS, PLAY_LIMIT_MS, type Times } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import type { Answer } from '../support/server/api-client';
import { v1 } from '../support/server/api-client';
import { type DeviceIdentity, newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { expectDeadline, expectWithin, timed } from '../support/time/timed';
import { eventually, pause } from '../support/time/waiting';

/** Beside devices that misbehave; alone it is a few. */
const SERVED_WITHIN_MS = 500;
/** Many times the budget. */
const FLOOD_FRAMES = 20_000;

const T18 = new Fault('T18', 'devices that stop reading, flood, lie', 'answer of a real device beside them');

/** A hostile device with a product of its own, beside a real one. */
interface Scene {
  readonly pair: Pair;
  readonly identity: DeviceIdentity;
  hostile: ScriptedDevice;
  /** Of the real device's commands. */
  worstMs: number;
}

const site = siteForAll({ pairs: FEW_PAIRS });
const identities = new Map<Pair, DeviceIdentity>();
beforeAll(async () => {
  const products = await site.newProducts(FEW_PAIRS);
  for (const [number, { productLogin, enrolmentCode }] of products.entries()) {
    const pair = site.pairs[number];
    if (pair) identities.set(pair, newIdentity(productLogin, enrolmentCode));
  }
}, 120_000);

async function play(times: Times, body: (scene: Scene) => Promise<void>, pairs = site.pairs): Promise<void> {
  await T18.play(pairs, times, async (pair) => {
    const identity = identities.get(pair);
    if (!identity) throw new Error('no hostile device beside this one');
    const scene = { pair, identity, hostile: await new ScriptedDevice(site.url, identity).linkUp(), worstMs: 0 };
    try {
      await body(scene);
      return scene.worstMs;
    } finally {
      scene.hostile.close();
    }
  });
}

/** The real device's commands, as often as told: each done in time. The judgement counts their edges. */
async function expectOthersServed(scene: Scene, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    const { text, ...times } = await scene.pair.toggle(1);
    expect(text).toBe('OK');
    expectWithin(times, SERVED_WITHIN_MS, [site.server.pid]);
    scene.worstMs = Math.max(scene.worstMs, times.tookMs);
  }
}

function command({ identity }: Scene): Promise<Answer> {
  return v1(site.url).set(identity.productLogin, 0, 1, { token: site.token });
}

async function isConnected({ identity }: Scene): Promise<boolean> {
  const { json } = await v1(site.url).state(identity.productLogin, { token: site.token });
  return (json as { connected: boolean }).connected;
}

describe('T18: a device that stops reading', () => {
  test(
    'and says nothing: its command ends in 504, its link in 15 s, and others are served',
    () =>
      play({ few: 3, full: 6 }, async (scene) => {
        scene.hostile.hang();
        const pending = timed(command(scene));
        await expectOthersServed(scene, 20);
        const { answer, ...times } = await pending;
        expect(answer.status).toBe(504);
        expectDeadline(times, [site.server.pid]);
        await eventually(async () => !(await isConnected(scene)), DEAD_LINK_MS + 1_000);
        await expectOthersServed(scene, 5);
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'and floods: cut off by its budget of frames long before the server’s answers fill its memory (I15)',
    () =>
      play(
        { few: 1, full: 10 },
        async (scene) => {
          const { hostile } = scene;
          hostile.hang();
          const before = memoryBytes(site.server.pid);
          for (let seq = 0; seq < FLOOD_FRAMES; seq += 1) hostile.send({ type: 'time', seq });
          await expectOthersServed(scene, 5);
          // Long before its silence would end the link.
          await eventually(async () => !(await isConnected(scene)), DEAD_LINK_MS / 3);
          expect(memoryBytes(site.server.pid) - before).toBeLessThan(64 * 1024 * 1024);
          hostile.socket.resume();
          // Frames that the server never read may reset the connection before its reason arrives.
          expect([CLOSE.protocolError, 1006]).toContain(await hostile.closing());
          const answers = hostile.received.filter(({ type }) => type === 'time');
          expect(answers.length).toBeLessThan(LINK_FRAME_BURST * 5);
          // One at a time: the memory is the server's.
        },
        site.pairs.slice(0, 1),
      ),
    PLAY_LIMIT_MS,
  );
});

describe('T18: a device that floods', () => {
  test(
    'is closed with a protocol error, its others are served, and it may come back',
    () =>
      play({ few: 3, full: 20 }, async (scene) => {
        for (let seq = 0; seq < LINK_FRAME_BURST * 5; seq += 1)
          scene.hostile.send({ type: 'report', outputs: [], faults: [] });
        await expectOthersServed(scene, 10);
        expect(await scene.hostile.closing()).toBe(CLOSE.protocolError);
        scene.hostile = await new ScriptedDevice(site.url, scene.identity).linkUp();
        expect((await command(scene)).text).toBe('OK');
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'with frames of the largest size is closed, and others are served',
    () =>
      play({ few: 1, full: 10 }, async (scene) => {
        const text = JSON.stringify({ type: 'unheard-of', padding: 'x'.repeat(16_000) });
        for (let frame = 0; frame < LINK_FRAME_BURST * 5; frame += 1) scene.hostile.send(text);
        await expectOthersServed(scene, 10);
        expect(await scene.hostile.closing()).toBe(CLOSE.protocolError);
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'by connecting again and again with its own key replaces only itself',
    () =>
      play({ few: 1, full: 10 }, async (scene) => {
        const links = [scene.hostile];
        for (let turn = 0; turn < 20; turn += 1)
          links.push(await new ScriptedDevice(site.url, scene.identity).linkUp());
        await expectOthersServed(scene, 5);
        for (const older of links.slice(0, -1)) expect(await older.closing()).toBe(CLOSE.replaced);
        scene.hostile = links.at(-1) ?? scene.hostile;
        expect((await command(scene)).text).toBe('OK');
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T18: a device that lies', () => {
  test(
    'confirming the command that another product’s device has not seen yet does not answer it (I7, I10)',
    () =>
      play({ few: 3, full: 20 }, async ({ pair, hostile }) => {
        const seen = pair.relay.atNextFrame('command');
        pair.relay.hold('to-device');
        const pending = pair.set(0, 1);
        const { commandId } = JSON.parse((await seen).text);
        for (const outcome of ['executed', 'already-set', 'refused', 'expired'])
          hostile.send({ type: 'result', commandId, outcome, numOutput: 0, state: 1 });
        await hostile.roundTrip();
        expect(pair.commands()).toMatchObject([{ commandId, outcome: 'pending' }]);
        await pause(500);
        pair.relay.heal();
        const { text, tookMs } = await pending;
        expect(text).toBe('OK');
        expect(tookMs).toBeGreaterThan(500);
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'confirming or denying another’s open command in its resume report leaves it open',
    () =>
      play({ few: 1, full: 6 }, async (scene) => {
        const { pair, identity } = scene;
        pair.relay.copies = ({ type }) => (type === 'result' ? 0 : 1);
        const answer = await pair.set(0, 1);
        expect(answer.status).toBe(504);
        const commandId = answer.commandId ?? '';
        // The write follows the answer.
        await eventually(() => pair.commands().at(-1)?.outcome === 'unknown');
        const before = (await pair.state()).outputs;
        const liar = new ScriptedDevice(site.url, identity);
        liar.known.set(commandId, { type: 'result', commandId, outcome: 'executed', numOutput: 1, state: 1 });
        liar.notStarted = [commandId];
        await liar.linkUp();
        scene.hostile.close();
        scene.hostile = liar;
        await liar.roundTrip();
        expect(await pair.outcomeOf(answer)).toBe('unknown');
        expect((await pair.state()).outputs).toEqual(before);
        pair.relay.heal();
        pair.relay.cut();
        await eventually(async () => (await pair.outcomeOf(answer)) === 'confirmed-late', 30_000);
      }),
    PLAY_LIMIT_MS,
  );
});

/** Resident, from /proc. */
function memoryBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
