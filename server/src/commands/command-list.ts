import type { CommandStatus } from '@relaygate/shared';
import { type Page, type PageDeps, type PagedList, type PageQuery, pageOf } from '../lists/page';
import { shownStatus } from './command-status';
import type { CommandPosition, CommandStore, ListedCommand } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

export interface CommandListDeps extends PageDeps {
  store: Pick<CommandStore, 'commandsOf' | 'commandsTo'>;
  outcomes: Pick<OutcomeRecorder, 'latest' | 'allLatest'>;
  /** Rejects if the client is not associated with the product. */
  authorise(clientId: string, productLogin: string): Promise<unknown>;
}

export interface CommandListQuery extends PageQuery {
  /** Only commands that were accepted at this wall time (ms) or later. */
  sinceMs: number | undefined;
}

/**
 * The commands that the client gave to products that it is still associated with, newest first. Fails as `pageOf`.
 * `productLogin`: only those to this product; fails as `authorise` too.
 */
export function commandList(
  deps: CommandListDeps,
  { clientId, productLogin }: { clientId: string; productLogin?: string },
  { sinceMs = 0, ...query }: CommandListQuery,
): Promise<Page<CommandStatus>> {
  const { store, outcomes } = deps;
  const list: PagedList<ListedCommand & { shown: CommandStatus }> = {
    clientId,
    list: productLogin === undefined ? ['commands'] : ['commands', productLogin],
    authorise: async () => productLogin !== undefined && deps.authorise(clientId, productLogin),
    async read(position, limit) {
      // Before the reading: an outcome that is written meanwhile may be missing in the rows that are read.
      const unsaved = outcomes.allLatest();
      const after = position === undefined ? undefined : parsed(position);
      const rows =
        productLogin === undefined
          ? await store.commandsOf(clientId, after, limit)
          : await store.commandsTo(productLogin, clientId, after, limit);
      // Fewer than the limit end the list, and all that follow are older.
      const asked = rows.filter(({ acceptedAtMs }) => acceptedAtMs >= sinceMs);
      return asked.map((row) => {
        const shown = shownStatus(row, outcomes.latest(row.commandId), unsaved.get(row.commandId));
        return { associated: true, ...row, shown };
      });
    },
    positionOf: ({ acceptedAtMs, commandId }) => `${acceptedAtMs} ${commandId}`,
  };
  return pageOf(deps, list, query, ({ associated, shown }) => (associated ? shown : undefined));
}

/** A position that this list has given. */
function parsed(position: string): CommandPosition {
  const [acceptedAtMs, commandId = ''] = position.split(' ');
  return { acceptedAtMs: Number(acceptedAtMs), commandId };
}
