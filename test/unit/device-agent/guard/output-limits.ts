import { afterHeartbeat, noHeartbeat } from '@relaygate/device-agent/guard/heartbeat';
import type { OnLimitRules } from '@relaygate/device-agent/guard/on-limit';
import type { Output, OutputEvent } from '@relaygate/device-agent/guard/output-types';
import { SILENCE_MS } from '../../../support/time/promised-times';
import type { OutputLogic } from './output-logic';

/** What the guard counts of an output that is on, and beside it when agent and link were really there. */
export class OutputLimits {
  readonly #logic: Pick<OutputLogic, 'offAt' | 'onSinceMs'>;
  #sinceMs: number | null = null;
  #heartbeat = noHeartbeat(0);
  #wasUp = false;
  agentMs = 0;
  linkMs = 0;
  /** When the guard will say that the output's time is up. */
  dueMs = Number.POSITIVE_INFINITY;

  constructor(logic: Pick<OutputLogic, 'offAt' | 'onSinceMs'>, nowMs: number) {
    this.#logic = logic;
    this.restart(nowMs);
  }

  follow(output: Output, event: OutputEvent, rules: OnLimitRules, nowMs: number): void {
    this.#sinceMs = this.#logic.onSinceMs(this.#sinceMs, output, event, nowMs);
    if (event.kind === 'limit') this.dueMs = Number.POSITIVE_INFINITY;
    else this.#watch(rules);
  }

  report(linkIsUp: boolean, rules: OnLimitRules, nowMs: number): void {
    if (linkIsUp || (this.#wasUp && nowMs - this.agentMs <= SILENCE_MS)) this.linkMs = nowMs;
    this.#wasUp = linkIsUp;
    this.agentMs = nowMs;
    this.#heartbeat = afterHeartbeat(this.#heartbeat, linkIsUp, nowMs);
    this.#watch(rules);
  }

  restart(nowMs: number): void {
    this.agentMs = this.linkMs = nowMs;
    this.#wasUp = false;
    this.#sinceMs = null;
    this.#heartbeat = noHeartbeat(nowMs);
  }

  #watch(rules: OnLimitRules): void {
    this.dueMs =
      this.#sinceMs === null ? Number.POSITIVE_INFINITY : this.#logic.offAt(rules, this.#sinceMs, this.#heartbeat).atMs;
  }
}
