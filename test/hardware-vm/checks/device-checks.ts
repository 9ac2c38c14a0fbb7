/** What must hold for guard and agent on real kernel lines, whatever driver they use. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { eventually } from '../../support/installation';
import type { EmulatedPi } from '../machine/emulated-pi';
import { type PinEdge, widthOf } from '../machine/pins';
import {
  ALL_PINS,
  BARRIER,
  DOOR,
  FAN,
  GATE,
  type GpioKind,
  HEATING,
  INACTIVE,
  LINES,
  lineOf,
  PUMP,
  SHUTTER,
  setupOf,
} from './lines';
import { report } from './report';

const PATIENCE_MS = 60_000;
/** For each test: programs under emulation start in seconds, on a busy machine in ten times as many. */
export const TEST_MS = 180_000;
/** Emulation may be late, never early; what the machine under it lost is added. */
const EARLY_MS = 1;
const LATE_MS = 50;

export interface DriverUnderTest {
  readonly kind: GpioKind;
  /** What the kernel makes of the line when the guard is killed: whether it is still driven. */
  readonly staysDriven: boolean;
}

export function describeDevice(pi: () => EmulatedPi, { kind, staysDriven }: DriverUnderTest): void {
  const api = () => pi().companion;

  async function watched(pins: readonly number[], edgeCount: number, work: () => Promise<void>): Promise<Watched> {
    const watch = pi().pins.watch(...pins);
    try {
      await work();
      await watch.until(edgeCount, PATIENCE_MS);
    } finally {
      await watch.stop();
    }
    return { edges: await watch.stop(), gapMs: watch.longestGapMs };
  }

  describe(`board.kind ${kind}`, () => {
    beforeAll(() => pi().setUp(setupOf(kind)), TEST_MS);

    test(
      'the guard takes its lines at their inactive levels; on the way nothing is energised (I5)',
      async () => {
        const { edges } = await watched(ALL_PINS, 0, () => pi().startAll());
        expect(await pi().pins.look(...ALL_PINS)).toEqual(INACTIVE);
        // Before, a line is an input, or driven as the driver before has left it: inactive.
        expect(drivesOf(edges).filter(({ pin, drive }) => drive === levelsOf(pin).on)).toEqual([]);
      },
      TEST_MS,
    );

    test.each(
      LINES.flatMap(({ output }, n) =>
        output.mode === 'on-off' ? [[output.name, output.activeLevel, n] as const] : [],
      ),
    )(
      'output "%s", active %s: set, already set and toggle drive its pin and no other',
      async (_name, _level, numOutput) => {
        const { pin, on, off } = lineOf(numOutput);
        const { edges } = await watched(ALL_PINS, 4, async () => {
          expect((await api().set(numOutput, 1)).text).toBe('OK');
          expect(await pi().pins.look(pin)).toEqual([on]);
          expect((await api().set(numOutput, 1)).json).toEqual({ already_set: true });
          expect((await api().set(numOutput, 0)).text).toBe('OK');
          expect(await pi().pins.look(pin)).toEqual([off]);
          for (const drive of [on, off]) {
            expect((await api().toggle(numOutput)).text).toBe('OK');
            expect(await pi().pins.look(pin)).toEqual([drive]);
          }
        });
        expect(drivesOf(edges)).toEqual([on, off, on, off].map((drive) => ({ pin, drive })));
      },
      TEST_MS,
    );

    test.each([
      ['active high', GATE],
      ['active low', DOOR],
    ])(
      'a pulse %s is as long as ordered, five times',
      async (_level, numOutput) => {
        const { pin, on, off } = lineOf(numOutput);
        for (let n = 0; n < 5; n += 1) {
          const seen = await watched(ALL_PINS, 2, async () => {
            expect((await api().set(numOutput, 1)).text).toBe('OK');
          });
          expect(drivesOf(seen.edges)).toEqual([on, off].map((drive) => ({ pin, drive })));
          expectWidth(seen, 500, `${kind}, output ${numOutput}`);
        }
      },
      TEST_MS,
    );

    test(
      'a second guard is refused by the lines, says who has them, and moves nothing',
      async () => {
        const other = '/var/lib/relaygate-other';
        await pi().shell.run(`mkdir -p ${other} && cp /var/lib/relaygate/settings.json ${other}/`);
        const { edges } = await watched(ALL_PINS, 0, async () => {
          const { code, stdout } = await pi().tryStart('relaygate-guard', other);
          expect(code).not.toBe(0);
          report(`${kind}, second guard: ${stdout.trim()}`);
          expect(stdout).toMatch(/board-busy: .*relaygate/);
        });
        expect(edges).toEqual([]);
        expect((await api().set(HEATING, 1)).status).toBe(200);
        expect((await api().set(HEATING, 0)).status).toBe(200);
      },
      TEST_MS,
    );

    test(
      'T2: a pulse keeps its length when the agent is killed in it',
      async () => {
        const { pin, on, off } = lineOf(BARRIER);
        const seen = await watched(ALL_PINS, 2, async () => {
          expect((await api().set(BARRIER, 1)).text).toBe('OK');
          await pi().kill('relaygate-agent');
        });
        expect(drivesOf(seen.edges)).toEqual([on, off].map((drive) => ({ pin, drive })));
        expectWidth(seen, 5_000, `${kind}, agent killed`);
        await pi().start('relaygate-agent');
        await api().untilConnected(PATIENCE_MS);
      },
      TEST_MS,
    );

    test(
      'T3: a guard killed in a pulse switches it off when it starts again, and does not pulse again',
      async () => {
        const { pin, on, off } = lineOf(SHUTTER);
        let killedMs = 0;
        const { edges } = await watched([pin], staysDriven ? 2 : 3, async () => {
          expect((await api().set(SHUTTER, 1)).text).toBe('OK');
          killedMs = monotonicNowMs();
          await pi().killAndRestart('relaygate-guard');
          await settled();
        });
        const expected = staysDriven ? [on, off] : [on, 'input', off];
        expect(edges.map(({ drive }) => drive)).toEqual(expected);
        const [, released] = edges;
        const what = staysDriven ? 'the restarted guard drove it off' : 'the kernel let it go';
        report(`${kind}, guard killed: ${what} after ${((released?.beforeMs ?? 0) - killedMs).toFixed(0)} ms`);
      },
      TEST_MS,
    );

    test(
      'a guard killed and started again in the same boot: only `restore` is on again, `on` after a new boot',
      async () => {
        for (const numOutput of [HEATING, FAN, PUMP]) expect((await api().set(numOutput, 1)).status).toBe(200);
        const [heating, fan, pump] = [lineOf(HEATING), lineOf(FAN), lineOf(PUMP)];
        const pins = [heating.pin, fan.pin, pump.pin];
        await pi().killAndRestart('relaygate-guard');
        expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.off, pump.on]);
        await pi().newBoot();
        await pi().killAndRestart('relaygate-guard');
        expect(await pi().pins.look(...pins)).toEqual([heating.off, fan.on, pump.on]);
        await settled();
      },
      TEST_MS,
    );

    test(
      'stopped in good order it leaves nothing energised',
      async () => {
        for (const numOutput of [HEATING, FAN, PUMP]) expect((await api().set(numOutput, 1)).status).toBe(200);
        await pi().stopAll();
        const drives = await pi().pins.look(...ALL_PINS);
        expect(drives.filter((drive, n) => drive === lineOf(n).on)).toEqual([]);
      },
      TEST_MS,
    );
  });

  /** The agent has found the guard again, and commands reach the outputs. */
  function settled(): Promise<void> {
    return eventually(async () => (await api().set(HEATING, 0)).status === 200, PATIENCE_MS);
  }
}

interface Watched {
  edges: readonly PinEdge[];
  gapMs: number;
}

function drivesOf(edges: readonly PinEdge[]): { pin: number; drive: PinEdge['drive'] }[] {
  return edges.map(({ pin, drive }) => ({ pin, drive }));
}

function levelsOf(pin: number): { on: string } {
  return lineOf(ALL_PINS.indexOf(pin));
}

/** I4, as far as an emulated machine can show it. */
function expectWidth({ edges, gapMs }: Watched, pulseMs: number, what: string): void {
  const [first, second] = edges;
  if (first === undefined || second === undefined) throw new Error('no pulse');
  const { minMs, maxMs } = widthOf(first, second);
  report(`${what}: ${pulseMs} ms were ${minMs.toFixed(1)} to ${maxMs.toFixed(1)} ms`);
  expect(maxMs).toBeGreaterThanOrEqual(pulseMs - EARLY_MS);
  expect(minMs).toBeLessThanOrEqual(pulseMs + LATE_MS + gapMs);
}
