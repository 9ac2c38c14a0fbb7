/** How exactly pulses end, by the simulated board's log, while the agent has more to do than it can. */
import { join } from 'node:path';
import { monotonicNowMs } from '@relaygate/shared/system';
import { DEMO_OUTPUTS, edgeLogOf, pulsesOf, readEdges } from '../support/device/device';
import { v1 } from '../support/server/api-client';
import { quantile } from './distribution';
import type { Figure } from './figures';
import type { StatusLoad } from './load/agent-status';
import { LoadProcess } from './load/load-process';
import { cpuUs } from './process-cost';
import { provisionDevice, RealDevice } from './real-device';
import { type SeededServer, startRelaygate } from './servers/relaygate';

const PULSE_MS = 100;
const PULSES = 1_000;
const QUICK_PULSES = 100;
/** From the confirmed beginning of a pulse to the next one on that output: the pulse is over by then. */
const PERIOD_MS = PULSE_MS + 60;
const SHORTEST_ERROR_MS = -1;
const P99_ERROR_MS = 1;
const WORST_ERROR_MS = 3;

/** All impulse. They pulse side by side, which saves time and makes it harder: edges of one fall among those of others. */
const OUTPUTS = DEMO_OUTPUTS.map((output) => ({ ...output, mode: 'impulse' as const, pulseMs: PULSE_MS }));

export async function measurePulses(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const wanted = quick ? QUICK_PULSES : PULSES;
  const seeded = await startRelaygate(1);
  const folders = provisionDevice(seeded, OUTPUTS);
  const load = new LoadProcess<StatusLoad, true>('agent-status');
  let device: RealDevice | undefined;
  try {
    device = await RealDevice.start(folders);
    await load.ask({ agentSocket: join(folders.runDir, 'agent.sock') });
    const before = { us: cpuUs(device.agent.pid), ms: monotonicNowMs() };
    await pulse(seeded, wanted);
    const busy = (cpuUs(device.agent.pid) - before.us) / 1000 / (monotonicNowMs() - before.ms);
    const edges = readEdges(edgeLogOf(folders.dataDir));
    const errorsMs = OUTPUTS.flatMap((_, output) => pulsesOf(edges, output)).map((ms) => ms - PULSE_MS);
    // A command that comes while a late pulse still runs moves nothing; that late pulse itself is among the errors.
    if (errorsMs.length < wanted / 2) throw new Error(`${errorsMs.length} pulses in the log of ${wanted}`);
    say(
      `${wanted} pulses on ${OUTPUTS.length} outputs side by side, the agent's thread ${(busy * 100).toFixed(0)} % busy`,
    );
    return figuresOf(errorsMs, busy);
  } finally {
    await load.stop();
    await device?.stop();
    folders.remove();
    await seeded.server.stop();
  }
}

async function pulse({ server, productLogins, token }: SeededServer, times: number): Promise<void> {
  const api = v1(`http://127.0.0.1:${server.port}`);
  const startedMs = OUTPUTS.map(() => 0);
  for (let n = 0; n < times; n += 1) {
    const output = n % OUTPUTS.length;
    const waitMs = (startedMs[output] ?? 0) + PERIOD_MS - monotonicNowMs();
    if (waitMs > 0) await new Promise((resume) => setTimeout(resume, waitMs));
    const { status, text } = await api.set(productLogins[0] ?? '', output, 1, { token });
    if (status !== 200) throw new Error(`pulse ${n + 1}: ${status} ${text}`);
    startedMs[output] = monotonicNowMs();
  }
  // A guard that is stopped ends its pulses at once.
  await new Promise((resume) => setTimeout(resume, PERIOD_MS));
}

function figuresOf(errorsMs: number[], busy: number): Figure[] {
  const name = (which: string): string =>
    `pulses, ${errorsMs.length.toLocaleString('en-US')} of ${PULSE_MS} ms: ${which}`;
  return [
    { name: name('shortest, error'), value: Math.min(...errorsMs), unit: 'ms', atLeast: SHORTEST_ERROR_MS },
    { name: name('p99, error'), value: quantile(errorsMs, 0.99), unit: 'ms', atMost: P99_ERROR_MS },
    { name: name('longest, error'), value: Math.max(...errorsMs), unit: 'ms', atMost: WORST_ERROR_MS },
    { name: name("the agent's CPU meanwhile"), value: busy * 100, unit: '%' },
  ];
}
