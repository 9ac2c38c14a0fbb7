import type { ConsoleLanguage, HistoryEntry, OutputState } from '@relaygate/shared';
import type { DeviceStatus, IdentityReply } from '../local-messages/device';
import type { Diagnosis } from '../local-messages/doctor';
import type { HistoryReply } from '../local-messages/history';
import type { LockReply, UnlockReply } from '../local-messages/locks';
import type { LoggedEvent, LogReply } from '../local-messages/log';
import type { CommandReply, OutputReply, OutputRequest } from '../local-messages/outputs';
import type { ProofReply, ProveReply, ProveRequest } from '../local-messages/proof';
import type { WebOffReply, WebOnReply, WebStatus } from '../local-messages/web';

/** Who is told to have done it: whoever knew the PIN. */
const ACTOR = 'console';

/** The agent's local API, in this process. */
export interface Performer {
  perform(type: string, request: object): Promise<unknown>;
}

/** What the console asks of the agent: actions of the local API and nothing else. All reject with RelaygateError. */
export class ConsoleAgent {
  readonly #performer: Performer;

  constructor(performer: Performer) {
    this.#performer = performer;
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
    return this.#perform('set', { numOutput, state, actor: ACTOR });
  }

  pulse(numOutput: number): Promise<CommandReply> {
    return this.#perform('pulse', { numOutput, actor: ACTOR });
  }

  change(numOutput: number, change: OutputRequest['change']): Promise<OutputReply> {
    return this.#perform('output', { numOutput, change, force: false, actor: ACTOR });
  }

  lock(numOutput: number, forMs: number): Promise<LockReply> {
    return this.#perform('lock', { numOutput, forMs, actor: ACTOR });
  }

  unlock(numOutput: number): Promise<UnlockReply> {
    return this.#perform('unlock', { numOutput, actor: ACTOR });
  }

  /** Takes as long as half a minute; `language`: of what it finds. */
  diagnosis(language: ConsoleLanguage): Promise<Diagnosis> {
    return this.#perform('doctor', { language });
  }

  proof(): Promise<ProofReply> {
    return this.#perform('proof', {});
  }

  async click(numOutput: number): Promise<void> {
    await this.#perform('click', { numOutput, actor: ACTOR });
  }

  prove(seen: Omit<ProveRequest, 'actor'>): Promise<ProveReply> {
    return this.#perform('prove', { ...seen, actor: ACTOR });
  }

  webStatus(): Promise<WebStatus> {
    return this.#perform('web-status', {});
  }

  webOn(forMs: number, hotspot: boolean): Promise<WebOnReply> {
    return this.#perform('web-on', { forMs, hotspot, actor: ACTOR });
  }

  webOff(): Promise<WebOffReply> {
    return this.#perform('web-off', { actor: ACTOR });
  }

  /** The type of an answer goes with that of the request. */
  #perform<T>(type: string, request: object): Promise<T> {
    return this.#performer.perform(type, request) as Promise<T>;
  }
}
