/** I11: what a device reports of its contacts and buttons as live is what they show. */
import type { InputSettings } from '@relaygate/shared/device';
import type { Device } from '../machines/device';
import { isTwin } from '../people/faults';
import type { Facts } from './facts';
import { lastStateOf } from './last-state';
import type { Span } from './span';
import { absencesOf, stalls } from './spans';
import type { Violation } from './violation';

/** From an edge to the report of it, beside its debouncing: changes are gathered, and the agent hears of them. */
const REPORTED_WITHIN_MS = 250;
/** What a board that is in trouble holds up: it is asked for so long, until nobody knows. */
const BOARD_MS = 5_000;
/** A guard without its board, or an agent without its guard, says so. */
const NOTICED_WITHIN_MS = 3_000;
/** What bounces for longer flaps. */
const FLAPPING_MS = 1_000;
const ROUNDING_MS = 1;
const REST_MS = 3_000;

export function checkContacts(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) => {
    const { name, inputs } = device.setup;
    if (inputs.length === 0) return [];
    const held = heldUps(facts, device);
    const reported = facts.history.shownInputs.filter(({ machine }) => machine === name);
    return inputs.flatMap((input) =>
      reported.flatMap(({ atMs, states }): Violation[] => {
        const state = states.get(input.numInput) ?? null;
        const problem = state === null ? null : problemOf(facts, name, held, { input, state, atMs });
        if (problem === null) return [];
        const sentence = `input ${input.numInput} of ${name} is reported as ${state}, ${problem}`;
        return [{ invariant: 'I11', atMs, sentence }];
      }),
    );
  });
}

/** In the end it is known, and shown as it is. */
export function checkLastContacts(facts: Facts): Violation[] {
  return facts.devices.flatMap((device): Violation[] => {
    const { name, productLogin, inputs } = device.setup;
    if (isTwin(device) || inputs.length === 0) return [];
    const last = lastStateOf(facts, productLogin);
    const body = last?.answer?.body;
    const atMs = last?.answeredMs ?? facts.endMs;
    if (!isShown(body)) return [];
    return inputs.flatMap((input): Violation[] => {
      const { state } = body.inputs.find(({ numInput }) => numInput === input.numInput) ?? {};
      const span = spansOf(facts, name, input, atMs).at(-1);
      if (!span || span.isActive === isActiveState(state) || span.fromMs > atMs - REST_MS) return [];
      const sentence = `input ${input.numInput} of ${name} is shown as ${state}, and is ${span.isActive ? 'active' : 'not'} for long`;
      return [{ invariant: 'I11', atMs, sentence }];
    });
  });
}

/** null: it was so for its debouncing, up to a moment ago; or it has only bounced since, and does not flap yet. */
function problemOf(facts: Facts, machine: string, held: readonly Span[], reported: Reported): string | null {
  const { input, state, atMs } = reported;
  const { debounceMs = 30 } = input;
  const sinceMs = atMs - heldUpMs(held, debounceMs + REPORTED_WITHIN_MS, atMs);
  const spans = spansOf(facts, machine, input, atMs);
  const lasting = spans.filter(({ fromMs, untilMs }) => untilMs - fromMs >= debounceMs - ROUNDING_MS);
  const last = lasting.at(-1);
  const isIt = ({ isActive }: Shows): boolean => isActive === isActiveState(state);
  if (lasting.some((span) => isIt(span) && span.untilMs >= sinceMs)) return null;
  if (last && isIt(last) && last.untilMs >= sinceMs - FLAPPING_MS) return null;
  return spans.some((span) => isIt(span) && span.untilMs >= sinceMs) ? 'and only bounced' : 'which it is no more';
}

/** When a device had not noticed what came meanwhile, the last one first. */
function heldUps(facts: Facts, device: Device): Span[] {
  const { guard, agent, setup } = device;
  const boards = facts.history.troubles
    .filter(({ name, kind }) => name === setup.name && kind !== 'disk')
    .map(({ fromMs, untilMs, afterMs = 0 }) => ({ fromMs, untilMs: untilMs + afterMs + BOARD_MS }));
  const gone: Span[] = [guard, agent].flatMap(({ name }) =>
    facts.livesOf(name).map(({ untilMs }) => ({
      fromMs: untilMs ?? facts.endMs,
      untilMs: (untilMs ?? facts.endMs) + NOTICED_WITHIN_MS,
    })),
  );
  const away = absencesOf(facts, device).map(({ fromMs }) => ({ fromMs, untilMs: fromMs + REPORTED_WITHIN_MS }));
  const held = [...stalls(facts, guard.name), ...stalls(facts, agent.name), ...boards, ...gone, ...away];
  return held.sort((one, other) => other.untilMs - one.untilMs);
}

/** How old a report may be. */
function heldUpMs(held: readonly Span[], plainMs: number, atMs: number): number {
  return held.reduce(
    (ms, { fromMs, untilMs }) => (fromMs <= atMs && untilMs >= atMs - ms ? Math.max(ms, atMs - fromMs + plainMs) : ms),
    plainMs,
  );
}

interface Reported {
  input: InputSettings;
  state: string;
  atMs: number;
}
type Shows = Span & { isActive: boolean };

function spansOf(facts: Facts, machine: string, { numInput }: InputSettings, endMs: number): Shows[] {
  const changes = facts.contactsOf(machine, numInput).filter(({ atMs }) => atMs <= endMs);
  const starts = [{ atMs: Number.NEGATIVE_INFINITY, isActive: false }, ...changes];
  return starts.map((start, n) => ({
    fromMs: start.atMs,
    untilMs: starts[n + 1]?.atMs ?? endMs,
    isActive: start.isActive,
  }));
}

/** null: nobody knows. */
function isActiveState(state: string | null | undefined): boolean | null {
  if (state === null || state === undefined) return null;
  return state === 'closed' || state === 'pressed';
}

function isShown(body: unknown): body is { inputs: { numInput: number; state: string | null }[] } {
  return typeof body === 'object' && body !== null && 'inputs' in body && Array.isArray(body.inputs);
}
