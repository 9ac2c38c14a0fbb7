import { type Cancel, type Clock, pause } from '@relaygate/shared';
import type { GroupCommit, WriteAnswer } from '../group-commit';
import type { StartWriter } from '../threaded-writer';

/** Between two tries of a group that could not begin. */
const AGAIN_MS = 5;
/** How often those are looked at that wait behind a group, such as one whose COMMIT is not answered. */
const LATE_EVERY_MS = 100;

/** What commits groups, on this thread: everything that waits, as one group, again and again. `kill`: gives its connection up. */
export function writeLoop(group: GroupCommit, clock: Clock, kill: () => void): StartWriter {
  return (listener) => {
    let isAtWork = false;
    let isClosing = false;
    let hasEnded = false;
    let cancelLook: Cancel = () => {};
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      cancelLook();
      listener.ended();
    };
    const answer = (answers: WriteAnswer[]): void => {
      if (answers.length > 0 && !hasEnded) listener.message({ kind: 'answers', answers });
    };
    const lookForLate = (): void => {
      cancelLook = clock.after(LATE_EVERY_MS, () => {
        answer(group.refuseLate());
        lookForLate();
      });
    };
    const work = async (): Promise<void> => {
      isAtWork = true;
      lookForLate();
      while (!group.isIdle) {
        const answers = await group.run();
        if (hasEnded) return;
        answer(answers);
        if (answers.length === 0) await pause(clock, AGAIN_MS);
      }
      cancelLook();
      isAtWork = false;
      if (isClosing) end();
    };
    queueMicrotask(() => listener.message({ kind: 'ready' }));
    return {
      postMessage(message) {
        if (message.kind === 'close') isClosing = true;
        else group.add(message.requests);
        if (!isAtWork) void work();
      },
      terminate() {
        kill();
        end();
      },
    };
  };
}
