/** Names and texts from outside that would move a terminal's cursor, or read as other ones. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

const NAME = 'kr\u202eow\u009b2J\u200b';
const SHOWN = 'kr\\u202eow\\u009b2J\\u200b';

/** As an earlier version, or a device, may have left them. */
async function withHostileNames(): Promise<void> {
  await json('client', 'create', '--name', 'Front desk');
  await json('product', 'create', '--outputs', '1', '--login', 'gate');
  const db = openSqlite(join(cli.dataDir, 'relaygate.db'));
  db.prepare('UPDATE clients SET name = ?').run(NAME);
  db.prepare("UPDATE outputs SET name = ?, mode = 'on-off'").run(NAME);
  db.close();
}

test.each([['client list'], ['product show gate']])('%s shows them by their numbers', async (words) => {
  await withHostileNames();
  const { out } = await run(words.split(' '));
  expect(out).toContain(SHOWN);
  expect(out).toMatch(/^[\x20-\x7e\n]+$/);
});

test.each([['client list'], ['product show gate']])('%s --json has them exactly, escaped', async (words) => {
  await withHostileNames();
  const { out } = await run([...words.split(' '), '--json']);
  expect(out).toMatch(/^[\x20-\x7e\n]+$/);
  expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(NAME));
});

test.each(['kr\u202eow', 'a\u009bb', 'a\u200bb'])('a client is not given such a name now', async (name) => {
  const refused = await run(['client', 'create', '--name', name]);
  expectRefusal(refused, 2, 'bad-usage');
  expect(refused.err).toMatch(/^[\x20-\x7e]+$/);
});

test('a complaint shows what was typed by its numbers', async () => {
  await withHostileNames();
  const { err } = await run(['client', 'deactivate', `no ${NAME}`]);
  expect(err).toContain(SHOWN);
  expect(err).toMatch(/^[\x20-\x7e]+$/);
});
