/** What the device's two programs need: memory, and time until the device can be reached. */
import { spawnSync } from 'node:child_process';
import { DEMO_OUTPUTS } from '../support/device/device';
import { median } from './distribution';
import type { Figure } from './figures';
import { pssBytes, rssBytes } from './process-cost';
import { provisionDevice, RealDevice } from './real-device';
import { startRelaygate } from './servers/relaygate';

const STARTS = 7;
const QUICK_STARTS = 3;
/** Memory is read this long after the last start, as it is then: no collection is asked for. */
const SETTLE_MS = 3_000;
const MOST_MIB = 110;
const MOST_START_MS = 1_500;
const MIB = 1024 * 1024;

/** What a program of Node costs that does nothing. */
function bareStartMs(): number {
  const startedMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedMs;
}

export async function measureDevice(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const seeded = await startRelaygate(1);
  const folders = provisionDevice(seeded, [...DEMO_OUTPUTS]);
  const startsMs: number[] = [];
  const guardStartsMs: number[] = [];
  const bareStartsMs: number[] = [];
  const memory = { rss: 0, pss: 0 };
  try {
    for (let left = quick ? QUICK_STARTS : STARTS; left > 0; left -= 1) {
      const device = await RealDevice.start(folders);
      startsMs.push(device.linkedAfterMs);
      guardStartsMs.push(device.guardReadyAfterMs);
      bareStartsMs.push(bareStartMs());
      if (left === 1) {
        await new Promise((resume) => setTimeout(resume, SETTLE_MS));
        for (const { pid } of [device.agent, device.guard]) {
          memory.rss += rssBytes(pid);
          memory.pss += pssBytes(pid);
        }
      }
      await device.stop();
    }
  } finally {
    folders.remove();
    await seeded.server.stop();
  }
  say(`starts to link: ${startsMs.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  return [
    { name: 'device: agent and guard, resident (RSS)', value: memory.rss / MIB, unit: 'MiB', atMost: MOST_MIB },
    { name: 'device: the same, shared pages once (PSS)', value: memory.pss / MIB, unit: 'MiB' },
    { name: 'device: start of the guard until it is ready, median', value: median(guardStartsMs), unit: 'ms' },
    { name: 'device: start and end of a bare Node, median', value: median(bareStartsMs), unit: 'ms' },
    { name: 'device: start to link up, median', value: median(startsMs), unit: 'ms', atMost: MOST_START_MS },
    { name: 'device: start to link up, slowest', value: Math.max(...startsMs), unit: 'ms' },
  ];
}
