/** Agent and guard killed: what the pins do. */
import { expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { repeat } from '../../support/time/excuse';
import { expectInTime } from '../../support/time/timed';
import type { EmulatedDevice } from '../machine/emulated-device';
import {
  ALL_PINS,
  BARRIER,
  BEACON,
  type DriverUnderTest,
  FAN,
  HEATING,
  LOSS_MS,
  lineOf,
  PUMP,
  SHUTTER,
  SIREN,
} from './lines';
import { report } from './report';
import { changesAt, drivesOf, expectPulse, type Seen, settle, untilOff, watched } from './watched';

/** The agent tells that it lives each so often, so its last word is at most so old when it dies. */
const AGENT_HEARTBEAT_MS = 2_000;
/** I4 on a real device: 1 s; under emulation a guard takes seconds to start. */
const EMULATED_OFF_MS = 10_000;
/** A word that is late, or one that was on its way, and the guest's coarse clock. */
const SLACK_MS = 300;

export function describeKilledGuard(pi: () => EmulatedDevice, { kind, staysDriven, powerCuts }: DriverUnderTest): void {
  const api = () => pi().companion;

  const later = powerCuts ? '; `on` is after a power cut' : '';
  test(`T3, I5: a guard killed in a pulse switches it off when it starts again, without a second pulse; of the others only \`restore\` is on again${later}`, () =>
    repeat(
      async () => {
        const { pin, on, off } = lineOf(SHUTTER);
        const held = [HEATING, FAN, PUMP];
        const pins = held.map((numOutput) => lineOf(numOutput).pin);
        const [heating, fan, pump] = [lineOf(HEATING), lineOf(FAN), lineOf(PUMP)];
        for (const numOutput of held) expect((await api().set(numOutput, 1)).status).toBe(200);
        let killedMs = 0;
        const seen = await watched(pi(), { pins: [pin], edges: staysDriven ? 2 : 3 }, async () => {
          expect((await api().set(SHUTTER, 1)).text).toBe('OK');
          killedMs = monotonicNowMs();
          await pi().killAndRestart('relaygate-guard');
          expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.off, pump.on]);
          await untilOff(pi());
        });
        const expected = staysDriven ? [on, off] : [on, 'input', off];
        expect(drivesOf(seen.edges)).toEqual(expected.map((drive) => ({ pin, drive })));
        // Also not for a moment.
        expect(seen.orders.filter((order) => order.pin === pin && order.drive === on)).toHaveLength(1);
        const [, gone] = seen.edges;
        const what = staysDriven ? 'the restarted guard drove it off' : 'the kernel made it an input';
        const afterMs = (gone?.beforeMs ?? Number.NaN) - killedMs;
        report(`${kind}, guard killed: ${what} after ${afterMs.toFixed(0)} ms`);
        const lostMs = (): number => pi().lostOutsideMs({ fromMs: killedMs, toMs: killedMs + afterMs });
        expectInTime(
          'answer',
          afterMs - EMULATED_OFF_MS,
          lostMs,
          `off ${afterMs.toFixed(0)} ms after its guard was killed`,
        );
        if (!powerCuts) return;
        await pi().newBoot();
        await pi().killAndRestart('relaygate-guard');
        expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.on, pump.on]);
      },
      () => settle(pi()),
    ));
}

export function describeKilledAgent(pi: () => EmulatedDevice, { kind }: DriverUnderTest): void {
  const api = () => pi().companion;

  test('T2: with the agent killed a pulse keeps its length; what has onAgentLoss or onLinkLoss goes off in time, the rest stays', () =>
    repeat(
      async () => {
        const [siren, beacon, pump] = [SIREN, BEACON, PUMP].map(lineOf);
        if (!siren || !beacon || !pump) throw new Error('lines are missing');
        for (const numOutput of [SIREN, BEACON, PUMP]) expect((await api().set(numOutput, 1)).status).toBe(200);
        let killedMs = 0;
        await pi().traceGuard();
        const seen = await watched(pi(), { pins: ALL_PINS, edges: 4 }, async () => {
          expect((await api().set(BARRIER, 1)).text).toBe('OK');
          await pi().kill('relaygate-agent');
          killedMs = await pi().nowMs();
        });
        expectPulse(seen, BARRIER, `${kind}, agent killed`);
        for (const { pin, off } of [siren, beacon]) {
          const changes = changesAt(seen, pin);
          expect(drivesOf(changes)).toEqual([{ pin, drive: off }]);
          const afterMs = (changes[0]?.atMs ?? 0) - killedMs;
          report(`${kind}, agent killed: BCM ${pin} went off ${afterMs.toFixed(0)} ms later`);
          expectLoss(seen, killedMs, killedMs + afterMs);
        }
        expect(changesAt(seen, pump.pin)).toEqual([]);
        expect(await pi().pins.look(pump.pin)).toEqual([pump.on]);
      },
      () => settle(pi()),
    ));

  test('without its server only what has onLinkLoss goes off', () =>
    repeat(
      async () => {
        const [pump, beacon] = [lineOf(PUMP), lineOf(BEACON)];
        for (const numOutput of [PUMP, BEACON]) expect((await api().set(numOutput, 1)).status).toBe(200);
        const beforeMs = await pi().nowMs();
        let cutMs = 0;
        const cut = async (): Promise<void> => {
          api().cutLink();
          cutMs = await pi().nowMs();
        };
        const seen = await watched(pi(), { pins: [pump.pin, beacon.pin], edges: 1 }, cut).finally(() =>
          api().healLink(),
        );
        expect(drivesOf(seen.edges)).toEqual([{ pin: beacon.pin, drive: beacon.off }]);
        const offMs = changesAt(seen, beacon.pin)[0]?.atMs ?? Number.NaN;
        report(`${kind}, link lost: BCM ${beacon.pin} went off ${(offMs - cutMs).toFixed(0)} ms later`);
        expectLoss(seen, cutMs, offMs, beforeMs);
        expect(await pi().pins.look(pump.pin)).toEqual([pump.on]);
      },
      () => settle(pi()),
    ));
}

/** Off by a policy after LOSS_MS; the loss was between `earliestMs` and `lossMs`. */
function expectLoss(seen: Seen, lossMs: number, offMs: number, earliestMs = lossMs): void {
  const says = `off ${(offMs - lossMs).toFixed(0)} ms after the loss`;
  const last = { fromMs: lossMs, toMs: lossMs + LOSS_MS };
  const earlyMs = LOSS_MS - AGENT_HEARTBEAT_MS - SLACK_MS - (offMs - earliestMs);
  expectInTime('answer', earlyMs, () => seen.lostMs(last), says);
  const due = { fromMs: lossMs + LOSS_MS, toMs: offMs };
  expectInTime('answer', offMs - due.fromMs - SLACK_MS, () => seen.lostMs(due), says);
}
