/** What guards say of presses, and enter in the history: it belongs to a press, and is true. */
import { PRESS_INTERVAL_MS, PRESS_MAX_AGE_MS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { Settled } from '../witnesses/history';
import { type ButtonCommand, buttonCommandOf, buttonOf } from '../witnesses/presses';
import type { Facts } from './facts';
import { type Rules, rulesOf } from './policies/rules';
import { absencesOf, boardTroubles, gapsOf, isTouched, latestMs } from './spans';
import { type Judged, untruthOf } from './verdicts';
import type { Violation } from './violation';

type Button = NonNullable<ReturnType<typeof buttonOf>>;
type Contact = Facts['history']['contacts'][number];

/** A press that its guard has heard of in time may begin later than this, and wait for its interlock besides. */
const EXPIRED_AFTER_MS = { press: PRESS_MAX_AGE_MS, release: 5_000 };
/** The commands' names have whole milliseconds, and clocks drift. */
const ROUNDING_MS = 2;
/** From what has happened until the guard has heard of it, and has answered. */
const HEARD_WITHIN_MS = 1_500;

export function checkPressOutcomes(facts: Facts): Violation[] {
  return facts.history.settled.flatMap((settled): Violation[] => {
    const problem = problemOf(facts, settled);
    if (problem === null) return [];
    const { machine, numOutput, commandId, atMs, outcome, reason } = settled;
    const what = `${outcome}${reason === null ? '' : ` (${reason})`}`;
    const sentence = `the guard of ${machine} calls a press for output ${numOutput} ${what}, ${problem} (${commandId})`;
    return [{ invariant: 'I3', atMs, sentence }];
  });
}

/** null: it is true, or no button's. */
function problemOf(facts: Facts, settled: Settled): string | null {
  const command = buttonCommandOf(settled.commandId);
  if (!command) return null;
  const device = facts.device(settled.machine);
  const button = buttonOf(device.setup.inputs, command.numInput);
  if (!button || settled.by !== `button ${button.name}` || settled.numOutput !== button.output)
    return 'which is for another one';
  const press = pressOf(facts, settled, command.clockMs, command.what);
  if (!press) return 'and nobody pressed';
  if (command.what === 'press' && isBounce(facts, device, command, press, settled))
    return 'and it was one with another';
  const isMoved = edgesOf(facts, settled).length > 0;
  const { outcome, reason } = settled;
  switch (outcome) {
    case 'unproven':
      // Only that it is so is not saved, moved or not.
      if (reason === 'state-not-saved') return null;
      // So is one that found its output so already, and whose input has not shown it.
      if (reason === 'feedback-missing' && button.action === 'hold' && !isMoved)
        return untruth(facts, settled, { button, press }, 'already-set');
      return untruth(facts, settled, { button, press }, 'executed');
    case 'executed':
      return untruth(facts, settled, { button, press }, 'executed');
    case 'already-set':
      return isMoved ? 'and its relay has moved' : untruth(facts, settled, { button, press }, 'already-set');
    case 'expired':
      if (isMoved) return 'and its relay has moved';
      return isLate(settled, command) ? null : 'and there was time left';
    case 'refused':
      if (isMoved && reason !== 'board-failed') return 'and its relay has moved';
      return mayRefuse(facts, device, button, settled, press) ? null : 'for no such reason';
    default:
      return 'which a press does not become';
  }
}

/** What the button did: pressed in that moment, or let go of then and pressed before. */
function pressOf(
  { history }: Facts,
  { machine, atMs, commandId }: Settled,
  clockMs: number,
  what: 'press' | 'release',
): Contact | undefined {
  const numInput = buttonCommandOf(commandId)?.numInput;
  return history.contacts.findLast(
    (change) =>
      change.machine === machine &&
      change.input === numInput &&
      change.isActive &&
      change.atMs <= atMs &&
      (what === 'release' ? change.clockMs <= clockMs : Math.abs(change.clockMs - clockMs) <= ROUNDING_MS),
  );
}

/** Its guard has called another press through that began less than PRESS_INTERVAL_MS before. */
function isBounce(
  facts: Facts,
  device: Device,
  { numInput, clockMs }: ButtonCommand,
  press: Contact,
  own: Settled,
): boolean {
  const { fromMs = 0 } = facts.livesOf(device.guard.name).findLast((life) => life.fromMs <= press.atMs) ?? {};
  return facts.history.settled.some((other) => {
    const before = buttonCommandOf(other.commandId);
    if (before?.what !== 'press' || before.numInput !== numInput || other.machine !== own.machine) return false;
    const agoMs = clockMs - before.clockMs;
    if (other.bootId !== own.bootId || agoMs <= 0 || agoMs >= PRESS_INTERVAL_MS - ROUNDING_MS) return false;
    return (pressOf(facts, other, before.clockMs, 'press')?.atMs ?? 0) >= fromMs;
  });
}

function edgesOf(facts: Facts, { machine, commandId, atMs }: Settled): Judged['edges'] {
  return facts.history.edges.filter(
    (edge) => edge.machine === machine && edge.atMs <= atMs && facts.commandIdOf(edge) === commandId,
  );
}

function untruth(
  facts: Facts,
  settled: Settled,
  { button, press }: { button: Button; press: Contact },
  outcome: 'executed' | 'already-set',
): string | null {
  const isRelease = buttonCommandOf(settled.commandId)?.what === 'release';
  const wanted = button.action === 'toggle' ? null : isRelease ? 0 : 1;
  const judged = { numOutput: button.output, wanted, sinceMs: press.atMs, edges: edgesOf(facts, settled) } as const;
  const { machine, commandId, atMs } = settled;
  const why = untruthOf(facts, judged, { machine, commandId, outcome, atMs });
  return why && `and ${why}`;
}

function isLate({ clockMs }: Settled, command: { what: 'press' | 'release'; clockMs: number }): boolean {
  return clockMs - command.clockMs >= EXPIRED_AFTER_MS[command.what] - ROUNDING_MS;
}

/** Whether something of the kind was in its way. */
function mayRefuse(facts: Facts, device: Device, button: Button, { reason, atMs }: Settled, press: Contact): boolean {
  const { name: machine } = device.setup;
  const rules: Rules | undefined = rulesOf(device)[button.output];
  const hasInterlock = rules?.interlock !== null;
  const fromMs = press.atMs - HEARD_WITHIN_MS;
  const asked = (type: string): boolean =>
    facts.history.deeds.some((deed) => deed.machine === machine && deed.request.type === type && deed.askedMs <= atMs);
  switch (reason) {
    case 'locked':
      return (asked('lock') || mayBeLocked(facts, device, press)) && (button.obeysLocks !== false || hasInterlock);
    case 'not-proven':
      return asked('click');
    case 'board-away':
      return isTouched(fromMs, atMs, absencesOf(facts, device));
    case 'board-failed':
      return isTouched(fromMs, atMs, [
        ...boardTroubles(facts, device, button.output),
        ...absencesOf(facts, device),
        ...gapsOf(facts, device.guard.name),
      ]);
    case 'guard-stopping':
      return facts.hasTrouble(device.guard.name, ['stop'], fromMs, atMs);
    case 'switched-too-soon':
      return (rules?.minSwitchIntervalMs ?? 0) > 0;
    case 'interlocked':
    case 'interlock-delay':
    case 'interlock-unread':
    case 'interlock-broken':
      return hasInterlock;
    case 'overtaken':
    case 'stopped':
    case 'policy-off':
    case 'busy':
      return true;
    default:
      return false;
  }
}

/** Its agent, who knows the locks, has not been there for long enough since the guard began. */
function mayBeLocked(facts: Facts, device: Device, { atMs }: Contact): boolean {
  const life = facts.livesOf(device.guard.name).findLast(({ fromMs }) => fromMs <= atMs);
  const gaps = [device.agent, device.guard].flatMap(({ name }) => gapsOf(facts, name));
  const late = gaps.map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + HEARD_WITHIN_MS }));
  const sinceMs = life?.fromMs ?? atMs;
  return latestMs(sinceMs + HEARD_WITHIN_MS, sinceMs, late) >= atMs;
}
