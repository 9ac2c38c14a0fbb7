import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { commandList } from '@relaygate/server/commands/command-list';
import { commandStatus } from '@relaygate/server/commands/command-status';
import type { CommandView, OutcomeRecord } from '@relaygate/server/commands/command-store';
import { Budgets } from '@relaygate/server/limits/budgets';
import { PageCursors } from '@relaygate/server/lists/page-cursor';
import { VirtualClock } from '../../../support/time/virtual-clock';

const ROW: CommandView = {
  commandId: 'c',
  productLogin: 'gate',
  clientId: 'app',
  numOutput: 0,
  action: 'toggle',
  state: null,
  acceptedAtMs: 0,
  outcome: 'pending',
  reason: null,
  resolvedAtMs: null,
};
const outcomeOf = (outcome: OutcomeRecord['outcome']): OutcomeRecord => {
  return { commandId: 'c', productLogin: 'gate', outcome, reason: null, resolvedAtMs: 1, observed: null };
};

test.each<[string, OutcomeRecord['outcome'] | null, CommandView['outcome'], OutcomeRecord['outcome'] | null, string]>([
  ['the row, if nothing waits to be written', null, 'executed', null, 'executed'],
  ['what waits to be written, rather than the row', 'executed', 'pending', 'executed', 'executed'],
  ['what was written after the row was read', 'executed', 'pending', null, 'executed'],
  ['the row, if it knows more than what was just written', 'unknown', 'confirmed-late', null, 'confirmed-late'],
])('shows %s, alone and in a list', async (_what, before, inRow, after, shown) => {
  let isRead = false;
  const store = {
    async findCommand() {
      isRead = true;
      return { ...ROW, outcome: inRow };
    },
    async commandsOf() {
      isRead = true;
      return [{ ...ROW, outcome: inRow, associated: true }];
    },
    commandsTo: async () => [],
    isAssociated: async () => true,
  };
  const latest = (): OutcomeRecord | undefined => {
    const now = isRead ? after : before;
    return now === null ? undefined : outcomeOf(now);
  };
  expect((await commandStatus(store, { latest }, 'app', 'c')).outcome).toBe(shown);

  isRead = false;
  const allLatest = () => new Map([latest()].flatMap((known) => (known ? [['c', known]] : [])));
  const paging = { cursors: new PageCursors(createSecretKey(Buffer.alloc(32))), authorise: async () => {} };
  const budgets = Budgets.perMinute(new VirtualClock(), 10);
  const deps = { ...paging, budgets, store, outcomes: { latest, allLatest } };
  const { items } = await commandList(deps, { clientId: 'app' }, { sinceMs: undefined });
  expect(items.map(({ outcome }) => outcome)).toEqual([shown]);
});
