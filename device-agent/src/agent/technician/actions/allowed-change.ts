import { givenName, isPlain } from '@relaygate/shared';
import { flagOf } from '../../../runtime/flag';
import { refused } from '../../../runtime/refused';

/** The change with the name in the form in which it is kept. Throws `out-of-range` with what the member may be. */
export function allowedChange<Change extends { name?: string }>(
  given: Change,
  isAllowed: (member: string, value: unknown) => boolean,
): Change {
  const change = given.name === undefined ? given : { ...given, name: givenName(given.name) ?? given.name };
  for (const [member, value] of Object.entries(change)) {
    if (isAllowed(member, value)) continue;
    throw refused('out-of-range', 'value-not-allowed', { member, flag: flagOf(member), value: JSON.stringify(value) });
  }
  // Only a new name is checked; old settings may have others.
  if (change.name === undefined || givenName(change.name) !== null) return change;
  if (isPlain(change.name)) throw refused('out-of-range', 'name-blank', {});
  throw refused('out-of-range', 'name-deceives', {});
}
