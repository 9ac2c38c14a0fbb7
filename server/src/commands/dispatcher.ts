import {
  AUTHORISATION_FRESH_MS,
  type Clock,
  EXECUTION_DEADLINE_MS,
  type Randomness,
  type Resume,
  type ServerReason,
  type WallClock,
} from '@relaygate/shared';
import { v7 } from 'uuid';
import { ActivityCounter } from '../activity-counter';
import type { DeviceConfirmation } from '../devices/frame-version';
import type { LinkAvailability, LocalLinks } from '../devices/presence';
import { writtenBy } from '../nodes/membership';
import { answerTo, reportOf } from './asked-command';
import { type SlotEffect, type SlotEvent, step } from './command-slot';
import type { CommandRecord, CommandStore } from './command-store';
import { askedBy, type Flight, isAsRecorded, TIME_LIMITS, type TimeLimits, timeLimits } from './flight';
import type { LateOutcomes } from './late-outcomes';
import type { AcceptedCommand, CommandAnswer, CommandOrder } from './order';
import type { OutcomeRecorder } from './outcome-recorder';
import { RecordRefusals, type RecordRefusalsDeps } from './record-refusals';

export interface DispatcherDeps extends RecordRefusalsDeps {
  clock: Clock;
  wallClock: WallClock;
  store: RecordRefusalsDeps['store'] & Pick<CommandStore, 'recordCommand' | 'recordBoot' | 'findCommand'>;
  links: LocalLinks;
  outcomes: OutcomeRecorder;
  late: LateOutcomes;
  /** A fresh UUID version 7. */
  newCommandId(): string;
}

/** Between two looks for the outcome of a command whose link was lost. */
const OUTCOME_ELSEWHERE_MS = 250;

/**
 * Serialises and correlates the commands of the products that this node owns; nobody else does.
 * Per product one command slot (I6): acquire it or answer 409, record, send, wait for the confirmation or the deadline.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #flights = new Map<string, Flight>();
  readonly #commands = new ActivityCounter();
  readonly #refusals: RecordRefusals;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#refusals = new RecordRefusals(deps);
  }

  /**
   * Answers within RESPONSE_DEADLINE_MS of t0. Rejects only if there is no id for the command: nothing has begun (500).
   * `seen`: the link, if the caller has looked in this turn of the event loop, in which nothing else can change it.
   * `accepted`: by another node, which has given the command its id, and t0 on this node's clock. Without it, t0 is now.
   */
  dispatch(order: CommandOrder, seen?: LinkAvailability, accepted?: AcceptedCommand): Promise<CommandAnswer> {
    if (this.#flights.has(order.productLogin))
      return Promise.resolve({ kind: 'error', code: 'request-already-pending' });
    return new Promise((answer) => {
      const { clock, links, node, store, log } = this.#deps;
      const link: LinkAvailability = order.noDevice ? { kind: 'down' } : (seen ?? links.stateOf(order.productLogin));
      const bootId = link.kind === 'up' ? link.bootId : null;
      const flight: Flight = {
        commandId: accepted?.commandId ?? this.#deps.newCommandId(),
        order,
        startMs: accepted?.acceptedAtMs ?? clock.nowMs(),
        safeUntilMs: node.safeUntilMs,
        slot:
          link.kind === 'down'
            ? { phase: 'unlinked', isOnRecord: true }
            : { phase: 'unsent', recorded: false, linked: link.kind === 'up' },
        bootId,
        linkedBootId: bootId,
        isInDoubt: false,
        answer,
        cancelLimit: () => {},
      };
      this.#flights.set(order.productLogin, flight);
      this.#commands.enter();
      this.#limit(flight, accepted ? timeLimits(clock.nowMs() - accepted.acceptedAtMs) : TIME_LIMITS);
      const tell = (why: SlotEvent): void => this.#apply(flight, why);
      store.recordCommand(this.#recordOf(flight)).then(
        (isRecorded) => {
          if (isRecorded) this.#apply(flight, { kind: 'recorded', isCleared: this.#isCleared(flight) });
          else void this.#refusals.whyNotWritten(flight.commandId, order).then(tell);
        },
        (err) => {
          log.error({ commandId: flight.commandId, err }, 'command not recorded, so not sent');
          void this.#refusals.whyFailed(flight.commandId, order, err).then(tell);
        },
      );
    });
  }

  /** The ids of the commands that have not been answered yet. */
  inFlight(): Set<string> {
    return new Set([...this.#flights.values()].map(({ commandId }) => commandId));
  }

  isAtWork(productLogin: string): boolean {
    return this.#flights.has(productLogin);
  }

  /** Resolves when no command is in flight, or after `timeoutMs`. A command runs on when its client hangs up. */
  whenIdle(timeoutMs: number): Promise<void> {
    return this.#commands.whenIdle(this.#deps.clock, timeoutMs);
  }

  /** `bootId`: of the device. */
  linkUp(productLogin: string, bootId: string): void {
    const flight = this.#flights.get(productLogin);
    if (!flight) return;
    flight.linkedBootId = bootId;
    this.#apply(flight, { kind: 'link-up', isCleared: this.#isCleared(flight) });
  }

  linkLost(productLogin: string): void {
    const flight = this.#flights.get(productLogin);
    if (!flight) return;
    flight.linkedBootId = null;
    flight.isInDoubt = this.#deps.node.instance !== undefined;
    this.#apply(flight, { kind: 'link-lost' });
    if (flight.slot.phase === 'sent' && this.#deps.node.instance !== undefined) this.#lookElsewhere(flight);
  }

  /** Ends a command that waits for the product's link, because no link of this device can come any more (I13). */
  deviceRevoked(productLogin: string): void {
    const flight = this.#flights.get(productLogin);
    if (flight) this.#apply(flight, { kind: 'device-revoked' });
  }

  /** A `result` of this product's device, for the command in flight or a late one (I10). */
  confirmed(productLogin: string, confirmation: DeviceConfirmation): void {
    const flight = this.#flights.get(productLogin);
    if (flight?.commandId !== confirmation.commandId) {
      return this.#deps.late.confirmed(productLogin, confirmation);
    }
    this.#apply(flight, { kind: 'confirmed', confirmation: answerTo(askedBy(flight), confirmation) });
  }

  /** The resume report of a device that linked again, in this boot: what became of the commands that the server asked about. */
  resumed(productLogin: string, bootId: string, resume: Resume): void {
    const flight = this.#flights.get(productLogin);
    // I11: these states are as old as the commands; the report before them holds the present ones.
    for (const outcome of resume.outcomes) this.confirmed(productLogin, { ...outcome, version: null });
    if (flight && flight.bootId === bootId && resume.notStarted.includes(flight.commandId)) {
      this.#apply(flight, { kind: 'not-started' });
    }
    const earlier = resume.notStarted.filter((commandId) => commandId !== flight?.commandId);
    this.#deps.late.notStarted(productLogin, bootId, earlier);
  }

  /** One timer for all limits: most commands are answered long before the first. */
  #limit(flight: Flight, limits: TimeLimits): void {
    const [next] = limits;
    if (!next) return;
    const { clock } = this.#deps;
    const [limitMs] = next;
    flight.cancelLimit = clock.after(Math.max(0, flight.startMs + limitMs - clock.nowMs()), () => {
      // A process that was held up may be past several. Whoever waits for the answer gives up soon, and does not know the command's id.
      const passedMs = Math.max(limitMs, clock.nowMs() - flight.startMs);
      const passed = limits.filter(([ms]) => ms <= passedMs);
      // First, because the answer cancels it.
      this.#limit(flight, limits.slice(passed.length));
      for (const [, event] of passed)
        if (this.#flights.get(flight.order.productLogin) === flight) this.#apply(flight, event);
    });
  }

  #recordOf({ commandId, order, bootId, slot }: Flight): CommandRecord {
    const { clientId, productLogin, numOutput, action, idempotency } = order;
    const isUnlinked = slot.phase === 'unlinked';
    return {
      commandId,
      productLogin,
      clientId,
      numOutput,
      action: action.action,
      state: action.action === 'set' ? action.state : null,
      acceptedAtMs: this.#deps.wallClock.epochMs(),
      bootId,
      outcome: isUnlinked ? 'expired' : 'pending',
      reason: isUnlinked ? 'not-linked' : null,
      ...(idempotency && { idempotency }),
      ...writtenBy(this.#deps.node),
    };
  }

  #apply(flight: Flight, event: SlotEvent): void {
    const [slot, effects] = step(flight.slot, event);
    flight.slot = slot;
    for (const effect of effects) {
      switch (effect.do) {
        case 'check':
          void this.#check(flight).then((checked) => this.#apply(flight, checked));
          break;
        case 'send':
          this.#send(flight);
          break;
        case 'answer':
          flight.cancelLimit();
          this.#flights.delete(flight.order.productLogin);
          this.#commands.leave();
          flight.answer({ ...effect.answer, commandId: flight.commandId });
          break;
        case 'resolve':
          this.#resolve(flight, effect);
          break;
        default:
          effect satisfies never;
      }
    }
  }

  /** Several nodes: the device may come to another one, which writes the outcome then. */
  #lookElsewhere(flight: Flight): void {
    const { store, clock, log } = this.#deps;
    const { commandId, order } = flight;
    clock.after(OUTCOME_ELSEWHERE_MS, () => {
      if (this.#flights.get(order.productLogin) !== flight || flight.linkedBootId !== null) return;
      store.findCommand(commandId).then(
        (command) => {
          if (command?.outcome === 'confirmed-late')
            this.confirmed(order.productLogin, { commandId, outcome: 'executed', version: null });
          else this.#lookElsewhere(flight);
        },
        (err) => {
          log.error({ commandId, err }, 'outcome of another node not readable');
          this.#lookElsewhere(flight);
        },
      );
    });
  }

  /** I13: what was allowed at acceptance may be revoked by now. */
  async #check(flight: Flight): Promise<SlotEvent> {
    const { store, log } = this.#deps;
    const { commandId, order, linkedBootId } = flight;
    const denied = ({ reason, err }: { reason: ServerReason; err: unknown }): SlotEvent => {
      log.error({ commandId, err }, `${reason}, so not sent`);
      return { kind: 'denied', code: 'unknown', reason };
    };
    try {
      // The server believes only the boot on record that a command was not started, so this must be the boot that gets the command.
      if (linkedBootId !== null && !isAsRecorded(flight)) {
        const wasInDoubt = flight.isInDoubt;
        // Before the write: the link may be lost again meanwhile.
        flight.isInDoubt = false;
        const isOpen = await store.recordBoot(commandId, linkedBootId);
        flight.bootId = linkedBootId;
        if (wasInDoubt && !isOpen) return { kind: 'execution-deadline' };
      }
    } catch (err) {
      return denied({ reason: 'boot-not-recorded', err });
    }
    if (this.#isCleared(flight)) return { kind: 'cleared' };
    try {
      const code = await this.#refusals.accessRefusal(order);
      return code ? { kind: 'denied', code, reason: 'not-allowed-any-more' } : { kind: 'cleared' };
    } catch (err) {
      return denied({ reason: 'authorisation-unreadable', err });
    }
  }

  /** Needs no check before it is sent: its record names the linked boot, and the authorisation is fresh. */
  #isCleared(flight: Flight): boolean {
    return isAsRecorded(flight) && this.#deps.clock.nowMs() - flight.startMs < AUTHORISATION_FRESH_MS;
  }

  #send(flight: Flight): void {
    const { links, clock } = this.#deps;
    const { commandId, order, startMs } = flight;
    const { productLogin, numOutput, action, by } = order;
    const executeBeforeMs = startMs + EXECUTION_DEADLINE_MS;
    // I2: behind a stalled event loop the timer of the deadline may be late itself. T34: the node may have been frozen since its record
    // was written, so that it lost its lease, or even has a new one.
    if (clock.nowMs() >= Math.min(executeBeforeMs, flight.safeUntilMs))
      return this.#apply(flight, { kind: 'not-sent' });
    if (flight.linkedBootId !== null && !isAsRecorded(flight)) {
      // The device linked again, perhaps another boot of it, after the check.
      this.#apply(flight, { kind: 'not-sent' });
      return this.#apply(flight, { kind: 'link-up' });
    }
    const sent = links.send(productLogin, {
      commandId,
      numOutput,
      ...action,
      executeBeforeMs,
      ...(by === undefined ? {} : { by }),
    });
    if (!sent) this.#apply(flight, { kind: 'not-sent' });
  }

  #resolve(flight: Flight, { outcome, reason, confirmation }: Extract<SlotEffect, { do: 'resolve' }>): void {
    const { commandId, order } = flight;
    const { outcomes, wallClock, log } = this.#deps;
    const report = confirmation ? reportOf(askedBy(flight), confirmation, log) : { reason, observed: null };
    outcomes.record({
      commandId,
      productLogin: order.productLogin,
      outcome,
      ...report,
      resolvedAtMs: wallClock.epochMs(),
    });
    log.debug({ commandId, productLogin: order.productLogin, numOutput: order.numOutput, outcome, reason }, 'command');
  }
}

/** Fresh UUIDs of version 7. */
export function commandIds(wallClock: WallClock, randomness: Randomness): DispatcherDeps['newCommandId'] {
  return () => v7({ msecs: wallClock.epochMs(), random: randomness.bytes(16) });
}
