import type { Clock } from '@relaygate/shared';
import type { GroupCommit } from '../group-commit';
import type { StartWriter, ToWriter } from '../threaded-writer';

/** Between two tries of a group that could not begin. */
const AGAIN_MS = 5;

/** What commits groups, on this thread: everything that waits, as one group, again and again. `kill`: gives its connection up. */
export function writeLoop(group: GroupCommit, clock: Clock, kill: () => void): StartWriter {
  return (listener) => {
    const inbox: ToWriter[] = [];
    let isAtWork = false;
    let isClosing = false;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      listener.ended();
    };
    const work = async (): Promise<void> => {
      while (!hasEnded) {
        for (const message of inbox.splice(0)) {
          if (message.kind === 'close') isClosing = true;
          else group.add(message.requests);
        }
        if (group.isIdle) break;
        const answers = await group.run();
        if (hasEnded) return;
        if (answers.length > 0) listener.message({ kind: 'answers', answers });
        else await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
      }
      isAtWork = false;
      if (isClosing) end();
    };
    queueMicrotask(() => listener.message({ kind: 'ready' }));
    return {
      postMessage(message) {
        inbox.push(message);
        if (isAtWork) return;
        isAtWork = true;
        void work();
      },
      terminate() {
        kill();
        end();
      },
    };
  };
}
