/** Switches the technician's page on after each start, if the site wants that, until the wiring is proven. */
import { type ErrorCode, RelaygateError } from '@relaygate/shared';
import { SITE_FILE, type SiteSettings } from '@relaygate/shared/site-settings';
import type { WebOnRequest } from '../agent/technician/local-messages/web';

const MINUTE_MS = 60_000;
const UNANSWERED: readonly ErrorCode[] = ['agent-unreachable', 'outcome-unknown'];

/** What the agent does for it; both reject with RelaygateError. */
export interface FirstPageDeps {
  isProven(): Promise<boolean>;
  switchOn(request: Pick<WebOnRequest, 'forMs' | 'hotspot' | 'actor'>): Promise<unknown>;
}

export class FirstPage {
  readonly #agent: FirstPageDeps;
  #isDone = false;
  #problem: string | null = null;

  constructor(agent: FirstPageDeps) {
    this.#agent = agent;
  }

  /** Why it could not be switched on; null: it was, or need not be. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Called at each look; a failure is tried again at the next one. It succeeds once only, because somebody may switch the
   * page off again.
   */
  async look(site: SiteSettings | null): Promise<void> {
    const minutes = site?.web?.forMinutes;
    if (this.#isDone || minutes === undefined) return;
    const request = { forMs: minutes * MINUTE_MS, hotspot: false, actor: SITE_FILE };
    try {
      if (!(await this.#agent.isProven())) await this.#agent.switchOn(request);
      this.#isDone = true;
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof RelaygateError)) throw error;
      // An agent that does not answer is reported elsewhere.
      this.#problem = UNANSWERED.includes(error.code) ? null : error.message;
    }
  }
}
