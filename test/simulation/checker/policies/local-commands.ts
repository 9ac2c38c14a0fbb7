import type { Facts } from '../facts';
import type { Rule, Violation } from '../violation';

/** What a double cannot tell. */
const ROUNDING_MS = 0.01;
/** The second and third click come behind the deadline of the first. */
const CLICKS_MS = 9_500;

/** I1, I2, I3: a technician's command, which no server knows of. */
export function checkLocalCommands(facts: Facts): Violation[] {
  return facts.orders.flatMap(({ epoch, commandId, machine, numOutput, by, edges, command, verdict }) => {
    const found: Violation[] = [];
    const say = (invariant: Rule, ms: number, sentence: string): void =>
      void found.push({ invariant, atMs: ms, sentence: `${sentence} (${commandId})` });
    if (epoch !== null) return [];
    const [first, second] = edges;
    if (second) say('I1', second.atMs, "a technician's command moved twice");
    if (!first) return found;
    const deed = facts.history.deeds.find((one) => one.machine === machine && one.actor === by);
    const patienceMs = deed?.request.type === 'click' ? CLICKS_MS : 0;
    const lateMs = deed && first.clockMs !== null ? first.clockMs - deed.notAfterMs - patienceMs : 0;
    if (lateMs > ROUNDING_MS)
      say('I2', first.atMs, `an edge came ${lateMs.toFixed(1)} ms after the technician's deadline`);
    if (first.machine !== machine || first.output !== numOutput) say('I10', first.atMs, 'another output moved');
    if (command.action === 'set' && first.active !== (command.state === 1))
      say('I3', first.atMs, 'set moved the wrong way');
    const isDenied =
      verdict?.outcome === 'expired' || (verdict?.outcome === 'refused' && verdict.reason !== 'board-failed');
    if (isDenied)
      say('I3', verdict.atMs, `its guard says ${verdict.outcome} (${verdict.reason}), and the relay has moved`);
    return found;
  });
}
