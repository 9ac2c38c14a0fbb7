/** T6 and T7: the network between device and server takes its time, breaks, or says everything twice. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually, Installation, timed } from '../support/installation';
import { pause, repeat } from '../support/running-demo';
import { SeededChance } from '../support/seeded-chance';
import type { Answer } from '../support/server/api-client';

const PULSED = 2;

let site: Installation;
beforeAll(async () => {
  site = await Installation.start();
}, 60_000);
afterAll(() => site?.stop());
beforeEach(async () => {
  site.relay.heal();
  await site.renewAgent();
  await site.settle();
}, 40_000);

/** `fault` begins as the device confirms, so the command has been executed and nobody knows. */
function atConfirmation(fault: () => void): Promise<void> {
  return new Promise((begun) => {
    site.relay.onFrame = ({ type }) => {
      if (type !== 'result') return;
      site.relay.onFrame = () => {};
      fault();
      begun();
    };
  });
}

/** I2, I6: neither early nor late. */
function expectTimeout({ answer, tookMs }: { answer: Answer; tookMs: number }): void {
  expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
  expect(tookMs).toBeGreaterThanOrEqual(4_999);
  expect(tookMs).toBeLessThan(5_100);
}

describe('T6: a partition after the execution', () => {
  test.each(repeat(3, 15))('that heals inside the 5 s: 200', async () => {
    const chance = new SeededChance();
    await chance.replayable(async () => {
      const begun = atConfirmation(() => site.relay.partition());
      const pending = timed(site.set(0, 1));
      await begun;
      const heldMs = chance.between(100, 4_300);
      await pause(heldMs);
      site.relay.heal();
      const { answer, tookMs } = await pending;
      expect(answer.text).toBe('OK');
      expect(tookMs).toBeGreaterThanOrEqual(heldMs - 1);
      expect(site.newEdges()).toHaveLength(1);
    });
  });

  test.each(repeat(1, 4))(
    'that heals later: 504 at 5.0 to 5.1 s, then confirmed-late, which answers nobody else (I10)',
    async () => {
      const begun = atConfirmation(() => site.relay.partition());
      const pending = timed(site.set(0, 1));
      await begun;
      const first = await pending;
      expectTimeout(first);
      // The place is free: a second command is under way when the first one's confirmation arrives.
      const second = site.set(1, 1);
      await pause(200);
      site.relay.heal();
      expect((await second).text).toBe('OK');
      const commandId = first.answer.headers.get('command-id');
      await eventually(async () => (await site.outcomeOf(commandId)) === 'confirmed-late');
      expect(site.newEdges().map(({ output }) => output)).toEqual([0, 1]);
    },
    40_000,
  );

  test.each(repeat(2, 10))('that breaks the connection: the resume report of the next one gives the 200', async () => {
    const begun = atConfirmation(() => site.relay.cut());
    const pending = site.set(PULSED, 1);
    await begun;
    expect((await pending).text).toBe('OK');
    const [on, off] = await site.nextEdges(2);
    expect((off?.atMs ?? 0) - (on?.atMs ?? 0)).toBeGreaterThanOrEqual(499);
    expect(site.newEdges()).toEqual([]);
  });

  test.each(repeat(1, 4))(
    'that breaks it for longer: 504, and the resume report makes it confirmed-late',
    async () => {
      const begun = atConfirmation(() => {
        site.relay.isRefusing = true;
        site.relay.cut();
      });
      const pending = timed(site.set(0, 1));
      await begun;
      const timeout = await pending;
      expectTimeout(timeout);
      site.relay.heal();
      const commandId = timeout.answer.headers.get('command-id');
      await eventually(async () => (await site.outcomeOf(commandId)) === 'confirmed-late', 30_000);
      expect(site.newEdges()).toHaveLength(1);
    },
    60_000,
  );
});

describe('T7: every frame is delivered twice', () => {
  test.each(repeat(2, 10))('on a link that is up: one edge for each toggle, each answered once', async () => {
    site.relay.copies = () => 2;
    for (const level of [1, 0, 1, 0]) {
      expect((await site.toggle(0)).text).toBe('OK');
      expect(site.newEdges().map((edge) => edge.level)).toEqual([level]);
    }
    expect((await site.set(PULSED, 1)).text).toBe('OK');
    expect((await site.nextEdges(2)).map((edge) => edge.level)).toEqual([1, 0]);
    expect((await site.state()).connected).toBe(true);
    expect(site.newEdges()).toEqual([]);
  });

  test.each(repeat(2, 10))(
    'from the handshake on: the link comes up, and a command waiting for it is one edge',
    async () => {
      site.relay.copies = () => 2;
      site.relay.cut();
      expect((await site.toggle(0)).text).toBe('OK');
      expect((await site.toggle(0)).text).toBe('OK');
      expect(site.newEdges().map(({ level }) => level)).toEqual([1, 0]);
    },
  );

  test('on a slow link: one edge', async () => {
    site.relay.copies = () => 2;
    site.relay.delay('to-device', 20);
    site.relay.delay('to-server', 20);
    for (const level of [1, 0]) {
      expect((await site.toggle(0)).text).toBe('OK');
      expect(site.newEdges().map((edge) => edge.level)).toEqual([level]);
    }
  });
});
