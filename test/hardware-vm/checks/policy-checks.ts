/** Policies of outputs, as they show on the pins. */
import { expect, test } from '@jest/globals';
import { repeat } from '../../support/time/excuse';
import { eventually } from '../../support/time/waiting';
import type { EmulatedDevice } from '../machine/emulated-device';
import { changesOf } from '../machine/line-trace';
import { COMPRESSOR, DOWN, INTERLOCK_MS, LAMP, lineOf, MAX_ON_MS, TURNSTILE, UP } from './lines';
import { report } from './report';
import { drivesOf, expectAfter, type Seen, settle, traced } from './watched';

const PATIENCE_MS = 60_000;

export function describePolicies(device: () => EmulatedDevice): void {
  const api = () => device().companion;
  const isOff = async (numOutput: number): Promise<boolean> => (await api().state()).outputs[numOutput]?.state === 0;

  test('interlock: break, wait, make', () =>
    repeat(
      async () => {
        const [up, down] = [lineOf(UP), lineOf(DOWN)];
        const seen = await traced(device(), async () => {
          expect((await api().set(UP, 1)).text).toBe('OK');
          expect((await api().set(DOWN, 1)).text).toBe('OK');
          expect((await api().set(DOWN, 0)).text).toBe('OK');
        });
        const changes = changesOf(seen.orders);
        expect(drivesOf(changes)).toEqual([
          { pin: up.pin, drive: up.on },
          { pin: up.pin, drive: up.off },
          { pin: down.pin, drive: down.on },
          { pin: down.pin, drive: down.off },
        ]);
        tell('interlock', seen, 1, 2);
        expectAfter(seen, changes.slice(1, 3), INTERLOCK_MS);
      },
      () => settle(device()),
    ));

  test('maxOnMs: off by itself', () =>
    repeat(
      async () => {
        const { pin, on, off } = lineOf(LAMP);
        const seen = await traced(device(), async () => {
          expect((await api().set(LAMP, 1)).text).toBe('OK');
          await eventually(() => isOff(LAMP), PATIENCE_MS);
        });
        expect(drivesOf(changesOf(seen.orders))).toEqual([on, off].map((drive) => ({ pin, drive })));
        tell('maxOnMs', seen, 0, 1);
        expectAfter(seen, changesOf(seen.orders), MAX_ON_MS);
      },
      () => settle(device()),
    ));

  test('minSwitchIntervalMs: on again too soon is refused and moves nothing; off never is', async () => {
    const { pin, on, off } = lineOf(COMPRESSOR);
    // The guard's own first order counts.
    await eventually(async () => (await api().set(COMPRESSOR, 1)).status === 200, PATIENCE_MS);
    const seen = await traced(device(), async () => {
      expect((await api().set(COMPRESSOR, 0)).text).toBe('OK');
      const refused = await api().set(COMPRESSOR, 1);
      expect(refused.status).toBe(504);
      expect(await api().outcomeOf(refused)).toMatchObject({ outcome: 'refused', reason: 'switched-too-soon' });
    });
    expect(drivesOf(changesOf(seen.orders))).toEqual([{ pin, drive: off }]);
    expect(on).not.toBe(off);
  });

  test('retrigger extend: a pulse starts anew, without an edge', () =>
    repeat(
      async () => {
        const { pin, on, off, pulseMs } = lineOf(TURNSTILE);
        const seen = await traced(device(), async () => {
          expect((await api().set(TURNSTILE, 1)).text).toBe('OK');
          expect((await api().set(TURNSTILE, 1)).text).toBe('OK');
          await eventually(() => isOff(TURNSTILE), PATIENCE_MS);
        });
        // The second order repeats the first.
        expect(drivesOf(seen.orders)).toEqual([on, on, off].map((drive) => ({ pin, drive })));
        tell('retrigger', seen, 0, 1);
        expectAfter(seen, seen.orders.slice(1), pulseMs);
      },
      () => settle(device()),
    ));
}

function tell(what: string, { orders }: Seen, first: number, second: number): void {
  const ms = (orders[second]?.atMs ?? Number.NaN) - (orders[first]?.atMs ?? Number.NaN);
  report(`${what}: ${ms.toFixed(2)} ms`);
}
