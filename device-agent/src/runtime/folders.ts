/** Where the device's files and sockets lie (FILES.md). */
export interface Folders {
  dataDir: string;
  guardSocket: string;
  guardJournal: string;
  /** The orders that switch the board off when the guard has ended. */
  guardOffOrders: string;
  agentSocket: string;
  /** The log of this boot. */
  agentEvents: string;
}

export const DEFAULT_DATA_DIR = '/var/lib/relaygate';
/** Where the card's boot partition is mounted. */
export const DEFAULT_BOOT_DIR = '/boot/firmware';
const DEFAULT_GUARD_RUN_DIR = '/run/relaygate-guard';
const DEFAULT_AGENT_RUN_DIR = '/run/relaygate-agent';

/** Without a run folder each program has its own under /run; with one, both use it (demo, tests). */
export function foldersOf(options: { data: string; run?: string | undefined }): Folders {
  // An empty variable is an unset one.
  const guardRunDir = options.run || DEFAULT_GUARD_RUN_DIR;
  const agentRunDir = options.run || DEFAULT_AGENT_RUN_DIR;
  return {
    dataDir: options.data,
    guardSocket: `${guardRunDir}/guard.sock`,
    guardJournal: `${guardRunDir}/journal.jsonl`,
    guardOffOrders: `${guardRunDir}/off-orders`,
    agentSocket: `${agentRunDir}/agent.sock`,
    agentEvents: `${agentRunDir}/events.jsonl`,
  };
}
