import { type GroupCommit, resultOf } from './group-commit';
import { type WriteArgs, type WriteName, type WriteResults, type Writer, writeOf } from './storage-write';

/** Writes on the caller's own thread, one transaction each: for commands that end soon, and for simulations. */
export function inlineWriter(group: GroupCommit, nowMs: () => number, writeTimeoutMs: number): Writer {
  return {
    async execute<Name extends WriteName>(name: Name, args: WriteArgs[Name]): Promise<WriteResults[Name]> {
      const requests = [{ id: 0, write: writeOf(name, args), deadlineMs: nowMs() + writeTimeoutMs }];
      for (;;) {
        // No answer yet: another process holds the lock, and each try waits for it a little.
        const [answer] = group.run(requests).answers;
        if (answer) return resultOf<Name>(answer);
      }
    },
    async close() {},
  };
}
