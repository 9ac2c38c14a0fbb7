/** Agent and guard killed: what the pins do. */
import { expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { EmulatedPi } from '../machine/emulated-pi';
import { ALL_PINS, BARRIER, type DriverUnderTest, FAN, HEATING, lineOf, PUMP, SHUTTER } from './lines';
import { report } from './report';
import { drivesOf, expectPulse, untilOff, watched } from './watched';

export function describeKilledGuard(pi: () => EmulatedPi, { kind, staysDriven }: DriverUnderTest): void {
  const api = () => pi().companion;

  test('T3: a guard killed in a pulse switches it off when it starts again, and does not pulse again', async () => {
    const { pin, on, off } = lineOf(SHUTTER);
    let killedMs = 0;
    const seen = await watched(pi(), { pins: [pin], edges: staysDriven ? 2 : 3 }, async () => {
      expect((await api().set(SHUTTER, 1)).text).toBe('OK');
      killedMs = monotonicNowMs();
      await pi().killAndRestart('relaygate-guard');
      await untilOff(pi());
    });
    const expected = staysDriven ? [on, off] : [on, 'input', off];
    expect(drivesOf(seen.edges)).toEqual(expected.map((drive) => ({ pin, drive })));
    // Also not for a moment.
    expect(seen.orders.filter((order) => order.pin === pin && order.drive === on)).toHaveLength(1);
    const [, gone] = seen.edges;
    const what = staysDriven ? 'the restarted guard drove it off' : 'the kernel made it an input';
    report(`${kind}, guard killed: ${what} after ${((gone?.beforeMs ?? 0) - killedMs).toFixed(0)} ms`);
  });
}

export function describeOtherKills(pi: () => EmulatedPi, { kind }: DriverUnderTest): void {
  const api = () => pi().companion;

  test('T2: a pulse keeps its length when the agent is killed in it', async () => {
    const seen = await watched(pi(), { pins: ALL_PINS, edges: 2, closely: true }, async () => {
      expect((await api().set(BARRIER, 1)).text).toBe('OK');
      await pi().kill('relaygate-agent');
    });
    expectPulse(seen, BARRIER, `${kind}, agent killed`);
  });

  test('a guard killed and started again: `restore` is on again, `on` only after a new boot, `off` never (I5)', async () => {
    for (const numOutput of [HEATING, FAN, PUMP]) expect((await api().set(numOutput, 1)).status).toBe(200);
    const [heating, fan, pump] = [lineOf(HEATING), lineOf(FAN), lineOf(PUMP)];
    const pins = [heating.pin, fan.pin, pump.pin];
    await pi().killAndRestart('relaygate-guard');
    expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.off, pump.on]);
    await pi().newBoot();
    await pi().killAndRestart('relaygate-guard');
    expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.on, pump.on]);
  });
}
