import { type Cancel, type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import { unavailable } from './database-error';
import type { Session } from './session';

const RETRY_FIRST_MS = 100;
const RETRY_CAP_MS = 5_000;
/** A server that restarts is back within this time, so whoever comes meanwhile waits for it. */
const BLIP_MS = 1_000;

export interface KeptSessionDeps {
  open(): Promise<Session>;
  /** Runs each time a session is opened. */
  opened?: () => void;
  clock: Clock;
  randomness: Pick<Randomness, 'fraction'>;
}

/** A session that is opened again by itself when it is lost, with growing pauses and full jitter. */
export class KeptSession {
  readonly #deps: KeptSessionDeps;
  readonly #waiting = new Set<() => void>();
  #session: Session | undefined;
  #reason = unavailable('is not connected');
  #lostAtMs = 0;
  #cancelRetry: Cancel = () => {};
  #isClosed = false;
  #isOpening = false;

  private constructor(deps: KeptSessionDeps) {
    this.#deps = deps;
  }

  /** Rejects if the first session does not open. */
  static async open(deps: KeptSessionDeps): Promise<KeptSession> {
    const kept = new KeptSession(deps);
    kept.#keep(await deps.open());
    return kept;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** The session, waiting for it at most so long. Undefined if a short outage lasts on; fails with the reason of a longer one. */
  async within(ms: number): Promise<Session | undefined> {
    if (this.#session) return this.#session;
    const { clock } = this.#deps;
    if (this.#isClosed || clock.nowMs() - this.#lostAtMs >= BLIP_MS) throw this.#reason;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = clock.after(ms, done);
      this.#waiting.add(done);
    });
    return this.#session;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reason = unavailable('is closed');
    this.#cancelRetry();
    const session = this.#session;
    this.#session = undefined;
    for (const done of [...this.#waiting]) done();
    await session?.close();
  }

  /** Another connection was opened, so this one may be opened without a further pause. */
  hurry(): void {
    if (this.#session || this.#isOpening || this.#isClosed) return;
    this.#cancelRetry();
    this.#retry(0);
  }

  /** Gives the present session up, if there is one. */
  kill(why: string): void {
    this.#session?.kill(why);
  }

  #keep(session: Session): void {
    if (this.#isClosed) return session.kill('it is closed');
    this.#session = session;
    const openedMs = this.#deps.clock.nowMs();
    for (const done of [...this.#waiting]) done();
    this.#deps.opened?.();
    session.onLoss(() => {
      if (this.#session !== session) return;
      this.#session = undefined;
      this.#reason = unavailable('has ended the connection');
      this.#lostAtMs = this.#deps.clock.nowMs();
      // One that ends as soon as it is opened would be opened again without a pause.
      this.#retry(this.#lostAtMs - openedMs < BLIP_MS ? 1 : 0);
    });
  }

  #retry(failures: number): void {
    if (this.#isClosed) return;
    const { clock, randomness } = this.#deps;
    const capMs = Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_CAP_MS);
    this.#cancelRetry = clock.after(failures === 0 ? 0 : randomness.fraction() * capMs, () => {
      this.#isOpening = true;
      this.#deps.open().then(
        (session) => {
          this.#isOpening = false;
          this.#keep(session);
        },
        (error: unknown) => {
          this.#isOpening = false;
          if (error instanceof RelaygateError) this.#reason = asUnavailable(error);
          this.#retry(failures + 1);
        },
      );
    });
  }
}

/** To those who ask it is an outage, whatever keeps the session from being opened. */
function asUnavailable(error: RelaygateError): RelaygateError {
  if (error.code === 'storage-unavailable') return error;
  return new RelaygateError('storage-unavailable', error.message, { cause: error });
}
