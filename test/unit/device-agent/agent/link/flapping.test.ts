/** What flaps on a device, over its whole agent and guard. */
import { expect, test } from '@jest/globals';
import { WRITE_LIMITS } from '@relaygate/shared';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';

const { burst, perSecond } = WRITE_LIMITS.reports;

test('what changes without end is reported at the rate at which the server saves it, the newest at the end too (I15)', async () => {
  const device = await AgentInMemory.started();
  const seconds = 20;
  for (let n = 1; n <= seconds * 10; n += 1) {
    await device.localRequest('set', { numOutput: 0, state: n % 2 });
    await device.passed(100);
  }
  const reports = device.server.of('report');
  expect(reports.length).toBeLessThanOrEqual(1 + burst + seconds * perSecond + 1);
  expect(reports.length).toBeGreaterThan(burst);
  await device.localRequest('set', { numOutput: 0, state: 1 });
  await device.passed(1_000 / perSecond + 100);
  expect(device.server.of('report').at(-1)?.outputs[0]?.state).toBe(1);
  await device.passed(60_000);
  await device.localRequest('set', { numOutput: 0, state: 0 });
  await device.passed(100);
  expect(device.server.of('report').at(-1)?.outputs[0]?.state).toBe(0);
});
