import { describe, expect, test } from '@jest/globals';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { eventsIn } from '../../support/server/audit-records';
import { firstFault } from './first-fault';
import { withAppAndGate } from './samples';
import { sqliteOnFile } from './sqlite-on-file';
import { storageContract } from './storage-contract';
import { WRITER } from './storage-under-test';

describe('SQLite inline, on a file', () => storageContract(sqliteOnFile(true)));
describe('SQLite inline, in memory', () =>
  storageContract({ open: () => openSqliteStorage({ file: ':memory:', writerName: WRITER, inline: true }) }));

describe.each([[true], [false]])('opened by somebody (inline: %p)', (inline) => {
  const { newFile } = sqliteOnFile(inline);

  test('it names them in each of its audit records', async () => {
    const storage = await openSqliteStorage({ file: newFile(), writerName: WRITER, actor: 'cli as ana', inline });
    await withAppAndGate(storage);
    expect((await eventsIn(storage)).map((row) => row.actor)).toEqual(Array(3).fill('cli as ana'));
    expect(await firstFault(storage)).toBeUndefined();
    await storage.close();
  });
});
