/** What the doctor finds out of a killed process's line, on kernels in memory. */
import { describe, expect, test } from '@jest/globals';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';

describe('a process that is killed while it drives a line', () => {
  test.each([
    [true, 'lines stay driven'],
    [false, 'lines are let go'],
  ])('is tried and not assumed (keeps outputs: %s)', async (keepsOutputs, means) => {
    const machine = new PlayedMachine(keepsOutputs);
    const finding = (await findingsOf(machine)).get('killed process');
    expect(finding).toMatchObject({ verdict: 'ok', means: expect.stringContaining(means) });
    expect(new Set(machine.kernel.edges.map(({ offset }) => offset))).toEqual(new Set([5]));
    // And nobody drives it any more.
    expect(machine.kernel.isDriven('pinctrl-bcm2835', 5)).toBe(false);
  });

  test('is tried through /sys where the board is driven so, and the line given back', async () => {
    const machine = new PlayedMachine();
    Object.assign(machine.settings ?? {}, { board: { kind: 'gpio-sysfs', lines: [26, 20, 21, 16] } });
    expect((await findingsOf(machine)).get('killed process')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(/was low, driven high .* and is high \(\/sys/),
      means: expect.stringContaining('lines stay driven'),
    });
    expect(machine.sysfsLevel).toBe('low');
    expect(machine.kernel.edges).toEqual([]);
  });

  test('is not tried on a line of the board', async () => {
    const machine = new PlayedMachine();
    machine.testLine = 20;
    await findingsOf(machine);
    expect(machine.kernel.edges).toEqual([]);
  });
});
