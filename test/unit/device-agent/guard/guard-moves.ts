/** What may happen to a guard, its board and its files, and lists of it made by chance. */
import type { QueuedCommand } from '@relaygate/device-agent/guard/protocol';
import type { OutputSettings } from '@relaygate/shared/device';
import fc from 'fast-check';
import { plainMove, weightedMove } from '../../../support/chance/weighted-move';
import { GROUP, INTERLOCK, OUTPUTS } from './guard-outputs';

/** `late`: the line moves at once, and the answer comes 40 ms later. `away`: unplugged; its relays stay as they are. */
export type BoardMode = 'works' | 'late' | 'fails' | 'hangs' | 'away';

export type GuardMove =
  /** `epoch`: of the link that holds, of the one before, or of the device itself. */
  | { move: 'command'; numOutput: number; command: QueuedCommand; inMs: number; epoch: 'current' | 'older' | null }
  /** A command's frame comes once more. */
  | { move: 'repeat'; which: number }
  /** A new link: its epoch, and the question what became of the commands so far. */
  | { move: 'resume' }
  | { move: 'board'; mode: BoardMode }
  | { move: 'disk'; mode: 'works' | 'journal-fails' | 'journal-hangs' | 'state-fails' | 'state-hangs' }
  /** What the feedback inputs show: their relays, or one level whatever these do. */
  | { move: 'feedback'; shows: 'relays' | 'low' | 'high' }
  /** The agent gives a sign of life. */
  | { move: 'presence'; linkIsUp: boolean }
  /** A technician ends the pulse that runs, or means an earlier one. */
  | { move: 'stop'; numOutput: number; isLate: boolean; inMs: number }
  /** A technician locks an output against remote commands, or with 0 ms lets it go. */
  | { move: 'lock'; numOutput: number; forMs: number }
  /** A technician changes settings of an output. */
  | { move: 'configure'; numOutput: number; change: Partial<OutputSettings>; force: boolean }
  | { move: 'pass'; ms: number }
  /** The guard is killed, lines stay driven; or the power goes, and all relays fall. */
  | { move: 'restart'; newBoot: boolean };

const command = fc.constantFrom<QueuedCommand[]>(
  { action: 'set', state: 1 },
  { action: 'set', state: 0 },
  { action: 'toggle' },
  { action: 'pulse' },
);

const changes = {
  /** One that is always off after a start, and may become one of pulses. */
  0: [{ mode: 'impulse' }, { mode: 'on-off' }, { powerOn: 'on' }, { powerOn: 'restore' }, { powerOn: 'off' }],
  1: [{ powerOn: 'off' }, { powerOn: 'restore' }, { interlockDelayMs: 20 }, { interlockDelayMs: 150 }],
  2: [{ pulseMs: 100 }, { pulseMs: 500 }, { pulseMs: 900 }, { interlockDelayMs: 20 }, { interlockDelayMs: 90 }],
  3: [{ pulseMs: 50 }, { pulseMs: 120 }, { pulseMs: 400 }, { mode: 'impulse' }, { mode: 'on-off' }],
  4: [{ maxOnMs: 0 }, { maxOnMs: 300 }, { maxOnMs: 700 }, { powerOn: 'off' }, { powerOn: 'restore' }],
  5: [
    { powerOn: 'on' },
    { powerOn: 'restore' },
    { onAgentLoss: 'hold' },
    { onAgentLoss: 'off' },
    { onLinkLoss: 'hold' },
    { onLinkLoss: 'off' },
  ],
} satisfies Record<number, Partial<OutputSettings>[]>;

type KindName = GuardMove['move'] | 'polarity' | 'interlock';
type Kind = fc.WeightedArbitrary<GuardMove>;

/** Each kind, of the outputs that are given. */
const KINDS: Record<KindName, (outputs: number[]) => Kind[]> = {
  command: (outputs) => [
    weightedMove(7, 'command', {
      numOutput: fc.constantFrom(...outputs),
      command,
      inMs: fc.constantFrom(0, 1, 100, 1_000, 4_500),
      epoch: fc.constantFrom('current', 'current', 'older', null),
    }),
  ],
  repeat: () => [weightedMove(4, 'repeat', { which: fc.nat(9) })],
  stop: (outputs) => [
    weightedMove(3, 'stop', {
      numOutput: fc.constantFrom(...[1, 2, 2, 3, 3].filter((numOutput) => outputs.includes(numOutput))),
      isLate: fc.boolean(),
      inMs: fc.constantFrom(0, 1_000),
    }),
  ],
  resume: () => [plainMove(2, 'resume')],
  board: () => [
    weightedMove(2, 'board', {
      mode: fc.constantFrom<BoardMode[]>('works', 'works', 'late', 'fails', 'hangs', 'away'),
    }),
  ],
  disk: () => [
    weightedMove(2, 'disk', {
      mode: fc.constantFrom('works', 'works', 'journal-fails', 'journal-hangs', 'state-fails', 'state-hangs'),
    }),
  ],
  feedback: () => [weightedMove(1, 'feedback', { shows: fc.constantFrom('relays', 'relays', 'low', 'high') })],
  presence: () => [weightedMove(2, 'presence', { linkIsUp: fc.boolean() })],
  lock: (outputs) => [
    weightedMove(5, 'lock', {
      numOutput: fc.constantFrom(...outputs),
      forMs: fc.constantFrom(0, 200, 2_000, 20_000),
    }),
  ],
  configure: (outputs) =>
    Object.entries(changes)
      .filter(([numOutput]) => outputs.includes(Number(numOutput)))
      .map(([numOutput, of]) =>
        weightedMove(1, 'configure', {
          numOutput: fc.constant(Number(numOutput)),
          change: fc.constantFrom<Partial<OutputSettings>[]>(...of),
          force: fc.boolean(),
        }),
      ),
  polarity: (outputs) => [
    weightedMove(2, 'configure', {
      numOutput: fc.constantFrom(...outputs),
      change: fc.record({ activeLevel: fc.constantFrom('low', 'high') }),
      force: fc.boolean(),
    }),
  ],
  interlock: (outputs) => [
    weightedMove(2, 'configure', {
      numOutput: fc.constantFrom(...[...GROUP, 5].filter((numOutput) => outputs.includes(numOutput))),
      change: fc.record({ interlock: fc.constantFrom(INTERLOCK, null) }),
      force: fc.boolean(),
    }),
  ],
  pass: () => [weightedMove(5, 'pass', { ms: fc.constantFrom(1, 20, 99, 120, 400, 1_000) })],
  restart: () => [weightedMove(2, 'restart', { newBoot: fc.boolean() })],
};

/** Games of some moves and outputs only: a fault that needs a few of them in a row comes up soon. */
export const guardMovesOf = (
  moves: readonly KindName[],
  outputs: number[] = [...OUTPUTS.keys()],
): fc.Arbitrary<GuardMove[]> =>
  fc.array(fc.oneof(...moves.flatMap((move) => KINDS[move](outputs))), { maxLength: 30, size: 'max' });

const ANY = [
  'command',
  'repeat',
  'stop',
  'resume',
  'board',
  'disk',
  'feedback',
  'presence',
  'pass',
  'restart',
] as const satisfies KindName[];

export const guardMoves = guardMovesOf(ANY);

/** The same with maintenance locks among them. */
export const guardMovesWithLocks = guardMovesOf([...ANY, 'lock']);

/** The same with changes of settings among them. */
export const guardMovesWithSettings = guardMovesOf([...ANY, 'configure', 'polarity', 'interlock']);
