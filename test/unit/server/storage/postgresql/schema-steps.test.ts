import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { STEPS, usableFrom } from '@relaygate/server/storage/postgresql/schema';
import { ROOT } from '../../../../support/processes/program';

/** What programs of the version before do not notice. */
const ADDS =
  /^(CREATE (UNLOGGED )?TABLE|CREATE INDEX|CREATE FUNCTION|ALTER TABLE \w+ ADD COLUMN (?!.*\bNOT NULL(?!.* DEFAULT)))/;
const FUNCTION_BODY = /\$body\$.*?\$body\$/gs;

test('a step with which the version before cannot go on says so, and all others only add', () => {
  const statements = (sql: string) =>
    sql
      .replace(FUNCTION_BODY, '')
      .split(';')
      .map((one) => one.trim());
  STEPS.forEach(({ sql, usableFrom: from }, n) => {
    if (n === 0) return;
    const isFirstRow = (one: string) => sql.includes(`CREATE TABLE ${/^INSERT INTO (\w+)/.exec(one)?.[1]} `);
    const others = statements(sql).filter((one) => one !== '' && !isFirstRow(one));
    if (from === undefined) for (const one of others) expect(one).toMatch(ADDS);
    else expect(from).toBeLessThanOrEqual(n + 1);
  });
  expect('ALTER TABLE products ADD COLUMN later TEXT NOT NULL').not.toMatch(ADDS);
  expect(usableFrom(STEPS)).toBeLessThanOrEqual(STEPS.length);
});

test('no statement takes all columns of a table, which a step may add one to while it is prepared', () => {
  const all = /\b(SELECT|RETURNING)\s+(\w+\.)?\*(?!\s+FROM \()/;
  const folder = join(ROOT, 'server/src/storage');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(30);
  expect(sources.filter((file) => all.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
  expect('SELECT * FROM products').toMatch(all);
});
