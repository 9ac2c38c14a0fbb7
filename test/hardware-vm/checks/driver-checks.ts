/** What must hold for guard and agent on the lines of a Raspberry Pi, whatever driver they use. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { repeat } from '../../support/time/excuse';
import type { EmulatedDevice } from '../machine/emulated-device';
import { changesOf } from '../machine/line-trace';
import { describeKilledAgent, describeKilledGuard } from './kill-checks';
import {
  ALL_PINS,
  DOOR,
  type DriverUnderTest,
  FAN,
  GATE,
  type GpioKind,
  HEATING,
  INACTIVE,
  LINES,
  lineOf,
  PUMP,
  setupOf,
} from './lines';
import { describeForeignLine } from './owner-checks';
import { report } from './report';
import { drivesOf, expectPulse, expectSeenOutside, settle, watched } from './watched';

const PULSES = 5;
const OTHER_DATA = '/var/lib/relaygate-other';
/** One of each polarity. */
const ON_OFF = LINES.slice(HEATING, GATE).map(
  ({ output: { name, activeLevel } }, n) => [name, activeLevel, n] as const,
);

export function describeDriver(pi: () => EmulatedDevice, driver: DriverUnderTest): void {
  const { kind, onlyKilledGuard } = driver;
  const api = () => pi().companion;

  describe(`board.kind ${kind}`, () => {
    beforeAll(() => pi().setUp(setupOf(kind)));

    test('the guard takes its lines inactive; on the way only the policy `on` energises one (I5)', async () => {
      const seen = await watched(pi(), { pins: ALL_PINS, edges: 1 }, () => pi().startAll());
      const fan = lineOf(FAN);
      const expected = INACTIVE.map((off, numOutput) => (numOutput === FAN ? fan.on : off));
      expect(await pi().pins.look(...ALL_PINS)).toEqual(expected);
      const energising = changesOf(seen.orders).filter(({ pin, drive }) => drive === lineOf(ALL_PINS.indexOf(pin)).on);
      expect(drivesOf(energising)).toEqual([{ pin: fan.pin, drive: fan.on }]);
    });

    describe('once it runs', () => {
      beforeEach(() => settle(pi()));

      describeKilledGuard(pi, driver);
      if (onlyKilledGuard) return;
      describeOrders(pi, kind);
      // What does not depend on the driver is seen with one.
      if (kind === 'gpio') describeKilledAgent(pi, driver);

      test('stopped in good order it leaves nothing energised', async () => {
        for (const numOutput of [HEATING, FAN, PUMP]) expect((await api().set(numOutput, 1)).status).toBe(200);
        await pi().stopAll();
        const drives = await pi().pins.look(...ALL_PINS);
        expect(drives.filter((drive, n) => drive === lineOf(n).on)).toEqual([]);
      });
    });
    if (kind === 'gpio' && !onlyKilledGuard) describeForeignLine(pi);
  });
}

function describeOrders(pi: () => EmulatedDevice, kind: GpioKind): void {
  const api = () => pi().companion;

  test.each(ON_OFF)(
    '"%s", active %s: set, already set, toggle drive its pin and no other',
    async (_name, _level, n) => {
      const { pin, on, off } = lineOf(n);
      const seen = await watched(pi(), { pins: ALL_PINS, edges: 0 }, async () => {
        expect((await api().set(n, 1)).text).toBe('OK');
        expect(await pi().pins.look(pin)).toEqual([on]);
        expect((await api().set(n, 1)).json).toEqual({ already_set: true });
        expect((await api().set(n, 0)).text).toBe('OK');
        expect(await pi().pins.look(pin)).toEqual([off]);
        for (const drive of [on, off]) {
          expect((await api().toggle(n)).text).toBe('OK');
          expect(await pi().pins.look(pin)).toEqual([drive]);
        }
      });
      expect(drivesOf(changesOf(seen.orders))).toEqual([on, off, on, off].map((drive) => ({ pin, drive })));
    },
  );

  test.each([
    ['active high', GATE],
    ['active low', DOOR],
  ])(`${PULSES} pulses %s are as long as ordered, in the kernel and on the pin`, async (level, numOutput) => {
    await pi().traceGuard();
    for (let n = 0; n < PULSES; n += 1) {
      await repeat(async () => {
        const seen = await watched(pi(), { pins: ALL_PINS, edges: 2, closely: true }, async () => {
          expect((await api().set(numOutput, 1)).text).toBe('OK');
        });
        expectSeenOutside(seen, expectPulse(seen, numOutput, `${kind}, ${level}`));
      });
    }
  });

  test('a second guard is refused by the lines, says who has them, and moves nothing', async () => {
    await pi().shell.run(`mkdir -p ${OTHER_DATA} && cp /var/lib/relaygate/settings.json ${OTHER_DATA}/`);
    const { edges, orders } = await watched(pi(), { pins: ALL_PINS, edges: 0 }, async () => {
      const { code, stdout } = await pi().tryStart('relaygate-guard', OTHER_DATA);
      report(`${kind}, second guard: ${stdout.trim()}`);
      expect(code).not.toBe(0);
      expect(stdout).toMatch(/board-busy: .*relaygate/);
    });
    expect([edges, orders]).toEqual([[], []]);
    expect((await api().set(HEATING, 1)).status).toBe(200);
  });
}
