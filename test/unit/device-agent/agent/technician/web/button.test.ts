/** The button that switches the page on: its rule alone, and through a guard in memory. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { HELD_MS, LOOK_MS, type Press, stepPress } from '@relaygate/device-agent/agent/technician/web/button';
import type { Level } from '@relaygate/shared/device';
import fc from 'fast-check';
import { generatedRounds } from '../../../../../support/chance/generated-rounds';
import { AgentInMemory } from '../../../../../support/device/agent-in-memory';

describe('a press', () => {
  const play = (seen: readonly (boolean | null)[]): number[] => {
    let press: Press = { stage: 'unknown' };
    return seen.flatMap((isPressed, n) => {
      const step = stepPress(press, isPressed, n * LOOK_MS);
      press = step.press;
      return step.isHeld ? [n] : [];
    });
  };
  const LOOKS = HELD_MS / LOOK_MS;
  const pressed = (count: number): boolean[] => Array.from({ length: count }, () => true);

  test('counts once it is held for 5 s, and once only', () => {
    expect(play([false, ...pressed(LOOKS)])).toEqual([]);
    expect(play([false, ...pressed(10 * LOOKS)])).toEqual([1 + LOOKS]);
    expect(play([false, ...pressed(LOOKS + 1), false, ...pressed(LOOKS + 1)])).toHaveLength(2);
  });

  test('of a wire that is stuck, or that was away meanwhile, never counts', () => {
    expect(play(pressed(100))).toEqual([]);
    expect(play([false, ...pressed(LOOKS - 1), null, ...pressed(100)])).toEqual([]);
    expect(play(Array.from({ length: 100 }, () => null))).toEqual([]);
  });

  test('whatever is seen: each that counts had 5 s without a break before it, and a release since the last one', () => {
    const look = fc.oneof(
      { weight: 20, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constantFrom(false, null) },
    );
    fc.assert(
      fc.property(fc.array(look, { maxLength: 200 }), (looks) => {
        const seen = [false, ...looks];
        for (const [n, at] of play(seen).entries()) {
          expect(seen.slice(at - LOOKS, at + 1)).toEqual(pressed(LOOKS + 1));
          expect(seen.slice(n === 0 ? 0 : play(seen)[n - 1], at).lastIndexOf(false)).toBeGreaterThanOrEqual(0);
        }
      }),
      generatedRounds(100, 1_000),
    );
  });
});

describe('the button of a device', () => {
  let device: AgentInMemory;
  let level: Level | null;
  beforeEach(async () => {
    device = new AgentInMemory();
    device.editSettings({ web: { buttonInput: 3 } });
    level = 'high';
    device.board.inputLevel = (input) => (input === 3 ? level : null);
    await device.startGuard();
    await device.startAgent();
    await device.localRequest('new-pin', {});
    await device.passed(2 * LOOK_MS);
  });
  const isOn = (): boolean => device.web.listening !== null;
  async function seconds(count: number): Promise<void> {
    // The next look begins with the answer to the one before.
    for (let turn = 0; turn < 2 * count; turn += 1) await device.passed(LOOK_MS);
  }

  test('switches the page on for half an hour when it is held, and is entered', async () => {
    level = 'low';
    await seconds(5);
    expect(isOn()).toBe(false);
    await seconds(1);
    expect(isOn()).toBe(true);
    expect(await device.historyEntries({ limit: 1 })).toMatchObject([{ kind: 'web-on', actor: 'button' }]);
    level = 'high';
    await device.passed(31 * 60_000);
    expect(isOn()).toBe(false);
  });

  test('that is kept pressed does not keep the page on', async () => {
    level = 'low';
    await seconds(6);
    expect(isOn()).toBe(true);
    await device.passed(31 * 60_000);
    expect(isOn()).toBe(false);
    await device.passed(31 * 60_000);
    expect(isOn()).toBe(false);
  });

  test('is not asked for where the guard is away, and works again with the next one', async () => {
    level = 'low';
    await seconds(3);
    device.killGuard();
    await seconds(10);
    expect(isOn()).toBe(false);
    await device.startGuard();
    await seconds(10);
    expect(isOn()).toBe(false);
    level = 'high';
    await seconds(1);
    level = 'low';
    await seconds(6);
    expect(isOn()).toBe(true);
  });

  test('delays no order: an input that never answers holds up neither button nor outputs', async () => {
    const never = new Promise<never>(() => {});
    device.board.readInput = () => never;
    await seconds(3);
    expect(await device.localRequest('pulse', { numOutput: 2 })).toMatchObject({ outcome: 'executed' });
    expect(device.board.edges).toHaveLength(1);
    await device.passed(500);
    expect(device.board.edges).toHaveLength(2);
    expect(await device.status()).toMatchObject({ guard: { isReachable: true } });
  });
});
