/** Outputs that an input shows: a command counts as done when the input has followed (I3). */
import { expect, test } from '@jest/globals';
import type { EmulatedDevice } from '../machine/emulated-device';
import { changesOf } from '../machine/line-trace';
import type { SimChip } from '../machine/sim-chip';
import { DAMPER, INPUTS, lineOf, VALVE } from './lines';
import { report } from './report';
import { drivesOf, traced } from './watched';

const UNPROVEN = { outcome: 'unproven', reason: 'feedback-missing' };
const SHOWN = [
  ['active high', VALVE, 0],
  ['active low', DAMPER, 1],
] as const;

export function describeFeedback(device: () => EmulatedDevice, chip: () => SimChip): void {
  const api = () => device().companion;

  test('each input has the resistor that the settings give it', async () => {
    for (const { line, bias } of INPUTS) {
      expect(await chip().pull(line)).toBe(bias);
      expect(await chip().levels([line])).toEqual([bias === 'pull-up' ? 'high' : 'low']);
    }
  });

  test.each(SHOWN)('an input, %s, that follows its output proves each command', async (_level, numOutput, input) => {
    const { pin, on, off } = lineOf(numOutput);
    await chip().follow(pin, inputLine(input));
    const seen = await traced(device(), async () => {
      expect((await api().set(numOutput, 1)).text).toBe('OK');
      expect((await api().set(numOutput, 1)).json).toEqual({ already_set: true });
      expect((await api().set(numOutput, 0)).text).toBe('OK');
    }).finally(() => chip().unfollow());
    expect(drivesOf(changesOf(seen.orders))).toEqual([on, off].map((drive) => ({ pin, drive })));
  });

  test.each(SHOWN)(
    'an input, %s, that does not follow makes a command unproven; the output stays as commanded',
    async (_level, numOutput, input) => {
      const { pin, on, off } = lineOf(numOutput);
      const { bias } = INPUTS[input];
      const set = async (state: 0 | 1): Promise<unknown> => {
        const answer = await api().set(numOutput, state);
        expect(answer.status).toBe(504);
        return api().outcomeOf(answer);
      };
      expect(await set(1)).toMatchObject(UNPROVEN);
      expect(await chip().levels([pin])).toEqual([on]);
      const status = await device().relayctl('status');
      report(
        `relayctl status: ${status.stdout.split('\n').find((line) => line.includes('unproven')) ?? status.stdout}`,
      );
      expect(status.stdout).toContain('on (unproven)');
      // Whoever asks again hears the truth of that moment.
      expect(await set(1)).toMatchObject(UNPROVEN);
      await chip().setPull(inputLine(input), bias === 'pull-up' ? 'pull-down' : 'pull-up');
      expect((await api().set(numOutput, 1)).json).toEqual({ already_set: true });
      // Stuck there, it shows "on" when the output is off.
      expect(await set(0)).toMatchObject(UNPROVEN);
      expect(await chip().levels([pin])).toEqual([off]);
      await chip().setPull(inputLine(input), bias);
      expect((await api().set(numOutput, 0)).json).toEqual({ already_set: true });
    },
  );
}

/** Another program has an input: to be called when guard and agent have been stopped. */
export function describeForeignInput(device: () => EmulatedDevice): void {
  test('somebody else has an input: the guard does not start, says who, and drives nothing', async () => {
    await device().stopAll();
    const { chip } = device();
    const find = `for each in /sys/class/gpio/gpiochip*; do
      grep -q ${chip} $each/label && n=$(( $(cat $each/base) + ${inputLine(0)} )); done`;
    await device().shell.run(`${find}; echo $n > /sys/class/gpio/export`);
    await device().trace.forget();
    const { code, stdout } = await device().tryStart('relaygate-guard');
    const orders = await device().trace.orders();
    await device().shell.run(`${find}; echo $n > /sys/class/gpio/unexport`);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(new RegExp(`board-busy: .*line ${inputLine(0)} by "sysfs"`));
    expect(orders).toEqual([]);
  });
}

const inputLine = (input: 0 | 1): number => INPUTS[input].line;
