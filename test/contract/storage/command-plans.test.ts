import { expect, test } from '@jest/globals';
import { GroupCommit, inlineWriter, SerialQueue } from '@relaygate/server/storage/group-commit';
import type { WriteConnection } from '@relaygate/server/storage/sql';
import { type Bind, methodsOf, type WriteContext } from '@relaygate/server/storage/sql';
import { IN_MEMORY, openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { READS, type Storage, WRITES, type WriteName } from '@relaygate/server/storage/storage';
import { KEY_TURNS_KEPT } from '@relaygate/server/upkeep/key-release';
import { command, NOW_MS, outcome, withLinkedGate } from './samples';

interface Plan {
  detail: string;
}

/** Of a list, a page is a range of its index: nothing is passed over. */
const OF_LISTS = /INDEX commands_by_client(_and_product)? \(.*\)$/;
const OF_OTHERS =
  /(?<= USING (COVERING )?)(INDEX (commands_(open|by_revision|by_idempotency_key)|sqlite_autoindex_commands_1)|INTEGER PRIMARY KEY) /;
/** The greatest id: one step to the end of the table. */
const ONE_ROW = 'SEARCH commands';

/** Commands are never few for long: each of these runs for every command, every link or every half minute. */
test('no statement goes through all commands, nor through all of a product', async () => {
  const db = openDatabase(IN_MEMORY);
  const texts = new Set<string>();
  const sql = writeSqlOf(db);
  const noted = <Result>(run: (text: string, ...values: never[]) => Promise<Result>) => {
    return (text: string, ...values: never[]) => {
      texts.add(text);
      return run(text, ...values);
    };
  };
  const connection = {
    ...sql,
    get: noted(sql.get),
    all: noted(sql.all),
    run: noted(sql.run),
    send: noted(sql.send),
  } as WriteConnection;
  const writer = inlineWriter(new SerialQueue(), new GroupCommit(connection, 'node-1', () => 0), () => 0, 1_000);
  const storage = {
    ...methodsOf(
      READS,
      (read) =>
        (...args) =>
          read(connection, ...args),
    ),
    ...methodsOf(WRITES, ((_handler, name: WriteName) => writer.execute.bind(writer, name)) as Bind<WriteContext>),
    onCommit: () => {},
    close: async () => {},
    // The audit is not asked.
  } as unknown as Storage;
  await withLinkedGate(storage);
  await storage.recordCommand(command('c1'));
  const idempotency = { key: 'key', requestHash: 'hash', insteadOf: null };
  await storage.recordCommand(command('c2', { idempotency }));
  await storage.recordCommand(command('c3', { idempotency: { ...idempotency, insteadOf: 'c2' } }));
  await storage.findKeyed('app', 'key');
  await storage.recordBoot('c1', 'boot-2');
  await storage.findCommand('c1');
  await storage.findOpen('gate', 'c1');
  for (const after of [undefined, { acceptedAtMs: NOW_MS, commandId: 'c1' }]) {
    await storage.commandsOf('app', after, 5);
    await storage.commandsTo('gate', 'app', after, 5);
  }
  await storage.openCommands('gate', 5);
  await storage.pendingCommands(5);
  await storage.interruptCommands(['c1'], NOW_MS);
  await storage.interruptPending(NOW_MS);
  for (const what of ['openCommands', 'commands'] as const)
    await storage.removeOld(what, { beforeMs: NOW_MS, nowMs: NOW_MS, afterId: 0, limit: 5 });
  for (let turns = 0; turns < 2 * KEY_TURNS_KEPT; turns += 1) await storage.passKeyTurn(turns);
  await storage.releaseKeys(5);
  await storage.recordOutcome(outcome('c1'));
  await storage.changesSince(new Map(), 10);

  const used = new Set<string>();
  const others: string[] = [];
  for (const text of texts) {
    for (const { detail } of db.prepare(`EXPLAIN QUERY PLAN ${text.replace(/\$\d+/g, 'NULL')}`).all() as Plan[]) {
      if (!/\bcommands\b/.test(text) || !/\bcommands\b/.test(detail) || detail === ONE_ROW) continue;
      const [found] = (text.includes('AS page') ? OF_LISTS : OF_OTHERS).exec(detail) ?? [];
      if (found === undefined) others.push(detail);
      else used.add(found);
    }
  }
  db.close();
  expect(others).toEqual([]);
  expect([...used].sort()).toEqual([
    'INDEX commands_by_client (actor_id=? AND (accepted_at_ms,command_id)<(?,?))',
    'INDEX commands_by_client_and_product (product_id=? AND actor_id=? AND (accepted_at_ms,command_id)<(?,?))',
    'INDEX commands_by_idempotency_key ',
    'INDEX commands_by_revision ',
    'INDEX commands_open ',
    'INDEX sqlite_autoindex_commands_1 ',
    'INTEGER PRIMARY KEY ',
  ]);
});
