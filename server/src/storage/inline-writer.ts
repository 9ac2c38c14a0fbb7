import { type GroupCommit, resultOf } from './group-commit';
import { type WriteArgs, type WriteName, type WriteResults, type Writer, writeOf } from './handlers';

/** One thing after the other on one connection: nobody reads what a transaction has not committed yet. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(run: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(run);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Writes on the caller's own thread, one transaction each: for commands that end soon, and for simulations. */
export function inlineWriter(
  turns: Turns,
  group: GroupCommit,
  nowMs: () => number,
  writeTimeoutMs: number,
): Pick<Writer, 'execute'> {
  return {
    execute<Name extends WriteName>(name: Name, args: WriteArgs[Name]): Promise<WriteResults[Name]> {
      return turns.take(async () => {
        const requests = [{ id: 0, write: writeOf(name, args), deadlineMs: nowMs() + writeTimeoutMs }];
        for (;;) {
          // No answer yet: another process holds the lock, and each try waits for it a little.
          const [answer] = (await group.run(requests)).answers;
          if (answer) return resultOf<Name>(answer);
        }
      });
    },
  };
}
