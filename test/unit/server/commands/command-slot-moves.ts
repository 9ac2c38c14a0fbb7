/** What may happen around a command that has taken its product's slot, and lists of it made by chance. */
import { type CommandConfirmation, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import fc from 'fast-check';
import { plainMove, weightedMove } from '../../../support/chance/weighted-move';

export type Presence = 'up' | 'recently-lost' | 'down';

export type SlotMove =
  | { move: 'recorded' }
  | { move: 'record-failed' }
  /** The database says nothing of it, and has written it down. */
  | { move: 'record-unanswered' }
  | { move: 'link-up' }
  | { move: 'link-lost' }
  /** And no other will come. */
  | { move: 'device-revoked' }
  /** The authorisation has been read again. */
  | { move: 'access'; allowed: boolean }
  | { move: 'confirmed'; outcome: CommandConfirmation['outcome'] }
  | { move: 'not-started' }
  | { move: 'pass'; ms: number };

export const presences: fc.Arbitrary<Presence> = fc.constantFrom('up', 'recently-lost', 'down');

export const slotMoves: fc.Arbitrary<SlotMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<SlotMove>[]>(
    plainMove(3, 'recorded'),
    plainMove(1, 'record-failed'),
    plainMove(1, 'record-unanswered'),
    plainMove(3, 'link-up'),
    plainMove(2, 'link-lost'),
    plainMove(1, 'device-revoked'),
    weightedMove(3, 'access', { allowed: fc.constantFrom(true, true, false) }),
    weightedMove(2, 'confirmed', {
      outcome: fc.constantFrom('executed', 'already-set', 'refused', 'unproven', 'expired'),
    }),
    plainMove(1, 'not-started'),
    weightedMove(3, 'pass', {
      ms: fc.constantFrom(1, 200, 499, 500, 700, 700, 3_000, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS),
    }),
  ),
  { maxLength: 25, size: 'max' },
);
