/** What may happen to an output, and lists of it made by chance. */
import type { OutputCommand, OutputRules } from '@relaygate/device-agent/guard/output';
import fc from 'fast-check';

const BOARD_ANSWERS = ['works', 'works-unread', 'does-nothing', 'moves-but-fails', 'misreads'] as const;
export type BoardAnswer = (typeof BOARD_ANSWERS)[number];

export type OutputMove =
  | { move: 'command'; command: OutputCommand }
  /** The board answers the order that is out. */
  | { move: 'board'; answer: BoardAnswer }
  /** A command's order is stopped before it left. */
  | { move: 'stop-order'; outcome: 'expired' | 'refused' }
  | { move: 'disk'; works: boolean }
  /** Board and disk answer well until nothing is under way. */
  | { move: 'calm' }
  | { move: 'pass'; ms: number; silentBoardMoves: boolean }
  | { move: 'pulse-length'; pulseMs: number }
  | { move: 'lose-board' }
  /** A change of settings that was forced. */
  | { move: 'put-off' }
  /** `clean`: the guard was asked to stop. */
  | { move: 'restart'; newBoot: boolean; clean: boolean };

/** Keeps the literal type. */
const named = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

const pulseLengthMs = fc.constantFrom(50, 120, 500, 1_500, 3_600_000);

export const outputRules: fc.Arbitrary<OutputRules> = fc.record({
  mode: fc.constantFrom('on-off', 'on-off', 'impulse'),
  pulseMs: pulseLengthMs,
  powerOn: fc.constantFrom('off', 'on', 'restore', 'restore'),
});

const command = fc.constantFrom<OutputCommand[]>(
  { action: 'set', state: 1 },
  { action: 'set', state: 0 },
  { action: 'toggle' },
  { action: 'pulse' },
);

export const outputMoves: fc.Arbitrary<OutputMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<OutputMove>[]>(
    { weight: 6, arbitrary: fc.record({ move: named('command'), command }) },
    { weight: 4, arbitrary: fc.constant<OutputMove>({ move: 'calm' }) },
    { weight: 3, arbitrary: fc.constant<OutputMove>({ move: 'board', answer: 'works' }) },
    { weight: 2, arbitrary: fc.record({ move: named('board'), answer: fc.constantFrom(...BOARD_ANSWERS) }) },
    {
      weight: 3,
      arbitrary: fc.record({ move: named('stop-order'), outcome: fc.constantFrom('expired', 'refused') }),
    },
    { weight: 2, arbitrary: fc.constant<OutputMove>({ move: 'disk', works: true }) },
    { weight: 1, arbitrary: fc.constant<OutputMove>({ move: 'disk', works: false }) },
    {
      weight: 3,
      arbitrary: fc.record({
        move: named('pass'),
        ms: fc.constantFrom(1, 30, 49, 100, 400, 500, 1_000, 5_000),
        silentBoardMoves: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ move: named('pulse-length'), pulseMs: pulseLengthMs }) },
    { weight: 1, arbitrary: fc.constantFrom<OutputMove[]>({ move: 'lose-board' }, { move: 'put-off' }) },
    { weight: 2, arbitrary: fc.record({ move: named('restart'), newBoot: fc.boolean(), clean: fc.boolean() }) },
  ),
  { maxLength: 40, size: 'max' },
);
