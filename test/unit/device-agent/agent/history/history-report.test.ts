/** What the server hears of the history, and what it is not told again. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Events, LINK_MAX_FRAME_BYTES, MAX_EVENT_CHANGES, readDeviceFrame } from '@relaygate/shared';
import { AgentInMemory, HISTORY_PATH } from '../../../../support/device/agent-in-memory';

let device: AgentInMemory;
beforeEach(async () => {
  device = new AgentInMemory();
  await device.startGuard();
});

const command = async (times = 1): Promise<void> => {
  for (let turn = 0; turn < times; turn += 1) {
    await device.records?.history.enterAction({ actor: 'a test', kind: 'pulse', numOutput: 2, outcome: 'executed' });
  }
};
const events = (): Events[] => device.server.of('events');
const seqs = (): number[][] => events().map(({ entries }) => entries.map(({ seq }) => seq));
async function keep(upTo: number, historyId = device.records?.history.id ?? ''): Promise<void> {
  device.server.say({ type: 'events-kept', historyId, upTo });
  await device.passed();
}
async function linkUp(): Promise<void> {
  await device.startAgent(200);
}
/** What the server has heard of it is forgotten. */
async function endAgent(): Promise<void> {
  device.stopAgent();
  await device.passed();
  device.server.said.length = 0;
}
async function linkAgain(): Promise<void> {
  device.server.close(null);
  await device.passed(5_000);
}

test('a link begins with a question, and goes on behind the answer, one frame at a time', async () => {
  await linkUp();
  await command(3);
  expect(seqs()).toEqual([[]]);
  await keep(1);
  expect(seqs()).toEqual([[], [2, 3]]);
  await command(2);
  expect(seqs()).toHaveLength(2);
  await keep(3);
  expect(seqs().at(-1)).toEqual([4, 5]);
  await keep(5);
  await command();
  expect(seqs().slice(3)).toEqual([[6]]);
});

test('whoever listens hears once of entries that became durable with one write', async () => {
  await linkUp();
  let heard = 0;
  device.records?.history.watch(() => {
    heard += 1;
  });
  await Promise.all([command(), command(), command()]);
  expect(heard).toBe(1);
});

test('an answer that comes twice, or is to another history, changes nothing', async () => {
  await linkUp();
  await command(2);
  await keep(0);
  await keep(0);
  await keep(2, 'x'.repeat(16));
  expect(seqs()).toEqual([[], [1, 2]]);
  await keep(2);
  await keep(2);
  await command();
  expect(seqs()).toEqual([[], [1, 2], [3]]);
});

test('what an agent has left in the file is told only once it is synced: that one may have died before it was', async () => {
  await linkUp();
  await command();
  await endAgent();
  const synced = device.files.hold(HISTORY_PATH);
  await linkUp();
  await keep(0);
  expect(seqs()).toEqual([[]]);
  synced();
  await device.passed();
  expect(device.files.synced).toContain(HISTORY_PATH);
  expect(seqs()).toEqual([[], [1]]);
});

test('what stands ahead of a line that was cut is told although a full disk does not take the file anew', async () => {
  await linkUp();
  await command();
  await endAgent();
  device.files.texts.set(HISTORY_PATH, `${device.files.texts.get(HISTORY_PATH)}{"entries":[{"seq":2,"act`);
  device.files.full.set(HISTORY_PATH, 'ENOSPC');
  await linkUp();
  await keep(0);
  expect(seqs()).toEqual([[], [1]]);
});

test('a file that can never be synced as it was found is written anew, and told then', async () => {
  await linkUp();
  await command();
  await endAgent();
  const sync = (): Promise<void> => Promise.reject(new Error('EIO'));
  await device.startAgent(200, { ...device.files.of(() => true), sync });
  await keep(0);
  expect(seqs()).toEqual([[]]);
  await command();
  expect(seqs()).toEqual([[], [1, 2]]);
});

test('what is not durable yet is not told', async () => {
  await linkUp();
  await keep(0);
  device.files.failing.set(HISTORY_PATH, 'EIO');
  await command();
  expect(seqs()).toEqual([[]]);
  device.files.failing.clear();
  await device.passed(60_000);
  expect(seqs()).toEqual([[], [1]]);
});

test('an older copy of a card, whose numbers the server knows already, tells all again as a new history', async () => {
  await linkUp();
  await command(2);
  const before = device.records?.history.id;
  await keep(40);
  const after = device.records?.history.id;
  expect(after).not.toBe(before);
  expect(events().at(-1)).toEqual({ type: 'events', historyId: after, entries: [] });
  expect(device.files.texts.get(HISTORY_PATH)).toContain(after);
  await keep(0);
  expect(seqs().at(-1)).toEqual([1, 2]);
});

describe('a new history that the disk does not take', () => {
  /** When all of the history was to be written anew. */
  let triedMs: number[];
  beforeEach(async () => {
    await linkUp();
    await command(2);
    triedMs = [];
    const replace = device.files.replace.bind(device.files);
    device.files.replace = async (path, text) => {
      if (path === HISTORY_PATH) triedMs.push(device.clock.nowMs());
      await replace(path, text);
    };
    device.files.failing.set(HISTORY_PATH, 'EIO');
  });
  const questions = (): Events[] => events().filter(({ entries }) => entries.length === 0);
  /** The histories that were asked about, without the first one. */
  const askedSince = (): string[] =>
    questions()
      .slice(1)
      .map(({ historyId }) => historyId);

  test('is tried again on the same link until it does, and only then asked about', async () => {
    await keep(40);
    await device.passed(30_000);
    expect(questions()).toHaveLength(1);
    device.files.failing.clear();
    await device.passed(60_000);
    const id = device.records?.history.id;
    expect(device.files.texts.get(HISTORY_PATH)).toContain(id);
    expect(questions()).toHaveLength(2);
    expect(questions().at(-1)?.historyId).toBe(id);
    await keep(0);
    expect(seqs().at(-1)).toEqual([1, 2]);
  });

  test('is tried once a minute, under the one id', async () => {
    await keep(40);
    const [beganMs, id] = [device.clock.nowMs(), device.records?.history.id];
    await device.passed(300_000);
    expect(triedMs.map((ms) => ms - beganMs)).toEqual([0, 60_000, 120_000, 180_000, 240_000, 300_000]);
    expect(device.records?.history.id).toBe(id);
  });

  test('is not asked about on the links that come before it is durable, and told once', async () => {
    await keep(40);
    const id = device.records?.history.id ?? '';
    await linkAgain();
    await keep(40);
    await linkAgain();
    expect(questions()).toHaveLength(1);
    device.files.failing.clear();
    await device.passed(60_000);
    expect(questions()).toHaveLength(2);
    await keep(0);
    await keep(2);
    expect(seqs()).toEqual([[], [], [1, 2]]);
    for (const { historyId } of events().slice(1)) expect(historyId).toBe(id);
  });

  test('is written once where the disk is only slow, and asked about then', async () => {
    device.files.failing.clear();
    const answer = device.files.hold(HISTORY_PATH);
    await keep(40);
    const id = device.records?.history.id;
    await device.passed(150_000);
    expect(questions()).toHaveLength(1);
    answer();
    await device.passed();
    expect(askedSince()).toEqual([id]);
    expect(triedMs).toHaveLength(1);
  });

  test('is no more tried when the agent has ended', async () => {
    await keep(40);
    expect(triedMs).toHaveLength(1);
    device.stopAgent();
    await device.passed(600_000);
    expect(triedMs).toHaveLength(1);
  });
});

describe('every frame', () => {
  test('can be read, and is short enough not to hold up a command’s result', async () => {
    await linkUp();
    await command(300);
    await keep(0);
    for (let last = 0; last < 300; last = events().at(-1)?.entries.at(-1)?.seq ?? 300) {
      await keep(events().at(-1)?.entries.at(-1)?.seq ?? 0);
      if (events().at(-1)?.entries.at(-1)?.seq === 300) break;
    }
    const told = seqs().flat();
    expect(told).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    for (const frame of events()) {
      expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThan(4_096 + 200);
      expect(readDeviceFrame(JSON.stringify(frame)).kind).toBe('message');
    }
  });

  test('holds even the largest entry that there may be', async () => {
    const value = '\u{1f6aa}'.repeat(160);
    const after = new Map(Array.from({ length: MAX_EVENT_CHANGES }, (_, n) => [`${'m'.repeat(60)}.${n}`, value]));
    await linkUp();
    const actor = '\u{1f6aa}'.repeat(100);
    const concerns = (member: string): boolean => after.has(member);
    const wanted = { actor, kind: 'output', before: new Map(), after, concerns, stands: () => false } as const;
    await device.records?.history.change(wanted, async () => {});
    await keep(0);
    const frame = JSON.stringify(events().at(-1));
    expect(frame).toContain(value);
    expect(readDeviceFrame(frame).kind).toBe('message');
    expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(LINK_MAX_FRAME_BYTES);
  });
});
