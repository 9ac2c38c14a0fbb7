import { type Answer, errorOf, isSuccess } from './answer';
import { type CallOptions, type CheckedOptions, checkedRetryMs } from './options';
import { type Clock, random } from './platform';
import { RelaygateError } from './relaygate-error';

/** The server answers a command within 5.1 s; the rest is for the way there and back. */
export const TRY_MS = 7_000;
const BACKOFF_BASE_MS = 100;
const BACKOFF_CAP_MS = 1_000;

const RETRIED: ReadonlySet<string> = new Set([
  'network',
  'timed-out',
  'unknown',
  'device-timeout',
  'request-already-pending',
  'too-many-requests',
]);

/** One call of the user: no retry of it begins after its time, and a signal ends it. */
export class Call {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #moves: boolean;
  readonly #firstUntilMs: number;
  readonly #retriesUntilMs: number;
  #tries = 0;
  /** A try may have moved an output, and no later answer takes that back. */
  #mayHaveMoved = false;

  /** `moves`: it is a set or toggle. */
  constructor({ clock, retryForMs, signal }: CheckedOptions, options: CallOptions = {}, moves = false) {
    const forMs = checkedRetryMs(options.retryForMs ?? retryForMs);
    const fromMs = clock.nowMs();
    this.#clock = clock;
    this.#moves = moves;
    this.#signals = [signal, options.signal].filter((one) => one !== undefined);
    this.#retriesUntilMs = fromMs + forMs;
    // Before it, the client may have to log in.
    this.#firstUntilMs = fromMs + Math.max(forMs, TRY_MS);
  }

  /** Repeats `attempt` until it succeeds, fails for good, or the time is over: reads, and commands with a key. */
  async retry<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof RelaygateError)) throw error;
        const waitMs = waitBefore(this.#tries, error);
        this.#tries += 1;
        if (waitMs === undefined || this.#leftMs() < waitMs) throw this.#told(error);
        await this.#sleep(waitMs);
        // The machine may have slept as well.
        if (this.#leftMs() < 0) throw this.#told(error);
      }
    }
  }

  /** One request and its answer. Fails if the answer is no success, or too late. */
  async exchange(work: (gone: AbortSignal) => Promise<Answer>): Promise<Answer> {
    if (this.#leftMs() < 0) throw new RelaygateError('timed-out');
    try {
      const answer = await this.#within(TRY_MS, work);
      if (isSuccess(answer)) return answer;
      throw errorOf(answer);
    } catch (error) {
      this.#mayHaveMoved ||= this.#moves && error instanceof RelaygateError && error.mayHaveMoved;
      throw error;
    }
  }

  /** Waits for what several calls share, as long as this one may still begin a try. */
  waitFor<T>(shared: () => Promise<T>): Promise<T> {
    return this.#within(Math.max(0, this.#leftMs()), shared);
  }

  #leftMs(): number {
    return (this.#tries === 0 ? this.#firstUntilMs : this.#retriesUntilMs) - this.#clock.nowMs();
  }

  /** What became of all tries, not only of the last one. */
  #told({ code, status, commandId, retryAfterMs, cause }: RelaygateError): RelaygateError {
    return new RelaygateError(code, { status, commandId, retryAfterMs, cause, mayHaveMoved: this.#mayHaveMoved });
  }

  #heedSignals(): void {
    const signal = this.#signals.find(({ aborted }) => aborted);
    if (signal) throw new RelaygateError('aborted', { cause: signal.reason });
  }

  async #sleep(forMs: number): Promise<void> {
    await this.#within(forMs, () => new Promise<never>(() => {})).catch(() => {});
  }

  /** Fails with `timed-out` or `aborted` at that time, whatever `work` does. */
  #within<T>(limitMs: number, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // One that came since nobody listened for it.
      this.#heedSignals();
      const gone = new AbortController();
      const end = (code: 'timed-out' | 'aborted', cause?: unknown): void => {
        settle();
        reject(new RelaygateError(code, { mayHaveMoved: true, cause }));
        gone.abort();
      };
      const abort = ({ target }: Event): void => end('aborted', (target as AbortSignal).reason);
      const cancel = this.#clock.after(limitMs, () => end('timed-out'));
      const settle = (): void => {
        cancel();
        for (const signal of this.#signals) signal.removeEventListener('abort', abort);
      };
      for (const signal of this.#signals) signal.addEventListener('abort', abort);
      work(gone.signal).finally(settle).then(resolve, reject);
    });
  }
}

/** Undefined: never. */
function waitBefore(tries: number, { code, retryAfterMs = 0 }: RelaygateError): number | undefined {
  if (!RETRIED.has(code)) return undefined;
  // Each one that runs anew is a record of the server's audit.
  const base = code === 'device-timeout' ? BACKOFF_CAP_MS : BACKOFF_BASE_MS * 2 ** tries;
  return Math.max(retryAfterMs, Math.min(base, BACKOFF_CAP_MS) * (0.5 + random() / 2));
}
