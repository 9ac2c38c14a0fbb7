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

test('rows travel in few statements, all of them once and in their order', async () => {
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const session = {
    async ask(text: string, values: readonly unknown[] = []) {
      asked.push({ text, values });
      return { members: [], rows: [[1, 1]], count: 1, command: text };
    },
  } as unknown as Session;
  const connection = writeConnection({ within: async () => session }, systemClock);
  await connection.begin();
  asked.length = 0;
  const rows = Array.from({ length: 19 }, (_, n) => [n, `row ${n}`]);
  await connection.sendRows('INSERT INTO t (a, b) VALUES ($1, $2)', rows);
  expect(asked.map(({ values }) => values.length / 2)).toEqual([16, 2, 1]);
  expect(asked.flatMap(({ values }) => values)).toEqual(rows.flat());
  expect(asked[1]?.text).toBe('INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)');
});
