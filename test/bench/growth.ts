/** Whether a command costs the same however many there are: the storage's CPU and the bytes of a command. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures';
import { LoadProcess } from './load/load-process';
import type { CommandsWanted, StoredCommands } from './load/stored-commands';
import { seed } from './servers/relaygate';

const PRODUCTS = 500;
/** In a database that is thrown away, so that the compiled code is the same at each count. */
const WARM_UP_COMMANDS = 20_000;
const COUNTS = [10_000, 100_000];
/** With RELAYGATE_FULL=1. It needs 1 GB of temporary files, and minutes. */
const FULL_COUNTS = [...COUNTS, 1_000_000];
const QUICK_COUNTS = [10_000, 30_000];
const MAX_BYTES = 900;
/** The last count to the first one. */
const MAX_TIMES = 1.15;

export async function measureGrowth(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const counts = quick ? QUICK_COUNTS : process.env.RELAYGATE_FULL ? FULL_COUNTS : COUNTS;
  const store = new LoadProcess<CommandsWanted, StoredCommands>('stored-commands');
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'relaygate-bench-')));
  const [warmUp = '', dataDir = ''] = folders;
  try {
    await store.ask({ ...(await seeded(warmUp)), commands: WARM_UP_COMMANDS });
    const database = await seeded(dataDir);
    const empty = await store.ask({ ...database, commands: 0 });
    const taken: Taken[] = [];
    for (const commands of counts) {
      const { cpuUs, bytes } = await store.ask({ ...database, commands });
      taken.push({ commands, cpuUs, bytesEach: (bytes - empty.bytes) / commands });
      say(`${commands.toLocaleString('en-US')} commands: ${cpuUs.toFixed(0)} us`);
    }
    return figuresOf(taken);
  } finally {
    await store.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

async function seeded(dataDir: string): Promise<Omit<CommandsWanted, 'commands'>> {
  const { clientId, productLogins } = await seed(dataDir, PRODUCTS);
  return { dataDir, clientId, productLogins };
}

interface Taken {
  commands: number;
  cpuUs: number;
  bytesEach: number;
}

function figuresOf(taken: readonly Taken[]): Figure[] {
  const rows = taken.flatMap(({ commands, cpuUs, bytesEach }): Figure[] => {
    const at = `at ${commands.toLocaleString('en-US')} commands`;
    return [
      { name: `growth: storage CPU of a command ${at}`, value: cpuUs, unit: 'us' },
      { name: `growth: database of a command ${at}`, value: bytesEach, unit: 'bytes', atMost: MAX_BYTES },
    ];
  });
  const [first, last] = [taken[0]?.cpuUs ?? Number.NaN, taken.at(-1)?.cpuUs ?? Number.NaN];
  return [
    ...rows,
    { name: 'growth: storage CPU, most commands to fewest', value: last / first, unit: 'x', atMost: MAX_TIMES },
  ];
}
