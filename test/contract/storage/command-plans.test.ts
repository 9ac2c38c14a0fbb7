import { expect, test } from '@jest/globals';
import { GroupCommit, inlineWriter, SerialQueue } from '@relaygate/server/storage/group-commit';
import type { WriteConnection } from '@relaygate/server/storage/sql';
import { type Bind, methodsOf, type WriteContext } from '@relaygate/server/storage/sql';
import { IN_MEMORY, openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { READS, type Storage, WRITES, type WriteName } from '@relaygate/server/storage/storage';
import { command, NOW_MS, outcome, withLinkedGate } from './samples';

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
  await storage.openCommands('gate', 5);
  await storage.pendingCommands(5);
  await storage.interruptCommands(['c1'], NOW_MS);
  await storage.interruptPending(NOW_MS);
  for (const what of ['openCommands', 'commands'] as const)
    await storage.removeOld(what, { beforeMs: NOW_MS, nowMs: NOW_MS, afterId: 0, limit: 5 });
  await storage.recordOutcome(outcome('c1'));
  await storage.changesSince(new Map(), 10);

  const plans = [...texts]
    .filter((text) => /\bcommands\b/.test(text))
    .flatMap((text) => {
      const rows = db.prepare(`EXPLAIN QUERY PLAN ${text.replace(/\$\d+/g, 'NULL')}`).all() as { detail: string }[];
      return rows.map(({ detail }) => detail).filter((detail) => /\bcommands\b/.test(detail));
    });
  db.close();
  expect(plans.length).toBeGreaterThanOrEqual(7);
  expect(
    plans.filter(
      (plan) =>
        !/ USING ((COVERING )?INDEX (commands_(open|by_revision|by_idempotency_key)|sqlite_autoindex_commands_1)|INTEGER PRIMARY KEY) /.test(
          plan,
        ),
    ),
  ).toEqual([]);
});
