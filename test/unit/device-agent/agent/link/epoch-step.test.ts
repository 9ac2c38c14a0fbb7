/** A server whose link epoch is far above the last one, against an agent and a guard in the same process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, CODE_PATH } from '../../../../support/device/agent-in-memory';
import { enrolmentCode } from '../../../../support/server/codes';

/** A little below the last number that an epoch may have: each further try counts one more. */
const FAR = Number.MAX_SAFE_INTEGER - 1_000;
let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});

/** The next link's `welcome` brings this epoch. */
async function relinkWith(epoch: number): Promise<void> {
  device.server.epoch = epoch - 1;
  device.server.close(null);
  // A link that held for 5 s counts as good, so that the next loss has its short wait again.
  await device.passed(10_000);
}

const isUp = async (): Promise<boolean> => (await device.status()).link.isUp;
async function outcomeOf(commandId: string): Promise<unknown> {
  device.server.command(commandId, 0);
  await device.passed(100);
  return device.server.of('result').find((result) => result.commandId === commandId);
}

describe('a false server that counts its links far ahead', () => {
  test('gets no link, is named in the status and the log, and leaves the right one served, over restarts too', async () => {
    await device.start();
    await relinkWith(FAR);
    expect(await device.status()).toMatchObject({
      link: { isUp: false, problem: expect.stringMatching(/\(epoch 90071992547\d+ after 1\)/), cause: 'epoch-too-far' },
    });
    expect(await device.logged('link')).toContainEqual(expect.stringMatching(/\(epoch 90071992547\d+ after 1\)/));
    device.killGuard();
    device.stopAgent();
    await device.start();
    await relinkWith(FAR);
    await relinkWith(2);
    expect(await outcomeOf('c1')).toMatchObject({ outcome: 'executed' });
  });

  test('gets none while the guard is away, nor as the first one of a boot', async () => {
    device.server.epoch = FAR - 1;
    await device.startAgent(3_000);
    expect(await isUp()).toBe(false);
    expect(device.server.of('time')).toEqual([]);
  });
});

test('an epoch that only the guard takes for too far ends the link, and the guard stays in reach', async () => {
  await device.start();
  for (const step of [1, 2]) await relinkWith(step * 2 ** 32);
  device.killGuard();
  // What it knew of this boot is lost.
  device.files.texts.delete('/run/journal.jsonl');
  await device.passed(500);
  await device.startGuard(300);
  expect(await device.status()).toMatchObject({
    guard: { isReachable: true },
    link: { isUp: false, problem: expect.stringContaining('after 0') },
  });
  await relinkWith(7);
  expect(await outcomeOf('c1')).toMatchObject({ outcome: 'executed' });
});

test('a restored server, a million ahead, is served', async () => {
  await device.start();
  await relinkWith(1_000_002);
  expect(await outcomeOf('c1')).toMatchObject({ outcome: 'executed' });
});

test('a new enrolment begins anew, a mere new link does not', async () => {
  await device.start();
  await relinkWith(50);
  await relinkWith(3);
  expect(await outcomeOf('c1')).toMatchObject({ outcome: 'refused', reason: 'superseded' });
  device.files.texts.set(CODE_PATH, `${enrolmentCode()}\n`);
  await relinkWith(3);
  expect(await outcomeOf('c2')).toMatchObject({ outcome: 'executed' });
  device.killGuard();
  await device.startGuard(500);
  expect(await outcomeOf('c3')).toMatchObject({ outcome: 'executed' });
});

test('a code that cannot be removed begins anew once, not with every link', async () => {
  await device.start();
  await relinkWith(50);
  device.files.texts.set(CODE_PATH, `${enrolmentCode()}\n`);
  device.files.failing.set(CODE_PATH, 'EROFS');
  await relinkWith(30);
  expect(await outcomeOf('c1')).toMatchObject({ outcome: 'executed' });
  await relinkWith(3);
  expect(device.server.of('proof').at(-1)).toHaveProperty('enrolmentCode', enrolmentCode());
  expect(await outcomeOf('c2')).toMatchObject({ outcome: 'refused', reason: 'superseded' });
  await relinkWith(2 ** 32 + 29);
  expect(await outcomeOf('c3')).toMatchObject({ outcome: 'executed' });
  await relinkWith(2 ** 33 + 40);
  expect(await isUp()).toBe(false);
});

test('a guard that was away hears of a new enrolment with a later link, too', async () => {
  await device.start();
  await relinkWith(50);
  device.killGuard();
  device.files.texts.set(CODE_PATH, `${enrolmentCode()}\n`);
  await relinkWith(3);
  await relinkWith(4);
  await device.startGuard(500);
  expect(await outcomeOf('c1')).toMatchObject({ outcome: 'executed' });
  await relinkWith(3);
  expect(await outcomeOf('c2')).toMatchObject({ outcome: 'refused', reason: 'superseded' });
});
