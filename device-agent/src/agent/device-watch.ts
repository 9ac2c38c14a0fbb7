import type { GuardStatus, LastCommand, PolicyOff } from '../guard/protocol';
import { causeText } from '../locales/en/causes';
import { linkText } from '../locales/en/link';
import { faultText } from '../locales/fault-text';
import type { Cause } from '../runtime/cause';
import type { Fault } from '../runtime/fault';
import { commandWords, outcomeWords } from './commands/command-words';
import type { EventLog } from './history/event-log';
import type { LinkView } from './link/device-link';

/** Why an output went off by itself. */
const POLICY_WORDS: Readonly<Record<PolicyOff, string>> = {
  'max-on': 'its maxOnMs is over',
  'link-loss': 'there was no link for linkLossMs',
  'agent-loss': 'the agent was not heard for agentLossMs',
  interlock: 'another output of its interlock is to go on',
};

/** The device as the agent knows it at a moment. */
export interface DeviceView {
  guard: GuardStatus | null;
  /** Why the guard is away. */
  guardProblem: Cause;
  link: LinkView;
  /** Of the agent's own. */
  faults: readonly Fault[];
  /** Commands that are parts of something, which is logged as one once it is through. */
  parts: readonly string[];
}

/** Notes what has changed from one look at the device to the next. */
export class DeviceWatch {
  readonly #events: Pick<EventLog, 'add' | 'addOnce' | 'addOutcome'>;
  #before: DeviceView | null = null;
  /** Of the last guard that was there. */
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
    if (guard && !before?.guard) this.#events.add('guard', 'guard reached');
    if (!guard && before?.guard) this.#events.add('guard', `guard away: ${causeText(guardProblem)}`);
  }

  #lookAtLink(before: LinkView | null, { isUp, epoch, problem }: LinkView): void {
    if (isUp && !before?.isUp) this.#events.add('link', `link up (epoch ${epoch})`);
    if (isUp) return;
    const text = problem && linkText(problem);
    const textBefore = before?.problem && linkText(before.problem);
    if (before?.isUp) this.#events.add('link', `link down: ${text}`);
    else if (problem?.cause !== 'not-tried' && text !== textBefore) this.#events.add('link', `no link: ${text}`);
  }

  /** Those whose answer has not come, and those that another agent of this boot gave. */
  #lookAtCommands(commands: readonly LastCommand[], parts: readonly string[]): void {
    for (const last of commands) {
      const { commandId, numOutput, command, by, atMs } = last;
      const text = `${commandWords(numOutput, command)}${by === undefined ? '' : ` by ${by}`}: ${outcomeWords(last)}`;
      if (!parts.includes(commandId)) this.#events.addOutcome([commandId], text, atMs);
    }
  }

  /** A guard that was away, and the next agent, find what is logged already. */
  #lookAtPolicies(before: GuardStatus | null, now: GuardStatus): void {
    for (const [numOutput, { endedBy, endedAtMs }] of now.outputs.entries()) {
      const was = before?.outputs[numOutput];
      if (!endedBy || (was?.endedBy === endedBy && was.endedAtMs === endedAtMs)) continue;
      this.#events.addOnce('policy', `output ${numOutput} went off: ${POLICY_WORDS[endedBy]}`, endedAtMs);
    }
  }

  #lookAtFaults(faultsBefore: readonly Fault[], faultsNow: readonly Fault[]): void {
    const before = new Set(faultsBefore.map((fault) => faultText(fault)));
    const now = new Set(faultsNow.map((fault) => faultText(fault)));
    for (const text of now) if (!before.has(text)) this.#events.add('fault', text);
    for (const text of before) if (!now.has(text)) this.#events.add('fault', `over: ${text}`);
  }
}
