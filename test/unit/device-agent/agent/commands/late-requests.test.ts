/** I2: what changes anything carries a deadline, and does not begin behind it. */
import { beforeEach, expect, test } from '@jest/globals';
import { AgentInMemory, EVENTS_PATH, HISTORY_PATH, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

type Asked = [type: string, body: object];
const LONG_PULSES: Asked = ['output', { numOutput: 2, change: { pulseMs: 60_000 }, force: false }];
const WIRING = { kind: 'simulated', chip: null, lines: null, activeLevels: ['high', 'high', 'high', 'high'] };
const NONE_ON = [1, 2, 3, 4].map((relay) => ({ relay, isOn: false }));
const CLICKS = [0, 1, 2, 3].map((numOutput): Asked => ['click', { numOutput }]);
const BOARD = { kind: 'gpio', lines: [5] };
/** `before`: what is asked for first, so that there is something to change. */
const CHANGES: [...Asked, before: Asked[]][] = [
  ['set', { numOutput: 0, state: 1 }, []],
  ['pulse', { numOutput: 2 }, []],
  ['stop', { numOutput: 2, pulseSinceMs: null }, [LONG_PULSES, ['pulse', { numOutput: 2 }]]],
  ['click', { numOutput: 2 }, []],
  ['prove', { by: 'Ada', wiring: WIRING, answers: NONE_ON }, CLICKS],
  ['output', { numOutput: 2, change: { pulseMs: 750 }, force: false }, []],
  ['lock', { numOutput: 0, forMs: 60_000 }, []],
  ['unlock', { numOutput: 0 }, [['lock', { numOutput: 0, forMs: 60_000 }]]],
  ['board', { board: BOARD, relays: ['1'], activeLevel: 'high' }, []],
  ['new-pin', {}, []],
  ['web-on', { forMs: 60_000, hotspot: false }, [['new-pin', {}]]],
  [
    'web-off',
    {},
    [
      ['new-pin', {}],
      ['web-on', { forMs: 60_000, hotspot: false }],
    ],
  ],
  ['factory-reset', { productLogin: 'test-product' }, []],
];

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

async function begin(before: Asked[]): Promise<void> {
  for (const asked of before) {
    const answer = device.localRequest(...asked);
    await device.passed(5_000);
    await answer;
  }
}

/** All that a request may change, but what is told of it. */
function seen() {
  const files = [...device.files.texts].filter(([path]) => path !== HISTORY_PATH && path !== EVENTS_PATH);
  return {
    edges: [...device.board.edges],
    files: Object.fromEntries(files),
    isPageOpen: device.web.listening !== null,
  };
}

test.each(CHANGES)('%s is refused and not begun behind its deadline', async (type, body, before) => {
  await begin(before);
  const [seenBefore, entries] = [seen(), await device.historyEntries({ limit: 10 })];
  const notAfterMs = device.clock.nowMs();
  await expect(device.localRequest(type, { ...body, notAfterMs })).rejects.toMatchObject(
    errorWith('refused', 'came too late and was not begun'),
  );
  await device.passed(5_000);
  expect(seen()).toEqual(seenBefore);
  // That a command was refused is told; nothing else is to tell.
  const told = (await device.historyEntries({ limit: 10 })).slice(entries.length);
  expect(told.every(({ outcome }) => outcome === 'expired')).toBe(true);
});

test.each(CHANGES)('%s before its deadline changes something', async (type, body, before) => {
  await begin(before);
  const seenBefore = seen();
  device.localRequest(type, body).catch(() => {});
  await device.passed(5_000);
  expect(seen()).not.toEqual(seenBefore);
});

test.each(CHANGES)('%s without a deadline is no request', async (type, body) => {
  await expect(device.localRequest(type, { ...body, notAfterMs: undefined })).rejects.toMatchObject(
    errorWith('bad-usage', 'notAfterMs'),
  );
});

test('a deadline far away is no later than that of a command of the server', async () => {
  const change = (pulseMs: number, notAfterMs: number): Promise<unknown> =>
    device.localRequest('output', { numOutput: 2, change: { pulseMs }, force: false, notAfterMs });
  const release = device.files.hold(SETTINGS_PATH);
  const slow = change(600, 1e12);
  await device.passed(100);
  const late = change(700, 1e12).catch((error) => error);
  await device.passed(4_500);
  release();
  await slow;
  expect(await late).toMatchObject(errorWith('refused', 'not begun'));
});
