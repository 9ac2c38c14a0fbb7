import { allowedValue } from '../../files/allowed-values';

/**
 * Why settings cannot be used; the fault of a member comes with its English phrase
 * (shared/src/device/settings-problems.ts).
 */
export const SETTINGS_REFUSALS = {
  'settings-unreadable': '{path} cannot be read: {problem}.',
  'settings-missing':
    '{path} is missing, so this device has no settings yet; write it as device-agent/SETTINGS.md shows.',
  'settings-no-json': '{path} is not JSON ({problem}); mend it or restore a copy.',
  /** `member`: the sentence says what it may be. */
  'settings-wrong': ({ path, problem, member }: { path: string; problem: string; member: string | null }) =>
    `${path}: ${problem}${hintOf(member)}. Mend it and start again.`,
  'port-unfit': '{problem}.',
} as const;

function hintOf(member: string | null): string {
  const allowed = member === null ? null : allowedValue(member);
  return allowed === null ? '' : `; ${member} is ${allowed}`;
}
