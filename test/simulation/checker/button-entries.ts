/** What a device's history says of its buttons. */
import type { HistoryEntry } from '@relaygate/shared';
import type { Device } from '../device';
import { buttonCommandOf, buttonOf } from '../presses';
import type { Facts } from './facts';

/** Agent and guard must have had nothing in the way for so long, before and after. */
const CALM_MS = 3_000;
/** From a press until its guard has done with it, an interlock's turn and a guard that was held up among that. */
const DONE_WITHIN_MS = 15_000;
/** Of the times in a history. */
const ROUNDING_MS = 1;

/** Null: this button, of this output, has done it, once. */
export function untruthOfButton(
  facts: Facts,
  device: Device,
  entry: HistoryEntry,
  all: readonly HistoryEntry[],
): string | null {
  const { name: machine, inputs } = device.setup;
  const { seq, actor, numOutput, bootMs, bootId } = entry;
  const isKnown = inputs.some(
    (one) => one.kind === 'button' && actor === actorOf(one.name) && one.output === numOutput,
  );
  if (!isKnown) return `the history has a press by ${actor}, which there is not`;
  if (
    all.some((other) => other.seq < seq && other.actor === actor && other.bootMs === bootMs && other.bootId === bootId)
  )
    return `a press by ${actor} is twice in the history`;
  const button = inputs.find((one) => actor === actorOf(one.name));
  const isMoved = facts.history.contacts.some(
    ({ machine: of, input, clockMs }) =>
      of === machine &&
      input === button?.numInput &&
      clockMs <= bootMs + ROUNDING_MS &&
      clockMs >= bootMs - DONE_WITHIN_MS,
  );
  return isMoved ? null : `the history has a press by ${actor}, who pressed nothing`;
}

/** What buttons have moved, and the history does not have. */
export function unenteredPresses(facts: Facts, device: Device, entries: readonly HistoryEntry[]): string[] {
  const { name: machine, inputs } = device.setup;
  return facts.history.edges.flatMap((edge) => {
    const command = buttonCommandOf(facts.commandIdOf(edge) ?? '');
    const button = command && buttonOf(inputs, command.numInput);
    if (edge.machine !== machine || !button || edge.hasFailed || !isCalm(facts, device, edge.atMs)) return [];
    const { clockMs, output } = edge;
    const isEntered = entries.some(
      ({ actor, numOutput, bootMs }) =>
        actor === actorOf(button.name) && numOutput === output && Math.abs(bootMs - (clockMs ?? 0)) <= CALM_MS,
    );
    return isEntered ? [] : [`${actorOf(button.name)} has moved output ${output}, and it is not in the history`];
  });
}

function isCalm(facts: Facts, { setup, guard, agent }: Device, atMs: number): boolean {
  const [fromMs, untilMs] = [atMs - CALM_MS, atMs + CALM_MS];
  const isThere = ({ name }: { name: string }): boolean =>
    !facts.hasTrouble(name, ['stall', 'stop'], fromMs, untilMs) &&
    facts.livesOf(name).some((life) => (life.readyMs ?? untilMs) <= fromMs && (life.untilMs ?? facts.endMs) >= untilMs);
  return (
    isThere(guard) && isThere(agent) && !facts.hasTrouble(setup.name, ['disk', 'journal', 'board'], fromMs, untilMs)
  );
}

function actorOf(name: string): string {
  return `button ${name}`;
}
