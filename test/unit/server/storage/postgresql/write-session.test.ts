import { expect, test } from '@jest/globals';
import { GroupCommit } from '@relaygate/server/storage/group-commit';
import type { Session } from '@relaygate/server/storage/postgresql/session';
import { writeConnection } from '@relaygate/server/storage/postgresql/write-session';
import { RelaygateError } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { client } from '../../../../contract/storage/samples';

test('behind a BEGIN that was cancelled nothing is changed: each statement would be a transaction of its own', async () => {
  const asked: string[] = [];
  const session = {
    async ask(text: string) {
      asked.push(text);
      if (text === 'BEGIN') throw new RelaygateError('storage-unavailable', 'canceling statement due to user request');
      return { members: [], rows: [], count: 1, command: 'SELECT' };
    },
  } as unknown as Session;
  const group = new GroupCommit(writeConnection({ within: async () => session }, systemClock), 'node-1', () => 0);
  group.add([{ id: 1, write: { name: 'createClient', args: [client('app')] }, deadlineMs: 1 }]);
  expect(await group.run()).toEqual([expect.objectContaining({ ok: false, code: 'storage-unavailable' })]);
  expect(asked.filter((text) => !/^(BEGIN|SELECT|ROLLBACK)/.test(text))).toEqual([]);
});
