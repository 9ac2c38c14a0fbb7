/** What the device's two programs need: memory, and time until the device can be reached. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DEMO_OUTPUTS } from '../support/device/device';
import { bareEnvironment, ROOT } from '../support/processes/program';
import { median } from './distribution';
import type { Figure } from './figures';
import { pssBytes, rssBytes } from './process-cost';
import { provisionDevice, RealDevice } from './real-device';
import { startRelaygate } from './servers/relaygate';

const RELAYCTL = join(ROOT, 'device-agent/bin/relayctl.js');
const STARTS = 7;
const QUICK_STARTS = 3;
/** Memory is read this long after the last start, as it is then: no collection is asked for. */
const SETTLE_MS = 3_000;
const MAX_MIB = 110;
const MAX_START_MS = 1_500;
const STATUS_RUNS = 20;
const MAX_STATUS_MS = 150;
const MIB = 1024 * 1024;

/** From the start of a Node with these arguments to its end. */
function nodeMs(args: string[]): number {
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, args, { env: bareEnvironment() });
  const tookMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return tookMs;
}

export async function measureDevice(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const seeded = await startRelaygate(1);
  const folders = provisionDevice(seeded, [...DEMO_OUTPUTS]);
  const startsMs: number[] = [];
  const guardStartsMs: number[] = [];
  const bareStartsMs: number[] = [];
  const statusesMs: number[] = [];
  const memory = { rss: 0, pss: 0 };
  try {
    for (let left = quick ? QUICK_STARTS : STARTS; left > 0; left -= 1) {
      const device = await RealDevice.start(folders);
      startsMs.push(device.linkedAfterMs);
      guardStartsMs.push(device.guardReadyAfterMs);
      if (left === 1) {
        await new Promise((resume) => setTimeout(resume, SETTLE_MS));
        for (const { pid } of [device.agent, device.guard]) {
          memory.rss += rssBytes(pid);
          memory.pss += pssBytes(pid);
        }
        for (let run = 0; run < STATUS_RUNS; run += 1) {
          // A program of Node that does nothing, beside it: what this machine is worth at the moment.
          bareStartsMs.push(nodeMs(['-e', '0']));
          statusesMs.push(nodeMs([RELAYCTL, '--run', folders.runDir, 'status']));
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
    { name: 'device: agent and guard, resident (RSS)', value: memory.rss / MIB, unit: 'MiB', atMost: MAX_MIB },
    { name: 'device: the same, shared pages once (PSS)', value: memory.pss / MIB, unit: 'MiB' },
    { name: 'device: start of the guard until it is ready, median', value: median(guardStartsMs), unit: 'ms' },
    { name: 'device: start and end of a bare Node, median', value: median(bareStartsMs), unit: 'ms' },
    { name: 'device: relayctl status, median of 20', value: median(statusesMs), unit: 'ms', atMost: MAX_STATUS_MS },
    {
      name: 'device: the same, as a multiple of a bare Node',
      value: median(statusesMs) / median(bareStartsMs),
      unit: 'x',
    },
    { name: 'device: start to link up, median', value: median(startsMs), unit: 'ms', atMost: MAX_START_MS },
    { name: 'device: start to link up, slowest', value: Math.max(...startsMs), unit: 'ms' },
  ];
}
