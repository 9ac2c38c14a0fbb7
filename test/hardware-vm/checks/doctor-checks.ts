/** What `relayctl doctor` says of a killed process's line, and what that line does by the chip's own word. */
import { expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import type { BoardSettings } from '@relaygate/shared/device';
import type { EmulatedDevice } from '../machine/emulated-device';
import type { SimChip } from '../machine/sim-chip';
import { ALL_PINS, LINES } from './lines';
import { report } from './report';

/** Nothing hangs on it, and its resistor pulls it down. */
const SPARE_LINE = 30;
const WAYS = [
  ['gpio', 'low', 'lines are let go'],
  ['gpio-sysfs', 'high', 'lines stay driven'],
] as const;

/** At the end of all others: guard and agent are stopped. */
export function describeDoctor(device: () => EmulatedDevice, chip: () => SimChip): void {
  test.each(WAYS)(
    'the doctor finds by trying what a killed process leaves of a line (%s)',
    async (kind, left, means) => {
      await device().stopAll();
      const board: BoardSettings = { kind, chip: device().chip, lines: ALL_PINS };
      await device().setUp({ board, outputs: LINES.map(({ output }) => output) });
      await device().trace.forget();
      const { stdout, stderr } = await device().relayctl('--json', 'doctor', '--test-line', String(SPARE_LINE));
      const { findings }: { findings: Finding[] } = JSON.parse(stdout || stderr);
      const finding = findings.find(({ name }) => name === 'killed process');
      report(`${kind}: ${finding?.found}; ${finding?.means}`);
      expect(finding).toMatchObject({ verdict: 'ok', means: expect.stringContaining(means) });
      expect(finding?.found).toContain(`was low, driven high by a process that was killed, and is ${left}`);
      const orders = (await device().trace.orders()).filter(({ pin }) => pin === SPARE_LINE);
      expect(orders.map(({ drive }) => drive)).toContain('high');
      // Given back.
      expect(await chip().levels([SPARE_LINE])).toEqual(['low']);
    },
  );
}
