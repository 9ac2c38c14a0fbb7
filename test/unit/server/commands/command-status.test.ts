import { expect, test } from '@jest/globals';
import { commandStatus } from '@relaygate/server/commands/command-status';
import type { CommandView, OutcomeRecord } from '@relaygate/server/commands/command-store';

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
])('shows %s', async (_what, before, inRow, after, shown) => {
  let isRead = false;
  const store = {
    async findCommand() {
      isRead = true;
      return { ...ROW, outcome: inRow };
    },
    isAssociated: async () => true,
  };
  const latest = (): OutcomeRecord | undefined => {
    const now = isRead ? after : before;
    return now === null ? undefined : outcomeOf(now);
  };
  expect((await commandStatus(store, { latest }, 'app', 'c')).outcome).toBe(shown);
});
