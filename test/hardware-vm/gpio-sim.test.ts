/** Guard and agent on the kernel's GPIO simulator, in an emulated PC: edges in time, and inputs that can be moved. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { describeWhere } from '../support/processes/needs';
import { repeat } from '../support/time/excuse';
import { eventually, pause } from '../support/time/waiting';
import { describeDoctor } from './checks/doctor-checks';
import { describeFeedback, describeForeignInput } from './checks/feedback-checks';
import { describeInputEdges } from './checks/input-edges-checks';
import { DOOR, FAN, GATE, LINES, lineOf, SHOWN_LINES, setupWithInputs } from './checks/lines';
import { report } from './checks/report';
import { describeUnplugging } from './checks/unplug-checks';
import { expectPulse, traced } from './checks/watched';
import { PC } from './image/target';
import { missingTools } from './image/tools';
import { makeImage } from './image/vm-image';
import { EmulatedDevice } from './machine/emulated-device';
import { PC_WITH_GPIO_SIM } from './machine/machine-kinds';
import { makeSimChip, SimChip } from './machine/sim-chip';

/** With the downloads. */
const BOOT_MS = 20 * 60_000;
const PULSES = 5;
const OUTPUTS = [...LINES, ...SHOWN_LINES];

jest.setTimeout(6 * 60_000);
describeWhere(missingTools())('PC with gpio-sim', () => {
  let booted: EmulatedDevice | undefined;
  const device = (): EmulatedDevice => {
    if (booted === undefined) throw new Error('the machine has not booted');
    return booted;
  };
  beforeAll(async () => {
    const image = makeImage(PC, report);
    const { chip } = PC_WITH_GPIO_SIM;
    const prepare = makeSimChip(chip);
    booted = await EmulatedDevice.boot(PC_WITH_GPIO_SIM, image, { outputs: OUTPUTS.length, prepare });
    const [qemu] = execFileSync(PC_WITH_GPIO_SIM.program, ['--version'], { encoding: 'utf8' }).split('\n');
    report(`booted in ${(booted.bootMs / 1000).toFixed(1)} s: ${await booted.versions()}; ${qemu}`);
    await booted.setUp(setupWithInputs(chip));
  }, BOOT_MS);
  afterAll(() => booted?.stop());

  test('the guard takes its lines inactive, on a chip found by its label; only the policy `on` energises one (I5)', async () => {
    await device().trace.forget();
    await device().startAll();
    const levels = await new SimChip(device().shell).levels(OUTPUTS.map(({ pin }) => pin));
    expect(levels).toEqual(OUTPUTS.map((_line, n) => (n === FAN ? lineOf(n).on : lineOf(n).off)));
    const energising = (await device().trace.orders()).filter(({ pin, drive }) =>
      OUTPUTS.some((line, n) => line.pin === pin && lineOf(n).on === drive),
    );
    expect(energising.map(({ pin }) => pin)).toEqual([lineOf(FAN).pin]);
  });

  describe('once it runs', () => {
    beforeAll(() => device().startAll());

    test.each([
      ['active high', GATE],
      ['active low', DOOR],
    ])(`${PULSES} pulses %s are as long as ordered, by the kernel's own time`, async (level, numOutput) => {
      for (let n = 0; n < PULSES; n += 1) {
        await repeat(async () => {
          const seen = await traced(device(), async () => {
            expect((await device().companion.set(numOutput, 1)).text).toBe('OK');
            // The server answers before it has written the new state down.
            await pause(2 * lineOf(numOutput).pulseMs);
            await eventually(async () => (await device().companion.state()).outputs[numOutput]?.state === 0);
          });
          expectPulse(seen, numOutput, level);
        });
      }
    });

    describeFeedback(device, () => new SimChip(device().shell));
  });

  describeInputEdges(device);
  describeForeignInput(device);
  describeUnplugging(device);
  describeDoctor(device, () => new SimChip(device().shell));
});
