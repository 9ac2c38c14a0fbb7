/** What may happen to an output, and lists of it made by chance. */
import type { QueuedCommand } from '@relaygate/device-agent/guard/protocol';
import fc from 'fast-check';
import { plainMove, weightedMove } from '../../../support/chance/weighted-move';
import type { GameRules } from './output-judge';

const BOARD_ANSWERS = ['works', 'works-unread', 'does-nothing', 'moves-but-fails', 'misreads'] as const;
export type BoardAnswer = (typeof BOARD_ANSWERS)[number];

/** `moved`: the relay is no longer where its last order brought it, for its board has lost its own supply. */
export type LookAnswer = 'true' | 'moved' | 'unknown' | 'fails';

export type OutputMove =
  /** `look`: what the board says where it is asked how the relay is; null: it cannot be asked. */
  | { move: 'command'; command: QueuedCommand; look: LookAnswer | null }
  /** The board answers the order that is out, or how the relay is. */
  | { move: 'board'; answer: BoardAnswer }
  /** A command's order leaves: its record is written. */
  | { move: 'send-order' }
  /** A command's order is stopped before it left. */
  | { move: 'stop-order'; outcome: 'expired' | 'refused' }
  | { move: 'disk'; works: boolean }
  /** Board and disk answer well until nothing is under way. */
  | { move: 'calm' }
  | { move: 'pass'; ms: number; silentBoardMoves: boolean }
  | { move: 'pulse-length'; pulseMs: number }
  /** A technician changes what a start does with it. */
  | { move: 'policy'; powerOn: GameRules['powerOn'] }
  /** The agent gives a sign of life. */
  | { move: 'report'; linkIsUp: boolean }
  /** `falls`: the relay does, sooner or later, for its board has lost its supply. */
  | { move: 'lose-board'; falls: boolean }
  | { move: 'find-board' }
  /** Somebody ends the pulse that runs, or means an earlier one. */
  | { move: 'stop'; isLate: boolean }
  /** A change of settings that was forced. */
  | { move: 'put-off' }
  /** `clean`: the guard was asked to stop. */
  | { move: 'restart'; newBoot: boolean; clean: boolean };

const pulseLengthMs = fc.constantFrom(50, 120, 500, 1_500, 3_600_000);

const plainRules = fc.record<GameRules>({
  mode: fc.constantFrom('on-off', 'on-off', 'impulse'),
  pulseMs: pulseLengthMs,
  powerOn: fc.constantFrom('off', 'on', 'restore', 'restore'),
  retrigger: fc.constant('ignore'),
  maxOnMs: fc.constant(0),
  minSwitchIntervalMs: fc.constant(0),
  onLinkLoss: fc.constant('hold'),
  linkLossMs: fc.constantFrom(700, 2_000),
  onAgentLoss: fc.constant('hold'),
  agentLossMs: fc.constantFrom(600, 1_500),
});

/** One policy at a time, or several, beside outputs without any. */
export const outputRules: fc.Arbitrary<GameRules> = fc
  .tuple(
    plainRules,
    fc.record<Partial<GameRules>>(
      {
        retrigger: fc.constant('extend'),
        maxOnMs: fc.constantFrom(400, 3_000),
        minSwitchIntervalMs: fc.constant(450),
        onLinkLoss: fc.constant('off'),
        onAgentLoss: fc.constant('off'),
      },
      { requiredKeys: [] },
    ),
    fc.boolean(),
  )
  .map(([plain, policies, isPlain]) => (isPlain ? plain : { ...plain, ...policies }));

const command = fc.constantFrom<QueuedCommand[]>(
  { action: 'set', state: 1 },
  { action: 'set', state: 0 },
  { action: 'toggle' },
  { action: 'pulse' },
);

const look = fc.constantFrom<(LookAnswer | null)[]>(null, null, null, 'true', 'moved', 'unknown', 'fails');

const anyMoves = [
  weightedMove(6, 'command', { command, look }),
  plainMove(4, 'calm'),
  weightedMove(3, 'board', { answer: fc.constant<BoardAnswer>('works') }),
  weightedMove(2, 'board', { answer: fc.constantFrom(...BOARD_ANSWERS) }),
  plainMove(3, 'send-order'),
  weightedMove(4, 'stop-order', { outcome: fc.constantFrom('expired', 'refused') }),
  weightedMove(3, 'disk', { works: fc.constantFrom(true, true, false) }),
  weightedMove(3, 'pass', {
    ms: fc.constantFrom(1, 30, 49, 100, 400, 500, 1_000, 5_000),
    silentBoardMoves: fc.boolean(),
  }),
  weightedMove(1, 'pulse-length', { pulseMs: pulseLengthMs }),
  weightedMove(2, 'report', { linkIsUp: fc.boolean() }),
  weightedMove(1, 'lose-board', { falls: fc.boolean() }),
  plainMove(2, 'find-board'),
  weightedMove(2, 'stop', { isLate: fc.boolean() }),
  plainMove(1, 'put-off'),
  weightedMove(2, 'restart', { newBoot: fc.boolean(), clean: fc.boolean() }),
] satisfies fc.WeightedArbitrary<OutputMove>[];
const SIZE = { maxLength: 60, size: 'max' } as const;

export const outputMoves: fc.Arbitrary<OutputMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<OutputMove>[]>(...anyMoves),
  SIZE,
);

/** The same with changes of the power-on policy among them, and more starts at boards that fail. */
export const outputMovesWithPolicies: fc.Arbitrary<OutputMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<OutputMove>[]>(
    ...anyMoves,
    weightedMove(5, 'policy', { powerOn: fc.constantFrom('off', 'on', 'restore', 'restore') }),
    weightedMove(4, 'restart', { newBoot: fc.boolean(), clean: fc.boolean() }),
    weightedMove(6, 'board', { answer: fc.constant<BoardAnswer>('does-nothing') }),
  ),
  SIZE,
);
