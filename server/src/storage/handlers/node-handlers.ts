import { INTERRUPTED_BY_END } from '../../commands/command-entries';
import { LEASE_MS } from '../../nodes/node-lease';
import type { NodeStore, OwnedLink } from '../../nodes/node-store';
import type { Flag, ReadHandlers, WriteContext, WriteHandlers } from '../sql';
import { changeCursor } from './change-handlers';
import { HOLDS_SLOT, interrupt } from './command-handlers';
import { closeLinksWhere, LAST_REPORTED, RECENTLY_LOST, WITH_OWNER } from './device-handlers';

interface OwnerRow {
  nodeName: string | null;
  epoch: number;
  isConnected: Flag;
  isWorthWaiting: Flag;
  isSlotTaken: Flag;
}

type OwnedLinkRow = Omit<OwnedLink, 'isConnected'> & { isConnected: Flag };

/** The nodes of the database, and whose each product is. */
export const nodeReads = {
  hasDeadNodes: async (sql) => (await sql.get(DEAD)) !== undefined,

  async livingNodes(sql) {
    return (await sql.all<{ name: string }>(LIVING)).map(({ name }) => name);
  },

  async productOwner(sql, productLogin, asker) {
    const row = await sql.get<OwnerRow>(OWNER, productLogin, asker);
    return (
      row && {
        ...row,
        isConnected: row.isConnected === 1,
        isWorthWaiting: row.isWorthWaiting === 1,
        isSlotTaken: row.isSlotTaken === 1,
      }
    );
  },

  /** As `changesSince`: nothing beyond the heads is read, which come first. */
  async linksSince(sql, cursor) {
    const heads = await changeCursor(sql);
    const links: OwnedLink[] = [];
    for (const [writer, head] of heads) {
      const known = cursor.get(writer) ?? 0;
      if (known === head) continue;
      const rows = await sql.all<OwnedLinkRow>(LINKS, writer, known < head ? known : 0, head);
      links.push(...rows.map((row) => ({ ...row, isConnected: row.isConnected === 1 })));
    }
    return { links, cursor: heads };
  },
} satisfies ReadHandlers<NodeStore>;

export const nodeWrites = {
  async joinNodes(context, { name, instance, secrets }, leaseMs, atMs) {
    const { sql } = context;
    await beginAlone(context);
    await sql.send(BOUND_LEASES);
    await sql.send(REMOVE_DEAD);
    const isTaken = (await sql.get(OF_NAME, name)) !== undefined;
    const isStrange = (await sql.get(OF_OTHER_SECRETS, secrets)) !== undefined;
    if (!isTaken && !isStrange) await sql.send(ADD, instance, name, leaseMs, secrets);
    await endOrphans(context, atMs);
    if (isTaken) return 'name-taken';
    return isStrange ? 'other-secrets' : 'joined';
  },

  async renewLease({ sql }, instance, leaseMs) {
    await sql.send(BOUND_LEASES);
    return (await sql.run(RENEW, instance, leaseMs)) > 0;
  },

  async leaveNodes(context, instance, atMs) {
    await beginAlone(context);
    await context.sql.send(REMOVE, instance);
    await closeLinksWhere(context, OPEN_LINK_OF, instance);
    await endOrphans(context, atMs);
  },

  async endDeadNodes(context, atMs) {
    await beginAlone(context);
    await context.sql.send(REMOVE_DEAD);
    await endOrphans(context, atMs);
  },

  async claimProduct({ sql, revise }, productLogin, instance) {
    await sql.send(CLAIM, productLogin, instance, ...(await revise()));
  },
} satisfies WriteHandlers<NodeStore>;

/** Nobody else joins or ends nodes meanwhile. */
async function beginAlone({ sql, revise }: Pick<WriteContext, 'sql' | 'revise'>): Promise<void> {
  await revise(0);
  await sql.lock('nodes');
}

/** Links and pending commands of nodes that are not listed any more, or of a server that ran alone. */
async function endOrphans(context: WriteContext, atMs: number): Promise<void> {
  await closeLinksWhere(context, ORPHANED_LINK);
  const pending = await context.sql.all<{ commandId: string }>(ORPHANED_COMMANDS);
  const commandIds = pending.map(({ commandId }) => commandId);
  await interrupt(context, commandIds, INTERRUPTED_BY_END, atMs);
}

const DEAD = 'SELECT instance FROM nodes WHERE lease_until_ms <= now_ms() LIMIT 1';
const REMOVE_DEAD = 'DELETE FROM nodes WHERE lease_until_ms <= now_ms()';
/** If the clock has gone back, or a standby whose clock is behind is the database now, a lease ends a whole one later at most. */
const BOUND_LEASES = `UPDATE nodes SET lease_until_ms = now_ms() + ${LEASE_MS} WHERE lease_until_ms > now_ms() + ${LEASE_MS}`;
const REMOVE = 'DELETE FROM nodes WHERE instance = $1';
const OF_NAME = 'SELECT 1 AS one FROM nodes WHERE name = $1';
const LIVING = 'SELECT name FROM nodes WHERE lease_until_ms > now_ms() ORDER BY name';
const OF_OTHER_SECRETS = 'SELECT 1 AS one FROM nodes WHERE secrets <> $1 LIMIT 1';
const ADD = 'INSERT INTO nodes (instance, name, lease_until_ms, secrets) VALUES ($1, $2, now_ms() + $3, $4)';
const RENEW = `UPDATE nodes SET lease_until_ms = now_ms() + $2 WHERE instance = $1 AND lease_until_ms > now_ms()`;

/** They end at this moment. */
const OPEN_LINK_OF = { which: 'connected = 1 AND link_node = $3', lostAtMs: 'now_ms()' };
const ORPHANED_LINK = { which: 'connected = 1 AND NOT EXISTS (SELECT 1 FROM nodes WHERE instance = link_node)' };
const ORPHANED_COMMANDS = `SELECT command_id FROM commands
  WHERE open = 1 AND outcome = 'pending' AND NOT EXISTS (SELECT 1 FROM nodes WHERE instance = node) ORDER BY id`;

const OWNER = `SELECT nodes.name AS node_name, held_epoch AS epoch, connected AS is_connected,
    CASE WHEN (connected = 1 AND instance IS NOT NULL) OR ${RECENTLY_LOST} THEN 1 ELSE 0 END AS is_worth_waiting,
    CASE WHEN EXISTS (
      SELECT 1 FROM commands
      WHERE commands.product_id = products.product_id AND open = 1 AND outcome IN ('pending', 'unknown')
        AND node <> $2 AND ${HOLDS_SLOT}
    ) THEN 1 ELSE 0 END AS is_slot_taken
  FROM products ${WITH_OWNER}
  WHERE product_login = $1`;
/** The epoch goes up, so that nothing counts any more that the owner before still hears (I12). */
const CLAIM = `UPDATE products SET
    link_node = $2,
    link_epoch = link_epoch + 1,
    held_epoch = link_epoch + 1,
    last_seen_at_ms = CASE WHEN connected = 1 THEN ${LAST_REPORTED} ELSE last_seen_at_ms END,
    connected = 0,
    revised_by = $3,
    revision = $4
  WHERE product_login = $1
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE instance = link_node AND lease_until_ms > now_ms())
    AND EXISTS (SELECT 1 FROM nodes WHERE instance = $2 AND lease_until_ms > now_ms())`;
/** The last epoch that was drawn: the one that is held may go back, when an opening came to nothing. */
const LINKS = `SELECT product_login, link_epoch AS epoch, link_node AS node, connected AS is_connected FROM products
  WHERE revised_by = $1 AND revision > $2 AND revision <= $3`;
