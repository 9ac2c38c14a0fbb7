import type { OutputSettings } from '@relaygate/shared/device';
import { completeAsPromised } from '../../support/device/written-settings';
import { SAVE_PATIENCE_MS } from '../../support/time/promised-times';
import type { GuardStart } from '../witnesses/history';
import type { Facts } from './facts';
import { isLimited } from './policies/rules';
import { absencesOf, boardTroubles, isTouched, missedAnswersOf, stalls } from './spans';
import type { Violation } from './violation';

/** A write waits for so long at most before it hangs with its guard. */
const BEGUN_WITHIN_MS = 50;

/** I5: a guard that is ready has carried out its power-on policy, by the settings and the state that it found. */
export function checkPowerOn(facts: Facts): Violation[] {
  return facts.history.guardStarts.flatMap((start) => {
    const { machine } = start;
    const device = facts.device(machine);
    const readyMs = facts.livesOf(device.guard.name).find(({ fromMs }) => fromMs === start.atMs)?.readyMs ?? null;
    if (readyMs === null) return [];
    const absences = absencesOf(facts, device);
    const isDiskBad = facts.hasTrouble(machine, ['disk'], start.atMs, readyMs);
    // One that hangs while this boot is written down has waited long enough when it wakes, and hears of the disk behind that.
    const isTooLate = stalls(facts, device.guard.name).some(
      ({ fromMs, untilMs }) =>
        untilMs - fromMs >= SAVE_PATIENCE_MS - BEGUN_WITHIN_MS && isTouched(fromMs, untilMs, start.stateWrites),
    );
    return start.outputs.flatMap((output, n): Violation[] => {
      if (
        isTouched(start.atMs, readyMs, [
          ...boardTroubles(facts, device, n),
          ...missedAnswersOf(facts, device, n),
          ...absences,
        ])
      )
        return [];
      const edges = facts.edgesOf(machine, n);
      const isActive = edges.findLast(({ atMs }) => atMs <= readyMs)?.active ?? false;
      const wantsActive = isWanted(start, output, n);
      // Without a disk "on" stays off, and an interlock or a cap may want it off too.
      const rules = completeAsPromised(output);
      const isNotForOn = output.powerOn === 'on' && (isTooLate || hasRunBefore(facts, start));
      const mayStayOff = isDiskBad || rules.interlock !== null || isLimited(rules) || isNotForOn;
      if (isActive === wantsActive || (!isActive && mayStayOff)) return [];
      const policy = output.mode === 'impulse' ? 'an impulse output' : `its policy is ${output.powerOn ?? 'off'}`;
      const sentence = `output ${n} of ${machine} was ${isActive ? 'on' : 'off'} when its guard was ready, and ${policy}`;
      return [{ invariant: 'I5', atMs: readyMs, sentence }];
    });
  });
}

/** "On" is for power coming back: a guard killed in its start has perhaps told its journal of this boot, and no more. */
function hasRunBefore({ history }: Facts, { machine, bootId, atMs }: GuardStart): boolean {
  return history.guardStarts.some((other) => other.machine === machine && other.bootId === bootId && other.atMs < atMs);
}

/** Whether its power-on policy wants it on, by the settings and the state that the guard found. */
export function isWanted({ bootId, state }: GuardStart, { mode, powerOn }: OutputSettings, n: number): boolean {
  if (mode === 'impulse') return false;
  switch (powerOn) {
    case 'on':
      return state?.bootId !== bootId;
    case 'restore':
      return state?.active[n] ?? false;
    default:
      return false;
  }
}
