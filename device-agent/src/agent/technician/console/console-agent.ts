import { type Clock, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { ActionName, Reply, Request } from '../local-messages/local-actions';

/** The name under which it is done: of whoever knew the PIN. */
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

  /** Gives up what was asked for so far: what has not begun does not begin. */
  giveUp(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  ask<Name extends ActionName>(type: Name, request: Request<Name>): Promise<Reply<Name>> {
    return this.#perform(type, request);
  }

  /** I2: it begins soon after the answer at the console, or never. */
  change<Name extends ActionName>(type: Name, request: Request<Name>): Promise<Reply<Name>> {
    const notAfterMs = this.#clock.nowMs() + EXECUTION_DEADLINE_MS;
    return this.#perform(type, { ...request, notAfterMs, actor: ACTOR });
  }

  /** The type of an answer goes with that of the request. */
  #perform<Name extends ActionName>(type: Name, request: object): Promise<Reply<Name>> {
    return this.#performer.perform(type, request, this.#waiting.signal) as Promise<Reply<Name>>;
  }
}
