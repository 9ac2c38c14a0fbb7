/** I2: what somebody at the device has given up, and what has not begun, never begins. */
import { beforeEach, expect, test } from '@jest/globals';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';
import { PageClient } from '../../../../support/device/page-client';

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

/** Holds the board up from now on; the result lets it go. */
function holdBoard(): () => void {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  device.board.answer = async (order) => {
    await held;
    return device.board.move(order);
  };
  return release;
}

/** A command that waits behind another one of output 0, whose order the board has in hand. */
async function waiting(): Promise<{ hangUp(): void; release(): void }> {
  const release = holdBoard();
  void device.localRequest('set', { numOutput: 0, state: 1 }).catch(() => {});
  await device.passed(50);
  const asked = device.ask('set', { numOutput: 0, state: 0 });
  asked.answer.catch(() => {});
  await device.passed(50);
  return { ...asked, release };
}

test('a command that waits in the guard is dropped there when its asker hangs up', async () => {
  const { hangUp, release } = await waiting();
  hangUp();
  await device.passed(100);
  expect(await device.lastEntry()).toMatchObject({ kind: 'set-off', outcome: 'expired' });
  release();
  await device.passed(5_000);
  expect(device.board.edges).toMatchObject([{ line: 0, level: 'high' }]);
});

test('one that has begun is carried out, and entered as such', async () => {
  const release = holdBoard();
  const { hangUp } = device.ask('set', { numOutput: 0, state: 1 });
  await device.passed(50);
  hangUp();
  await device.passed(50);
  release();
  await device.passed(500);
  expect(device.board.edges).toHaveLength(1);
  expect(await device.lastEntry()).toMatchObject({ kind: 'set-on', outcome: 'executed' });
});

test('a local command is dropped when the agent goes that passed it on; one of the server is not', async () => {
  const { release } = await waiting();
  device.server.command('remote', 1);
  await device.passed(50);
  device.cutGuard();
  await device.passed(50);
  release();
  await device.passed(1_000);
  const moved = device.board.edges.map(({ line, level }) => `${line} ${level}`);
  expect(moved).not.toContain('0 low');
  expect(moved).toContain('1 high');
});

test('a proof whose watcher has gone clicks no more', async () => {
  const { hangUp } = device.ask('click', { numOutput: 0 });
  await device.passed(400);
  hangUp();
  await device.passed(5_000);
  expect(device.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  expect(await device.lastEntry()).toMatchObject({ kind: 'click', outcome: 'unproven' });
});

test('a change of settings whose turn has not come is not begun', async () => {
  const release = device.files.hold('/data/settings.json');
  const change = (pulseMs: number) => device.ask('output', { numOutput: 2, change: { pulseMs }, force: false });
  change(600);
  await device.passed(50);
  const { hangUp } = change(700);
  await device.passed(50);
  hangUp();
  release();
  await device.passed(500);
  expect(JSON.parse(device.files.texts.get('/data/settings.json') ?? '').outputs[2].pulseMs).toBe(600);
});

test('a forced change that is given up while its entry is written switches nothing off', async () => {
  await device.localRequest('set', { numOutput: 1, state: 1 });
  const release = device.files.hold('/data/history.jsonl');
  const { hangUp } = device.ask('output', { numOutput: 1, change: { mode: 'impulse' }, force: true });
  await device.passed(50);
  hangUp();
  await device.passed(50);
  release();
  await device.passed(500);
  expect(device.board.edges).toMatchObject([{ line: 1, level: 'high' }]);
  expect(await device.lastEntry()).toMatchObject({ kind: 'not-done' });
});

test('a tap on a page that is closed is dropped too', async () => {
  const pin = await device.newPin();
  await device.localRequest('web-on', { forMs: 3_600_000, hotspot: false });
  const phone = new PageClient(device.web, device.clock);
  await phone.logIn(pin);
  const release = holdBoard();
  void device.localRequest('set', { numOutput: 0, state: 1 });
  await device.passed(50);
  void phone.act('set', { numOutput: 0, state: 0 });
  await device.passed(50);
  device.web.hangUp();
  await device.passed(100);
  expect(await device.lastEntry()).toMatchObject({ kind: 'set-off', outcome: 'expired' });
  release();
  await device.passed(500);
  expect(device.board.edges).toMatchObject([{ line: 0, level: 'high' }]);
});
