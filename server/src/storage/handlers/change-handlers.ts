import type { Change, ChangeStore, CommandChange, OutputChange, ProductChange } from '../../changes/change';
import type { Cursor } from '../../changes/cursor';
import type { Flag, ReadHandlers, Sql } from '../sql';
import { type InputColumns, inputRecords } from './product-handlers';

interface Head {
  writer: number;
  revision: number;
}

type Revised<Row> = Row & Pick<Change, 'revisedBy' | 'revision'>;
type CommandRow = Revised<Omit<CommandChange, 'kind'>>;
type OutputRow = Revised<Omit<OutputChange, 'kind' | 'activated'> & { activated: Flag }>;
type ProductFlags = 'activated' | 'enrolled' | 'connected';
type ProductRow = Revised<
  Omit<ProductChange, 'kind' | 'faults' | 'inputs' | ProductFlags> &
    Record<ProductFlags, Flag> & { faults: string } & InputColumns
>;

export const changeReads = {
  changeCursor,

  /**
   * The heads come first, and nothing beyond them is read: each statement sees other commits, and what is committed between two
   * of them must not move the cursor past what the first one could not see.
   */
  async changesSince(sql, cursor, limit) {
    const behind = new Map(cursor);
    const changes: Change[] = [];
    for (const [writer, head] of await changeCursor(sql)) {
      const known = cursor.get(writer) ?? 0;
      if (known === head) continue;
      // A cursor beyond the head is from another database: the listener gets all changes of this writer.
      const seen = known < head ? known : 0;
      const found = await changesOf(sql, limit, writer, seen, head);
      changes.push(...found);
      behind.set(writer, found[limit - 1]?.revision ?? head);
    }
    return { changes, cursor: behind };
  },
} satisfies ReadHandlers<Pick<ChangeStore, 'changeCursor' | 'changesSince'>>;

export async function changeCursor(sql: Sql): Promise<Cursor> {
  const heads = await sql.all<Head>(HEADS);
  return new Map(heads.map(({ writer, revision }) => [writer, revision]));
}

/** The oldest of one writer, in their order. */
async function changesOf(
  sql: Sql,
  limit: number,
  ...range: [writer: number, after: number, upTo: number]
): Promise<Change[]> {
  const [commands, outputs, products] = [
    await sql.all<CommandRow>(COMMANDS, ...range, limit),
    await sql.all<OutputRow>(OUTPUTS, ...range, limit),
    await sql.all<ProductRow>(PRODUCTS, ...range, limit),
  ];
  const all: Change[] = [
    ...commands.map((row): Change => ({ kind: 'command', ...row })),
    ...outputs.map((row): Change => ({ kind: 'output', ...row, activated: row.activated === 1 })),
    ...products.map(productChange),
  ];
  return all.sort((one, other) => one.revision - other.revision).slice(0, limit);
}

function productChange({ inputs, inputsObservedAtMs, ...row }: ProductRow): Change {
  const flags = { activated: row.activated === 1, enrolled: row.enrolled === 1, connected: row.connected === 1 };
  return {
    kind: 'product',
    ...row,
    ...flags,
    faults: JSON.parse(row.faults),
    inputs: inputRecords({ inputs, inputsObservedAtMs }),
  };
}

const HEADS = 'SELECT writer, revision FROM revision_writers WHERE revision > 0 ORDER BY writer';
const COMMANDS = `SELECT commands.revised_by, commands.revision, command_id, product_login, actor_id AS client_id, num_output,
    action, asked_state AS state, accepted_at_ms, outcome, reason, resolved_at_ms
  FROM commands JOIN products ON products.product_id = commands.product_id ${revisedIn('commands')}`;
const OUTPUTS = `SELECT revised_by, revision, product_login, num_output, activated, name, mode, state, pulse_ms,
    observed_at_ms, confirmed_by, locked_until_ms
  FROM outputs ${revisedIn('outputs')}`;
const PRODUCTS = `SELECT revised_by, revision, product_login, activated,
    CASE WHEN device_public_key IS NULL THEN 0 ELSE 1 END AS enrolled, connected, last_seen_at_ms, agent_version, faults,
    replaced_at_ms, inputs, inputs_observed_at_ms
  FROM products ${revisedIn('products')}`;

function revisedIn(table: string): string {
  return `WHERE ${table}.revised_by = $1 AND ${table}.revision > $2 AND ${table}.revision <= $3
  ORDER BY ${table}.revision LIMIT $4`;
}
