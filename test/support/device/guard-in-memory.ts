import type { GuardCommand } from '@relaygate/device-agent/guard/commands/command-outcomes';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { type OpenGuardDeps, openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import type { OutputSettings } from '@relaygate/shared/device';
import { VirtualClock } from '../time/virtual-clock';
import { DEMO_OUTPUTS } from './device';
import { FakeBoard } from './fake-board';
import { MemoryFiles } from './memory-files';
import { quietLog } from './quiet-log';

export const JOURNAL = '/run/journal.jsonl';
export const STATE = '/data/state.json';

/** A guard over a board and files in memory. */
export interface World {
  clock: VirtualClock;
  files: MemoryFiles;
  board: FakeBoard;
  guard: Guard;
}

export function portsOf({ clock, files, board }: Omit<World, 'guard'>): OpenGuardDeps & { files: MemoryFiles } {
  return {
    clock,
    files,
    driver: board,
    log: quietLog(),
    bootId: 'boot-1',
    board: { kind: 'simulated' },
    statePath: STATE,
    journalPath: JOURNAL,
    checkWritable: async () => {},
  };
}

/** A guard over what an earlier one has left; without `from`, out of the box. */
export async function startGuard(
  outputs: readonly OutputSettings[] = DEMO_OUTPUTS,
  from?: World,
  bootId = 'boot-1',
): Promise<World> {
  const clock = from?.clock ?? new VirtualClock();
  const files = from?.files ?? new MemoryFiles();
  const board = from?.board ?? new FakeBoard(clock, outputs.length);
  const guard = await openGuard(outputs, { ...portsOf({ clock, files, board }), bootId });
  return { clock, files, board, guard };
}

/** More of a command of the server, on the link of `startLinkedGuard`. */
export const REMOTE = { epoch: 1 };

/** A guard that is linked, and whose first orders are long ago. */
export async function startLinkedGuard(outputs: readonly OutputSettings[]): Promise<World> {
  const world = await startGuard(outputs);
  await world.guard.enterEpoch(REMOTE);
  await world.clock.advance(10_000);
  return world;
}

/** Input 5 shows the relay that moved last, `lateMs` after each of its edges; by default never. */
export function showRelay(world: World, lateMs = Number.POSITIVE_INFINITY): void {
  world.board.inputLevel = (input) => {
    const edge = world.board.edges.findLast(({ atMs }) => world.clock.nowMs() >= atMs + lateMs);
    return input === 5 && edge ? edge.level : 'low';
  };
}

let commands = 0;
export function command(
  world: World,
  numOutput: number,
  order: GuardCommand['command'],
  more: Partial<GuardCommand> = {},
): GuardCommand {
  commands += 1;
  const startBeforeMs = world.clock.nowMs() + 1_000;
  return { commandId: `c${commands}`, numOutput, command: order, startBeforeMs, epoch: null, ...more };
}

export const ON = { action: 'set', state: 1 } as const;
export const OFF = { action: 'set', state: 0 } as const;
export const PULSE = { action: 'pulse' } as const;
export const never = new Promise<DriveResult>(() => {});

const [onOff, , impulse] = DEMO_OUTPUTS;
if (!onOff || !impulse) throw new Error('the demo has both kinds');
export const ON_OFF: OutputSettings = onOff;
export const IMPULSE: OutputSettings = impulse;
/** Back after a power cut as it was. */
export const RESTORED: OutputSettings = { ...ON_OFF, powerOn: 'restore' };
