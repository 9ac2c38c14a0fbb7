/** What may happen around the dispatcher, and lists of it made by chance. */
import fc from 'fast-check';
import { weightedMove } from '../../../support/chance/weighted-move';

export type Login = 'gate' | 'door';

export type DispatcherMove =
  | { move: 'ask'; login: Login }
  /** The device does what the `which`-th delivered command asks, or refuses; nobody hears of it yet. */
  | { move: 'execute'; which: number; outcome: 'executed' | 'refused' }
  /** Its device says so, perhaps not for the first time; or another device does. */
  | { move: 'tell'; which: number; asOther: boolean }
  | { move: 'link-lost'; login: Login }
  /** The link that it had is lost, or was before. */
  | { move: 'device-revoked'; login: Login }
  | { move: 'link-up'; login: Login; rebooted: boolean }
  | { move: 'database'; mode: 'works' | 'fails' | 'hangs' }
  | { move: 'access'; allowed: boolean }
  | { move: 'pass'; ms: number };

const login = fc.constantFrom<Login[]>('gate', 'gate', 'door');
const which = fc.nat(4);

export const dispatcherMoves: fc.Arbitrary<DispatcherMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<DispatcherMove>[]>(
    weightedMove(5, 'ask', { login }),
    weightedMove(5, 'execute', { which, outcome: fc.constantFrom('executed', 'executed', 'refused') }),
    weightedMove(5, 'tell', { which, asOther: fc.constantFrom(false, false, true) }),
    weightedMove(2, 'link-lost', { login }),
    weightedMove(1, 'device-revoked', { login }),
    weightedMove(3, 'link-up', { login, rebooted: fc.constantFrom(false, false, true) }),
    weightedMove(2, 'database', { mode: fc.constantFrom('works', 'fails', 'hangs') }),
    weightedMove(1, 'access', { allowed: fc.boolean() }),
    weightedMove(4, 'pass', { ms: fc.constantFrom(1, 300, 600, 1_000, 3_000, 5_000) }),
  ),
  { maxLength: 30, size: 'max' },
);
