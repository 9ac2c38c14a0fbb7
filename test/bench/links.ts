/** What an idle, authenticated device link costs the server, beside a WebSocket that nobody asks anything. */
import type { Figure } from './figures';
import type { DevicesWanted } from './load/devices';
import type { DeviceKey } from './load/linked-device';
import { LoadProcess } from './load/load-process';
import { MeasuredServer } from './servers/measured-server';
import { startRelaygate } from './servers/relaygate';

const LINKS = 10_000;
const QUICK_LINKS = 2_000;
/** Linked before the first look, so that what a server needs once is not counted as the links'. */
const WARM_UP_SHARE = 0.1;
/** So that no process comes near the usual limit of 20,000 open files, and none is the bottleneck. */
const DEVICE_PROCESSES = 2;
const MAX_KIB_A_LINK = 11;
const MAX_TIMES_BARE = 3;

interface LinkCost {
  kibibytes: number;
  connectUs: number;
}

export async function measureLinks(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const links = quick ? QUICK_LINKS : LINKS;
  const bareServer = await MeasuredServer.start('bare ws', 'test/dist/bench/servers/bare-links.js');
  const logins = Array.from({ length: links }, (_, n) => `bench-${n}`);
  const bare = await costOf(bareServer, logins);
  say(`${links} bare WebSockets: ${bare.kibibytes.toFixed(1)} KiB each`);
  const { server, productLogins, key } = await startRelaygate(links);
  const ours = await costOf(server, productLogins, key);
  say(`${links} authenticated links: ${ours.kibibytes.toFixed(1)} KiB each`);
  const at = `at ${links.toLocaleString('en-US')}`;
  return [
    { name: `links: memory of an idle one ${at}`, value: ours.kibibytes, unit: 'KiB', atMost: MAX_KIB_A_LINK },
    { name: `links: memory of a bare WebSocket ${at}`, value: bare.kibibytes, unit: 'KiB' },
    { name: 'links: memory to bare', value: ours.kibibytes / bare.kibibytes, unit: 'x', atMost: MAX_TIMES_BARE },
    { name: 'links: server CPU to connect one', value: ours.connectUs, unit: 'us' },
    { name: 'links: server CPU to connect a bare one', value: bare.connectUs, unit: 'us' },
  ];
}

/** Resident memory of the server's process after a collection; the kernel's socket buffers are not in it. */
async function costOf(server: MeasuredServer, logins: readonly string[], key?: DeviceKey): Promise<LinkCost> {
  const processes = Array.from({ length: DEVICE_PROCESSES }, () => new LoadProcess<DevicesWanted, number>('devices'));
  const link = async (some: readonly string[]): Promise<void> => {
    const shares = processes.map((_, n) => some.filter((__, at) => at % processes.length === n));
    await Promise.all(
      processes.map((process, n) =>
        process.ask({ port: server.port, productLogins: shares[n] ?? [], ...(key ? { key } : {}) }),
      ),
    );
  };
  try {
    const warmUp = Math.round(logins.length * WARM_UP_SHARE);
    await link(logins.slice(0, warmUp));
    const before = { bytes: await server.collectedBytes(), us: server.cpuUs() };
    await link(logins.slice(warmUp));
    const connectUs = server.cpuUs() - before.us;
    const bytes = (await server.collectedBytes()) - before.bytes;
    const counted = logins.length - warmUp;
    return { kibibytes: bytes / 1024 / counted, connectUs: connectUs / counted };
  } finally {
    // The server first: it then closes the links, instead of noting each loss by itself.
    await server.stop();
    for (const process of processes) await process.stop();
  }
}
