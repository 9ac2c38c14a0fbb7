import type { GuardStatus, LastCommand } from '../guard/protocol';
import { linkText } from '../locales/en/link';
import { faultText } from '../locales/fault-text';
import type { Cause } from '../runtime/cause';
import type { Fault } from '../runtime/fault';
import { commandWords, outcomeOf } from './commands/command-words';
import type { EventLog } from './history/event-log';
import { happened } from './history/happened';
import type { LinkView } from './link/device-link';

/** The device as the agent knows it at a moment. */
export interface DeviceView {
  guard: GuardStatus | null;
  /** Why the guard is away. */
  guardProblem: Cause;
  link: LinkView;
  /** The agent's own faults. */
  faults: readonly Fault[];
  /** Commands that are parts of an action, which is logged as one once it is through. */
  parts: readonly string[];
}

/** Logs what has changed from one view of the device to the next. */
export class DeviceWatch {
  readonly #events: Pick<EventLog, 'add' | 'addOnce' | 'addOutcome'>;
  #before: DeviceView | null = null;
  /** The faults of the last guard that was there. */
  #guardFaults: readonly Fault[] = [];

  constructor(events: Pick<EventLog, 'add' | 'addOnce' | 'addOutcome'>) {
    this.#events = events;
  }

  look(now: DeviceView): void {
    const before = this.#before;
    this.#before = now;
    this.#lookAtGuard(before, now);
    this.#lookAtLink(before?.link ?? null, now.link);
    if (now.guard) {
      this.#lookAtCommands(now.guard.lastCommands ?? [], now.parts);
      this.#lookAtPolicies(before?.guard ?? null, now.guard);
      this.#lookAtFaults(this.#guardFaults, now.guard.faults);
      this.#guardFaults = now.guard.faults;
    }
    this.#lookAtFaults(before?.faults ?? [], now.faults);
  }

  #lookAtGuard(before: DeviceView | null, { guard, guardProblem }: DeviceView): void {
    if (guard && !before?.guard) this.#events.add('guard', happened('guard-reached', {}));
    if (!guard && before?.guard) this.#events.add('guard', happened('guard-away', { problem: guardProblem }));
  }

  #lookAtLink(before: LinkView | null, { isUp, epoch, problem }: LinkView): void {
    if (isUp && !before?.isUp) this.#events.add('link', happened('link-up', { epoch: epoch ?? 0 }));
    if (isUp || problem === null) return;
    const isKnown = before?.problem && linkText(before.problem) === linkText(problem);
    if (before?.isUp) this.#events.add('link', happened('link-down', { problem }));
    else if (problem.cause !== 'not-tried' && !isKnown) this.#events.add('link', happened('no-link', { problem }));
  }

  /** Logs commands whose answer has not come, and those that another agent of this boot gave. */
  #lookAtCommands(commands: readonly LastCommand[], parts: readonly string[]): void {
    for (const last of commands) {
      const { commandId, numOutput, command, by, atMs } = last;
      if (parts.includes(commandId)) continue;
      const of = { command: commandWords(numOutput, command), by: by ?? null, ...outcomeOf(last) };
      this.#events.addOutcome([commandId], happened('command', of), atMs);
    }
  }

  /** Logs once what a policy has switched off, also after a guard that was away and by the next agent. */
  #lookAtPolicies(before: GuardStatus | null, now: GuardStatus): void {
    for (const [numOutput, { endedBy, endedAtMs }] of now.outputs.entries()) {
      const was = before?.outputs[numOutput];
      if (!endedBy || (was?.endedBy === endedBy && was.endedAtMs === endedAtMs)) continue;
      this.#events.addOnce('policy', happened('policy-off', { numOutput, policy: endedBy }), endedAtMs);
    }
  }

  #lookAtFaults(faultsBefore: readonly Fault[], faultsNow: readonly Fault[]): void {
    const [before, now] = [byText(faultsBefore), byText(faultsNow)];
    for (const [text, of] of now) if (!before.has(text)) this.#events.add('fault', happened('fault-begun', of));
    for (const [text, of] of before) if (!now.has(text)) this.#events.add('fault', happened('fault-over', of));
  }
}

function byText(faults: readonly Fault[]): Map<string, Required<Fault>> {
  return new Map(faults.map((fault) => [faultText(fault), { causes: {}, ...fault }]));
}
