import type { World } from '../machines/world';
import { checkAbsences } from './absences';
import { checkAccess } from './access';
import { checkAftermath } from './aftermath';
import { checkChanges, checkLastChanges } from './changes';
import { checkClicks } from './clicks';
import { checkCommandSlots } from './command-slots';
import { checkContacts, checkLastContacts } from './contacts';
import { checkDeeds } from './deeds';
import { checkDoubt } from './doubt';
import { checkExecution } from './execution';
import { Facts } from './facts';
import { checkFamilies } from './families';
import { checkKeys } from './keys';
import { checkLocks } from './locks';
import { checkPins } from './pins';
import { checkPolicies } from './policies/policies';
import { checkPowerOn } from './power-on';
import { checkPressOutcomes } from './press-outcomes';
import { checkPresses } from './presses';
import { checkRelays } from './relays';
import { checkReported } from './reported';
import { checkResets } from './resets';
import { checkRestorations } from './restored';
import { checkRevocations } from './revocations';
import { checkSettings } from './settings';
import { checkSources } from './sources';
import { checkStops } from './stops';
import { checkVerdicts } from './verdicts';
import type { Violation } from './violation';
import { checkWiringProofs } from './wiring-proofs';
import { checkWrites } from './writes';

/** Holds what happened against the invariants. The earliest violation first. */
export async function check(world: World, isLively: boolean): Promise<Violation[]> {
  const facts = new Facts(world);
  const found: Violation[] = [
    ...world.history.uncaught.map(({ atMs, text }): Violation => ({ invariant: 'uncaught', sentence: text, atMs })),
    ...checkExecution(facts),
    ...checkVerdicts(facts),
    ...checkSources(facts),
    ...checkRelays(facts),
    ...checkRestorations(facts),
    ...checkPolicies(facts),
    ...checkPowerOn(facts),
    ...checkAbsences(facts),
    ...checkPresses(facts),
    ...checkPressOutcomes(facts),
    ...checkContacts(facts),
    ...checkKeys(facts),
    ...checkLocks(facts),
    ...checkWiringProofs(facts),
    ...checkClicks(facts),
    ...checkCommandSlots(facts),
    ...checkAccess(facts),
    ...checkRevocations(facts),
    ...checkFamilies(facts),
    ...checkDoubt(facts),
    ...checkReported(facts),
    ...checkStops(facts),
    ...checkWrites(facts),
    ...checkChanges(facts),
    ...checkPins(facts),
    ...checkResets(facts),
  ];
  if (!isLively)
    found.push({
      invariant: 'liveness',
      sentence: 'everything has healed, and no command succeeds',
      atMs: facts.endMs,
    });
  // What is left over says something only of a system that came right again.
  else
    found.push(
      ...(await checkAftermath(facts)),
      ...(await checkLastChanges(facts)),
      ...checkSettings(facts),
      ...checkDeeds(facts),
      ...checkLastContacts(facts),
    );
  return found.toSorted((one, other) => one.atMs - other.atMs);
}
