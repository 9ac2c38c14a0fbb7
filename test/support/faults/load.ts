/** What fetch says when the connection breaks. */
const NO_ANSWER: ReadonlySet<string> = new Set(['fetch failed', 'terminated']);

/**
 * Work that goes on while a fault strikes: again and again, as fast as it is acknowledged, until the other side is gone.
 * What else goes wrong in it is the test's failure, and a load that never ran is one too.
 */
export class Load {
  /** Resolves with the first acknowledgement, so that the fault strikes a load that runs. Rejects where there is none. */
  readonly begun: Promise<void>;
  /** Rejects with what went wrong in it, but for the other side's being gone. */
  readonly ended: Promise<void>;

  /** `turn` counts from 0. `isGone`: whether a failure says no more than that nobody answers. */
  constructor(work: (turn: number) => Promise<void>, isGone: (error: unknown) => boolean) {
    let began = (): void => {};
    let failed = (_error: unknown): void => {};
    this.begun = new Promise((resolve, reject) => {
      began = resolve;
      failed = reject;
    });
    this.ended = (async () => {
      for (let turn = 0; ; turn += 1) {
        try {
          await work(turn);
          began();
        } catch (error) {
          if (!isGone(error)) throw error;
          if (turn === 0) throw new Error('the other side was gone before the load ran', { cause: error });
          return;
        }
      }
    })();
    this.ended.catch(failed);
    // Whoever awaits neither in time awaits `ended` in the end.
    this.begun.catch(() => {});
  }
}

/** No answer came; one of any status is none of that. */
export class ServerGone extends Error {}

/** Whether an HTTP call failed because no answer came. */
export function isServerGone(error: unknown): boolean {
  // Its TypeError is that of Node's own realm, and not the test's.
  return error instanceof ServerGone || NO_ANSWER.has((error as Error).message);
}
