import type { Edge } from './board-records';
import type { History, Start } from './history';

/**
 * What stood in a guard's journal when it gave the board this order. Its deadline names it; clicks of an agent that was held
 * up share the one of whoever watches, and begin one after the other.
 */
export function startOf(
  { starts }: Pick<History, 'starts'>,
  { machine, notAfterMs, orderedMs }: Pick<Edge, 'machine' | 'notAfterMs' | 'orderedMs'>,
): Start | undefined {
  return starts.findLast(
    (start) => start.machine === machine && start.startBeforeMs === notAfterMs && start.atMs <= orderedMs,
  );
}
