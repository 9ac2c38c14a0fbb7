import { type Clock, EXECUTION_DEADLINE_MS, type HistoryEntry, type OutputState } from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { DeviceStatus, IdentityReply } from '../local-messages/device';
import type { Diagnosis } from '../local-messages/doctor';
import type { HistoryReply } from '../local-messages/history';
import type { LockReply, UnlockReply } from '../local-messages/locks';
import type { LoggedEvent, LogReply } from '../local-messages/log';
import type { CommandReply, OutputReply, OutputRequest } from '../local-messages/outputs';
import type { ProofReply, ProveReply, ProveRequest } from '../local-messages/proof';
import type { WebOffReply, WebOnReply, WebStatus } from '../local-messages/web';

/** Who is named as having done it: whoever knew the PIN. */
const ACTOR = 'console';

/** The agent's local API, in this process. */
export interface Performer {
  perform(type: string, request: object, givenUp: AbortSignal): Promise<unknown>;
}

/** What the console asks of the agent: actions of the local API and nothing else. All reject with RelaygateError. */
export class ConsoleAgent {
  readonly #performer: Performer;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #waiting = new AbortController();

  constructor(performer: Performer, clock: Pick<Clock, 'nowMs'>) {
    this.#performer = performer;
    this.#clock = clock;
  }

  /** Nobody waits for what was asked for so far: what has not begun does not begin. */
  giveUp(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** `language`: of its reasons and faults. */
  status(language: ConsoleLanguage): Promise<DeviceStatus> {
    return this.#perform('status', { language });
  }

  identity(): Promise<IdentityReply> {
    return this.#perform('identity', {});
  }

  async newestHistory(limit: number): Promise<HistoryEntry[]> {
    return (await this.#perform<HistoryReply>('history', { limit })).entries;
  }

  async newestEvents(limit: number): Promise<LoggedEvent[]> {
    return (await this.#perform<LogReply>('log', { limit, waitMs: 0 })).events;
  }

  set(numOutput: number, state: OutputState): Promise<CommandReply> {
    return this.#change('set', { numOutput, state });
  }

  pulse(numOutput: number): Promise<CommandReply> {
    return this.#change('pulse', { numOutput });
  }

  /** `pulseSinceMs`: of the pulse that was shown. */
  stop(numOutput: number, pulseSinceMs: number): Promise<CommandReply> {
    return this.#change('stop', { numOutput, pulseSinceMs });
  }

  change(numOutput: number, change: OutputRequest['change']): Promise<OutputReply> {
    return this.#change('output', { numOutput, change, force: false });
  }

  lock(numOutput: number, forMs: number): Promise<LockReply> {
    return this.#change('lock', { numOutput, forMs });
  }

  unlock(numOutput: number): Promise<UnlockReply> {
    return this.#change('unlock', { numOutput });
  }

  /** Takes as long as half a minute; `language`: of what it finds. */
  diagnosis(language: ConsoleLanguage): Promise<Diagnosis> {
    return this.#perform('doctor', { language });
  }

  proof(): Promise<ProofReply> {
    return this.#perform('proof', {});
  }

  async click(numOutput: number): Promise<void> {
    await this.#change('click', { numOutput });
  }

  prove(seen: Omit<ProveRequest, 'actor' | 'notAfterMs'>): Promise<ProveReply> {
    return this.#change('prove', seen);
  }

  webStatus(): Promise<WebStatus> {
    return this.#perform('web-status', {});
  }

  webOn(forMs: number, hotspot: boolean): Promise<WebOnReply> {
    return this.#change('web-on', { forMs, hotspot });
  }

  webOff(): Promise<WebOffReply> {
    return this.#change('web-off', {});
  }

  /** I2: it begins soon after whoever is there has said so, or never. */
  #change<T>(type: string, request: object): Promise<T> {
    const notAfterMs = this.#clock.nowMs() + EXECUTION_DEADLINE_MS;
    return this.#perform(type, { ...request, notAfterMs, actor: ACTOR });
  }

  /** The type of an answer goes with that of the request. */
  #perform<T>(type: string, request: object): Promise<T> {
    return this.#performer.perform(type, request, this.#waiting.signal) as Promise<T>;
  }
}
