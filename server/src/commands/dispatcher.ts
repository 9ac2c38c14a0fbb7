import {
  AUTHORISATION_FRESH_MS,
  type Cancel,
  type Clock,
  EXECUTION_DEADLINE_MS,
  RESPONSE_DEADLINE_MS,
  RelaygateError,
  type Resume,
  STORAGE_WRITE_TIMEOUT_MS,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log';
import { OpenCount } from '../open-count';
import { fitting, toldBy } from './asked-command';
import { refusalOf } from './authorise';
import type { AskedCommand, CommandRecord, CommandStore } from './command-store';
import type { DeviceLinks, LinkPresence } from './device-links';
import type { HeardConfirmation } from './heard';
import type { LateOutcomes } from './late-outcomes';
import type { CommandAnswer, CommandOrder } from './order';
import type { OutcomeRecorder } from './outcome-recorder';
import { type Place, type PlaceEffect, type PlaceEvent, step } from './place';

export interface DispatcherParts {
  clock: Clock;
  wallClock: WallClock;
  store: CommandStore;
  links: DeviceLinks;
  outcomes: OutcomeRecorder;
  late: LateOutcomes;
  log: Log;
  /** A fresh UUID version 7. */
  newCommandId(): string;
}

interface Flight {
  readonly commandId: string;
  readonly order: CommandOrder;
  /** t0, on the monotonic clock. */
  readonly startMs: number;
  readonly timers: Cancel[];
  readonly answer: (answer: CommandAnswer) => void;
  place: Place;
  /** The boot of the device to which it may be sent: the one that its record names, durably. */
  bootId: string | null;
}

/**
 * Serialises and correlates the commands of the products whose links this process holds; nobody else does.
 * Per product one place (I6): take it or be told 409, record, send, wait for the confirmation or the deadline.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #flights = new Map<string, Flight>();
  readonly #commands = new OpenCount();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Never rejects. Answers within RESPONSE_DEADLINE_MS of the call. */
  dispatch(order: CommandOrder): Promise<CommandAnswer> {
    if (this.#flights.has(order.productLogin))
      return Promise.resolve({ kind: 'error', code: 'request-already-pending' });
    return new Promise((answer) => this.#take(order, answer));
  }

  /** Resolves when no command is in flight, or after `timeoutMs`: a command runs on when its client hangs up. */
  idle(timeoutMs: number): Promise<void> {
    return this.#commands.none(this.#parts.clock, timeoutMs);
  }

  linkUp(productLogin: string): void {
    this.#applyToProduct(productLogin, { kind: 'link-up' });
  }

  linkLost(productLogin: string): void {
    this.#applyToProduct(productLogin, { kind: 'link-lost' });
  }

  /** Its link is closed, or was lost before: what waits for it would wait in vain (I13). */
  deviceRevoked(productLogin: string): void {
    this.#applyToProduct(productLogin, { kind: 'device-revoked' });
  }

  /** A `result` of this product's device: for the command in flight, or late (I10). */
  confirmed(productLogin: string, confirmation: HeardConfirmation): void {
    const flight = this.#flights.get(productLogin);
    if (flight?.commandId !== confirmation.commandId) {
      return this.#parts.late.confirmed(productLogin, confirmation);
    }
    this.#apply(flight, { kind: 'confirmed', confirmation: fitting(askedBy(flight), confirmation) });
  }

  /** What a device that came back, in this boot of it, knows of the commands it was asked about. */
  resumed(productLogin: string, bootId: string, resume: Resume): void {
    const flight = this.#flights.get(productLogin);
    // I11: these states are of the moments after the commands; the report that came before tells the present ones.
    for (const outcome of resume.outcomes) this.confirmed(productLogin, { ...outcome, heard: null });
    if (flight && flight.bootId === bootId && resume.notStarted.includes(flight.commandId)) {
      this.#apply(flight, { kind: 'not-started' });
    }
    const earlier = resume.notStarted.filter((commandId) => commandId !== flight?.commandId);
    this.#parts.late.notStarted(productLogin, bootId, earlier);
  }

  #take(order: CommandOrder, answer: Flight['answer']): void {
    const { clock, links, store, log } = this.#parts;
    const presence: LinkPresence = order.noDevice ? { kind: 'down' } : links.presence(order.productLogin);
    const flight: Flight = {
      commandId: this.#parts.newCommandId(),
      order,
      startMs: clock.nowMs(),
      place:
        presence.kind === 'down'
          ? { phase: 'unlinked', saysSo: true }
          : { phase: 'unsent', recorded: false, linked: presence.kind === 'up' },
      bootId: presence.kind === 'up' ? presence.bootId : null,
      timers: [],
      answer,
    };
    this.#flights.set(order.productLogin, flight);
    this.#commands.enter();
    this.#at(flight, STORAGE_WRITE_TIMEOUT_MS, { kind: 'record-failed' });
    this.#at(flight, EXECUTION_DEADLINE_MS, { kind: 'execution-deadline' });
    this.#at(flight, RESPONSE_DEADLINE_MS, { kind: 'response-deadline' });
    store.recordCommand(this.#recordOf(flight, presence.kind === 'down')).then(
      () => this.#apply(flight, { kind: 'recorded' }),
      (err) => {
        log.error({ commandId: flight.commandId, err }, 'command not recorded, so not sent');
        const isUnanswered = err instanceof RelaygateError && err.code === 'storage-unanswered';
        this.#apply(flight, { kind: isUnanswered ? 'record-unanswered' : 'record-failed' });
      },
    );
  }

  #recordOf({ commandId, order, bootId }: Flight, isUnlinked: boolean): CommandRecord {
    const { clientId, productLogin, numOutput, action } = order;
    return {
      commandId,
      productLogin,
      clientId,
      numOutput,
      action: action.action,
      state: action.action === 'set' ? action.state : null,
      acceptedAtMs: this.#parts.wallClock.epochMs(),
      bootId,
      outcome: isUnlinked ? 'expired' : 'pending',
      reason: isUnlinked ? 'not-linked' : null,
    };
  }

  #at(flight: Flight, delayMs: number, event: PlaceEvent): void {
    flight.timers.push(this.#parts.clock.after(delayMs, () => this.#apply(flight, event)));
  }

  #applyToProduct(productLogin: string, event: PlaceEvent): void {
    const flight = this.#flights.get(productLogin);
    if (flight) this.#apply(flight, event);
  }

  #apply(flight: Flight, event: PlaceEvent): void {
    const [place, effects] = step(flight.place, event);
    flight.place = place;
    for (const effect of effects) this.#carryOut(flight, effect);
  }

  #carryOut(flight: Flight, effect: PlaceEffect): void {
    switch (effect.do) {
      case 'check':
        return this.#check(flight);
      case 'send':
        return this.#send(flight);
      case 'answer':
        for (const cancel of flight.timers) cancel();
        this.#flights.delete(flight.order.productLogin);
        this.#commands.leave();
        return flight.answer({ ...effect.answer, commandId: flight.commandId });
      case 'resolve':
        return this.#resolve(flight, effect);
      default:
        return effect satisfies never;
    }
  }

  #check(flight: Flight): void {
    const presence = this.#parts.links.presence(flight.order.productLogin);
    const bootId = presence.kind === 'up' ? presence.bootId : flight.bootId;
    if (this.#isFresh(flight) && bootId === flight.bootId) return this.#apply(flight, { kind: 'cleared' });
    void this.#checkAnew(flight, bootId).then((event) => this.#apply(flight, event));
  }

  /** I13: what was allowed a while ago may be revoked by now. */
  async #checkAnew(flight: Flight, bootId: string | null): Promise<PlaceEvent> {
    const { store, log } = this.#parts;
    const { commandId, order } = flight;
    const denied = ({ reason, err }: { reason: string; err: unknown }): PlaceEvent => {
      log.error({ commandId, err }, `${reason}, so not sent`);
      return { kind: 'denied', code: 'unknown', reason };
    };
    try {
      // Or a device that never got it could be believed that it was not started.
      if (bootId !== null && bootId !== flight.bootId) await store.recordBoot(commandId, bootId);
      flight.bootId = bootId;
    } catch (err) {
      return denied({ reason: 'boot-not-recorded', err });
    }
    if (this.#isFresh(flight)) return { kind: 'cleared' };
    try {
      const code = refusalOf(await store.readAccess(order.clientId, order.productLogin, order.numOutput));
      return code ? { kind: 'denied', code, reason: 'not-allowed-any-more' } : { kind: 'cleared' };
    } catch (err) {
      return denied({ reason: 'authorisation-unreadable', err });
    }
  }

  #isFresh({ startMs }: Flight): boolean {
    return this.#parts.clock.nowMs() - startMs < AUTHORISATION_FRESH_MS;
  }

  #send(flight: Flight): void {
    const { links, clock } = this.#parts;
    const { commandId, order, startMs } = flight;
    const { productLogin, numOutput, action, by } = order;
    const executeBeforeMs = startMs + EXECUTION_DEADLINE_MS;
    const presence = links.presence(productLogin);
    // I2: the timer of the deadline may itself be late behind a stalled event loop.
    if (clock.nowMs() >= executeBeforeMs) return this.#apply(flight, { kind: 'not-sent' });
    if (presence.kind === 'up' && presence.bootId !== flight.bootId) {
      // Another boot of the device has linked since the check.
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

  #resolve(flight: Flight, { outcome, reason, confirmation }: Extract<PlaceEffect, { do: 'resolve' }>): void {
    const { commandId, order } = flight;
    const { outcomes, wallClock, log } = this.#parts;
    const told = confirmation ? toldBy(askedBy(flight), confirmation, log) : { reason, observed: null };
    outcomes.record({
      commandId,
      productLogin: order.productLogin,
      outcome,
      ...told,
      resolvedAtMs: wallClock.epochMs(),
    });
    log.debug({ commandId, productLogin: order.productLogin, numOutput: order.numOutput, outcome, reason }, 'command');
  }
}

function askedBy({ commandId, order }: Flight): AskedCommand {
  return { commandId, numOutput: order.numOutput, action: order.action.action };
}
