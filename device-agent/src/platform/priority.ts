import { constants, getPriority, setPriority } from 'node:os';

/**
 * Asks that this process goes before all usual ones when cores are scarce, so that a busy machine makes no pulse longer
 * (I4). False where that is not allowed (it takes root, CAP_SYS_NICE or `Nice=` in the unit); then everything works, later
 * by what the others take.
 */
export function goFirst(): boolean {
  // Given by the unit, whose sandbox lets nobody ask.
  if (getPriority() === constants.priority.PRIORITY_HIGHEST) return true;
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
    return true;
  } catch {
    return false;
  }
}
