import type { Edge, Renewal } from '../witnesses/board-records';
import type { AskedCommand, History, Verdict } from '../witnesses/history';
import { startOf } from '../witnesses/started';

/** A command as its guard got it, the server's or a technician's, with what was seen of it at the board. */
export interface Order extends AskedCommand {
  /** Its guard was asked for it more than once. */
  isRepeated: boolean;
  /** The guard's first answer; null: none came. */
  verdict: Verdict | null;
  edges: Edge[];
  renewals: Renewal[];
}

/** Those that a guard was asked for several times stand here once. */
export function ordersOf(history: History): Order[] {
  const { asked, verdicts, edges, renewals } = history;
  const orders = new Map<string, Order>();
  for (const command of asked) {
    const key = `${command.machine} ${command.commandId}`;
    const known = orders.get(key);
    if (known) known.isRepeated = true;
    else orders.set(key, { ...command, isRepeated: false, verdict: null, edges: [], renewals: [] });
  }
  for (const verdict of verdicts) {
    const order = orders.get(`${verdict.machine} ${verdict.commandId}`);
    if (order) order.verdict ??= verdict;
  }
  const orderOf = (moved: Edge | Renewal): Order | undefined =>
    orders.get(`${moved.machine} ${startOf(history, moved)?.commandId}`);
  for (const edge of edges) orderOf(edge)?.edges.push(edge);
  for (const renewal of renewals) orderOf(renewal)?.renewals.push(renewal);
  return [...orders.values()];
}

/** Whether it wants the relay energised; null: a toggle, which says it only by its edge. */
export function wantsOn({ command, edges }: Order): boolean | null {
  switch (command.action) {
    case 'set':
      return command.state === 1;
    case 'pulse':
      return true;
    case 'stop':
      return false;
    case 'toggle':
      return edges[0]?.active ?? null;
    default:
      return command satisfies never;
  }
}

/** Its guard said so; of all others nobody knows whether they were begun. */
export function wasDone({ verdict }: Order): boolean {
  return verdict?.outcome === 'executed' || verdict?.outcome === 'already-set';
}

/** Its guard refused it before anything could move for it, its own output or another one. */
export function wasKeptFromMoving({ verdict, isRepeated }: Order): boolean {
  // A guard that died may have begun what the next one refuses.
  return !isRepeated && (verdict?.reason === 'locked' || verdict?.reason === 'switched-too-soon');
}

/** On its way at that moment: asked for, and not answered yet. */
export function isOpenAt({ atMs, verdict }: Order, ms: number): boolean {
  return atMs <= ms && (verdict === null || verdict.atMs >= ms);
}
