/** Deliberate faults of what tells an old link from the one that holds (I12). */
import type { Sabotage } from './sabotage';

/** The guard gets commands without their link's epoch, so it never checks it. */
export function checksNoEpochs(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      return request.type === 'execute' ? JSON.stringify({ ...request, epoch: null }) : line;
    },
  };
}

/** A superseded link's results are as good as those of the newest one. */
export function readsSupersededLinks(): Sabotage {
  const newest = new Map<string, { hear(text: string): void }>();
  return {
    serverLink: (link) => ({
      sent(text) {
        if (text.startsWith('{"type":"welcome"')) newest.set(link.productLogin, link);
        return text;
      },
      received(text) {
        const holder = newest.get(link.productLogin) ?? link;
        if (holder === link || !text.startsWith('{"type":"result"')) return text;
        holder.hear(text);
        return null;
      },
    }),
  };
}
