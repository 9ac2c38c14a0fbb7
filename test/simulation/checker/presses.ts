/** Buttons: what is pressed at a guard that works moves its output once, and nothing else does so in its name. */
import { PRESS_INTERVAL_MS, PRESS_MAX_AGE_MS, SAVE_PATIENCE_MS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { ContactChange, Edge } from '../witnesses/board-records';
import type { Start } from '../witnesses/history';
import { type ButtonCommand, buttonCommandOf, buttonOf } from '../witnesses/presses';
import type { Contact, Facts } from './facts';
import { type Rules, rulesOf } from './policies/rules';
import { absencesOf, boardTroubles, isTouched, SLACK_MS } from './spans';
import type { Violation } from './violation';

/** The edge of a press comes within this, but for the time that an interlock takes. */
const PRESS_DEADLINE_MS = 1_000;
/** By commands before it, at most. */
const HELD_UP_MS = 6_000;
/** The commands' names have whole milliseconds, and clocks drift. */
const ROUNDING_MS = 1;
/** A press counts for certain that has had nothing in its way for so long, before and after. */
const CALM_MS = { before: 3_500, after: 1_500 };
/** It lasts for so long, after as long a time without it. */
const CLEAR_MS = 300;
/** An input that has changed more often within this may flap, and a button may have been pressed too often. */
const FLAPPING = { changes: 10, withinMs: 8_000 };
const MAX_PRESSES = 15;

type ButtonSettings = NonNullable<ReturnType<typeof buttonOf>>;

export function checkPresses(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) => {
    const { name, inputs } = device.setup;
    if (inputs.length === 0) return [];
    const edges = facts.history.edges.filter(({ machine }) => machine === name);
    const moved = edges.flatMap((edge) => {
      const commandId = facts.commandIdOf(edge) ?? '';
      const command = buttonCommandOf(commandId);
      return command ? new Press(facts, device, command).problems(edge, edges, commandId) : [];
    });
    return [...moved, ...rulesOf(device).flatMap((rules, n) => checkUnheard(facts, device, rules, n))];
  });
}

/** What moved a relay in the name of a button. */
class Press {
  readonly #facts: Facts;
  readonly #device: Device;
  readonly #command: ButtonCommand;
  readonly #changes: readonly Contact[];

  constructor(facts: Facts, device: Device, command: ButtonCommand) {
    this.#facts = facts;
    this.#device = device;
    this.#command = command;
    this.#changes = facts.contactsOf(device.setup.name, command.numInput);
  }

  problems(edge: Edge, edges: readonly Edge[], commandId: string): Violation[] {
    const { numInput, what } = this.#command;
    const button = buttonOf(this.#device.setup.inputs, numInput);
    const say = (invariant: Violation['invariant'], why: string): Violation[] => [
      {
        invariant,
        atMs: edge.atMs,
        sentence: `output ${edge.output} of ${edge.machine} moved for input ${numInput}, ${why}`,
      },
    ];
    if (button?.output !== edge.output) return say('I10', 'which is for another one');
    if (edges.some((other) => other.atMs < edge.atMs && this.#facts.commandIdOf(other) === commandId))
      return say('I1', 'twice for one press');
    if (what === 'release')
      return button.action === 'hold' && !edge.active ? [] : say('I14', 'because it was released');
    const press = this.#pressed(edge);
    if (!press) return say('I14', 'which nobody pressed');
    const why = this.#whyNot(press, button);
    if (why !== null) return say('I14', why);
    const lateMs = edge.orderedMs - press.atMs;
    if (this.#wasOld(press, edge)) return say('I2', 'which its guard heard of too late');
    const limitMs = PRESS_DEADLINE_MS + this.#interlockDelayMs(edge.output);
    return lateMs > limitMs + SLACK_MS ? say('I2', `${lateMs.toFixed(0)} ms after the press`) : [];
  }

  /** Its very edge; a clock that was set anew at a boot may have had the same time before. */
  #pressed({ atMs }: Edge): Contact | undefined {
    return this.#changes.findLast(
      (change) =>
        change.isActive && change.atMs <= atMs && Math.abs(change.clockMs - this.#command.clockMs) <= ROUNDING_MS,
    );
  }

  #whyNot(press: Contact, button: ButtonSettings): string | null {
    const { debounceMs = 30 } = button;
    const isLong = (fromMs: number, untilMs: number): boolean => untilMs - fromMs >= debounceMs - ROUNDING_MS;
    const after = this.#changes.filter(({ atMs }) => atMs > press.atMs);
    if (!isLong(press.atMs, after[0]?.atMs ?? this.#facts.endMs)) return 'which only bounced';
    const seenFromMs = this.#seenFromMs(press.atMs);
    if (press.atMs < seenFromMs) return 'which was pressed since before its guard or board was there';
    const earlier = this.#earlier(press);
    const freeFromMs = Math.max(seenFromMs, earlier?.pressedMs ?? 0);
    const wasReleased = releases(this.#changes, press.atMs).some(({ fromMs, untilMs }) =>
      isLong(Math.max(fromMs, freeFromMs), untilMs),
    );
    if (!wasReleased) return 'which was not seen released before';
    if (earlier && press.clockMs - earlier.clockMs < PRESS_INTERVAL_MS - ROUNDING_MS)
      return 'which had moved it just before';
    return null;
  }

  /** A guard looks at its inputs from its start on, and anew when its board is back. */
  #seenFromMs(atMs: number): number {
    const life = this.#facts.livesOf(this.#device.guard.name).findLast(({ fromMs }) => fromMs <= atMs);
    const absence = absencesOf(this.#facts, this.#device).findLast(({ fromMs }) => fromMs <= atMs);
    return Math.max(life?.fromMs ?? Number.POSITIVE_INFINITY, absence?.untilMs ?? 0);
  }

  /** The last press before that the guard began to carry out, or called too late. */
  #earlier(press: Contact): { pressedMs: number; clockMs: number } | undefined {
    const life = this.#facts.livesOf(this.#device.guard.name).findLast(({ fromMs }) => fromMs <= press.atMs);
    const before = this.#changes.filter(
      ({ isActive, atMs }) => isActive && atMs < press.atMs && atMs >= (life?.fromMs ?? 0),
    );
    const last = before.findLast(
      (change) =>
        startOfPress(this.#facts, this.#device, change) !== undefined ||
        this.#facts.history.settled.some((settled) => isOfPress(settled, this.#device, change)),
    );
    return last && { pressedMs: last.atMs, clockMs: last.clockMs };
  }

  #interlockDelayMs(numOutput: number): number {
    const all = rulesOf(this.#device);
    const group = all[numOutput]?.interlock ?? null;
    const delays = all.filter(({ interlock }) => interlock === group).map(({ interlockDelayMs }) => interlockDelayMs);
    return group === null ? 0 : Math.max(...delays);
  }

  /** Its guard began with it too late, and nothing held up the output: no command, no turn to power on, and no save. */
  #wasOld(press: Contact, { output, machine }: Edge): boolean {
    const start = startOfPress(this.#facts, this.#device, press);
    if (!start || start.atMs - press.atMs <= PRESS_MAX_AGE_MS + SLACK_MS) return false;
    if (rulesOf(this.#device)[output]?.interlock !== null) return false;
    const fromMs = press.atMs - HELD_UP_MS;
    const settled = this.#facts.history.settled.filter((one) => one.machine === machine && one.atMs < press.atMs);
    const through = new Set(settled.map(({ commandId }) => commandId));
    const isBusy = this.#facts.orders.some(
      (order) =>
        order.machine === machine &&
        order.numOutput === output &&
        order.commandId !== start.commandId &&
        order.atMs >= fromMs &&
        order.atMs <= start.atMs &&
        !through.has(order.commandId),
    );
    if (isBusy || this.#wasSaving(start.atMs)) return false;
    return !this.#facts.hasTrouble(machine, ['journal', 'board'], fromMs, start.atMs);
  }

  /** What a board shows when it is back is saved first, and a disk in trouble is waited for. */
  #wasSaving(untilMs: number): boolean {
    return absencesOf(this.#facts, this.#device).some(
      (absence) =>
        absence.untilMs <= untilMs &&
        untilMs <= absence.untilMs + SAVE_PATIENCE_MS + SLACK_MS &&
        this.#facts.hasTrouble(this.#device.setup.name, ['disk'], absence.untilMs, untilMs),
    );
  }
}

/** A press that had nothing in its way, and that its guard did not even begin with. */
function checkUnheard(facts: Facts, device: Device, rules: Rules, numOutput: number): Violation[] {
  const { name: machine, inputs } = device.setup;
  const hasLimits = rules.interlock !== null || rules.minSwitchIntervalMs > 0;
  return inputs.flatMap((button): Violation[] => {
    if (button.kind !== 'button' || button.output !== numOutput || hasLimits) return [];
    const changes = facts.contactsOf(machine, button.numInput);
    return changes.flatMap((press, n): Violation[] => {
      if (!press.isActive || startOfPress(facts, device, press)) return [];
      const sinceMs = changes[n - 1]?.atMs ?? Number.NEGATIVE_INFINITY;
      const untilMs = changes[n + 1]?.atMs ?? facts.endMs;
      const isClear = press.atMs - sinceMs >= CLEAR_MS + (button.debounceMs ?? 30) && untilMs - press.atMs >= CLEAR_MS;
      if (!isClear || isFlapping(changes, press.atMs) || !isCalm(facts, device, numOutput, press.atMs)) return [];
      const sentence = `a press at input ${button.numInput} of ${machine} moved nothing, and nothing was in its way`;
      return [{ invariant: 'liveness', atMs: press.atMs, sentence }];
    });
  });
}

function isFlapping(changes: readonly Contact[], untilMs: number): boolean {
  const isLate = ({ atMs }: ContactChange): boolean => atMs >= untilMs - FLAPPING.withinMs && atMs < untilMs;
  const presses = changes.filter(({ isActive, atMs }) => isActive && atMs < untilMs).length;
  return changes.filter(isLate).length > FLAPPING.changes || presses > MAX_PRESSES;
}

function isCalm(facts: Facts, device: Device, numOutput: number, atMs: number): boolean {
  const { setup, guard, agent } = device;
  const [fromMs, untilMs] = [atMs - CALM_MS.before, atMs + CALM_MS.after];
  const isThere = ({ name }: { name: string }): boolean =>
    !facts.hasTrouble(name, ['stall', 'stop'], fromMs, untilMs) &&
    facts.livesOf(name).some((life) => (life.readyMs ?? untilMs) <= fromMs && (life.untilMs ?? facts.endMs) >= untilMs);
  const ofIt = <One extends { machine: string; numOutput: number }>(all: readonly One[]): One[] =>
    all.filter((one) => one.machine === setup.name && one.numOutput === numOutput);
  const isOn = facts.edgesOf(setup.name, numOutput).findLast((edge) => edge.atMs <= untilMs)?.active === true;
  return (
    isThere(guard) &&
    isThere(agent) &&
    !isOn &&
    !facts.hasTrouble(setup.name, ['disk', 'journal'], fromMs, untilMs) &&
    !isTouched(fromMs, untilMs, [...boardTroubles(facts, device, numOutput), ...absencesOf(facts, device)]) &&
    !ofIt(facts.orders).some((order) => order.atMs >= fromMs && order.atMs <= untilMs) &&
    !ofIt(facts.history.locks).some((lock) => lock.askedMs <= untilMs)
  );
}

/** Undefined: its guard has not begun with it. */
function startOfPress({ history }: Facts, device: Device, press: Contact): Start | undefined {
  return history.starts.find((start) => isOfPress(start, device, press));
}

function isOfPress(
  { machine, commandId, atMs }: { machine: string; commandId: string; atMs: number },
  { setup }: Device,
  press: Contact,
): boolean {
  const command = buttonCommandOf(commandId);
  return (
    machine === setup.name &&
    command?.numInput === press.input &&
    command.what === 'press' &&
    atMs >= press.atMs &&
    Math.abs(command.clockMs - press.clockMs) <= ROUNDING_MS
  );
}

/** From each release until the next press, up to that time. */
function releases(changes: readonly Contact[], untilMs: number): { fromMs: number; untilMs: number }[] {
  const closed = changes.filter(({ isActive, atMs }) => isActive && atMs <= untilMs);
  return closed.map(({ atMs }) => {
    const before = changes.findLast((change) => !change.isActive && change.atMs < atMs);
    return { fromMs: before?.atMs ?? 0, untilMs: atMs };
  });
}
