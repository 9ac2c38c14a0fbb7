import { IDEMPOTENCY_ANEW_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import {
  commandEntry,
  INTERRUPTED_BY_END,
  type Interruption,
  interruptedEntry,
  outcomeEntry,
  staysOpen,
} from '../../commands/command-entries';
import type {
  AskedCommand,
  CommandPosition,
  CommandStore,
  CommandView,
  Idempotency,
  KeyedCommand,
  ListedCommand,
  OpenCommand,
  OutcomeRecord,
} from '../../commands/command-store';
import { allOf, type Flag, type ReadHandlers, type Transaction, type WriteContext, type WriteHandlers } from '../sql';
import { RECENTLY_LOST, saveObservedState, WITH_OWNER } from './device-handlers';

interface AccessRow {
  activated: Flag;
  clientActive: Flag | null;
  clientName: string | null;
  associated: Flag;
  outputActivated: Flag | null;
  deviceEnrolled: Flag;
  nodeName: string | null;
  epoch: number;
  isWorthWaiting: Flag;
}

type ListedRow = Omit<ListedCommand, 'associated'> & { associated: Flag };
type InterruptedRow = Pick<OutcomeRecord, 'commandId' | 'productLogin'>;

export const commandReads = {
  async readAccess(sql, clientId, productLogin, numOutput) {
    const row = await sql.get<AccessRow>(ACCESS, numOutput, clientId, productLogin);
    if (!row) return undefined;
    const { nodeName, epoch } = row;
    return {
      clientActive: row.clientActive === 1,
      clientName: row.clientName ?? undefined,
      associated: row.associated === 1,
      productActivated: row.activated === 1,
      outputActivated: row.outputActivated === null ? undefined : row.outputActivated === 1,
      deviceEnrolled: row.deviceEnrolled === 1,
      ...(nodeName !== null && { owner: { nodeName, epoch, isWorthWaiting: row.isWorthWaiting === 1 } }),
    };
  },

  findCommand: (sql, commandId) => sql.get<CommandView>(COMMAND, commandId),

  findKeyed: (sql, clientId, key) => sql.get<KeyedCommand>(KEYED, clientId, key),

  async commandsOf(sql, clientId, after, limit) {
    const rows = await sql.all<ListedRow>(COMMANDS_OF_CLIENT, clientId, ...behind(after), limit);
    return rows.map((row) => ({ ...row, associated: row.associated === 1 }));
  },

  commandsTo: (sql, productLogin, clientId, after, limit) =>
    sql.all<CommandView>(COMMANDS_TO_PRODUCT, clientId, ...behind(after), limit, productLogin),

  findOpen: (sql, productLogin, commandId) => sql.get<AskedCommand>(OPEN_COMMAND, commandId, productLogin),

  openCommands: (sql, productLogin, limit) => sql.all<OpenCommand>(OPEN_COMMANDS, productLogin, limit),

  async pendingCommands(sql, limit, node) {
    const rows =
      node === undefined
        ? await sql.all<Pick<OpenCommand, 'commandId'>>(PENDING_COMMANDS, limit)
        : await sql.all<Pick<OpenCommand, 'commandId'>>(PENDING_OF_NODE, limit, node);
    return rows.map(({ commandId }) => commandId);
  },
} satisfies ReadHandlers<CommandStore>;

export const commandWrites = {
  async recordCommand({ sql, audit, revise, productId }, command) {
    const { commandId, productLogin, clientId, numOutput, action, state, acceptedAtMs, bootId, outcome, reason } =
      command;
    const { node, idempotency } = command;
    const keySinceMs = idempotency && (await freeKey(sql, clientId, idempotency));
    if (keySinceMs === TAKEN) return false;
    const isPending = outcome === 'pending';
    const asked = [clientId, numOutput, action, state, acceptedAtMs, isPending ? null : acceptedAtMs, outcome] as const;
    const rest = [...asked, reason, Number(isPending), bootId] as const;
    // Both inserts fail without a product: the column takes no null.
    if (node === undefined) {
      await sql.send(RECORD, commandId, (await productId(productLogin)) ?? null, ...rest, ...(await revise()));
    } else if ((await sql.run(RECORD_OF_NODE, commandId, productLogin, ...rest, ...(await revise()), node)) === 0) {
      // Not a failure, which would cost the whole group a second try: the earlier command gets its key back.
      if (idempotency?.insteadOf && typeof keySinceMs === 'number')
        await sql.send(GIVE_KEY, idempotency.insteadOf, idempotency.key, idempotency.requestHash, keySinceMs);
      return false;
    }
    if (idempotency && keySinceMs !== undefined)
      await sql.send(GIVE_KEY, commandId, idempotency.key, idempotency.requestHash, keySinceMs);
    await audit(commandEntry(command));
    return true;
  },

  recordBoot: async ({ sql }, commandId, bootId) => (await sql.run(SEND_TO, bootId, commandId)) > 0,

  async recordOutcome(context, record) {
    const { sql, audit, revise, productId } = context;
    const { commandId, productLogin, outcome, reason, observed, resolvedAtMs } = record;
    // Nothing changes for a command that is not open, nor for the same "unknown" again: a retry after an answer
    // that was lost.
    const isOpen = Number(staysOpen(outcome));
    const ofProduct = (await productId(productLogin)) ?? null;
    const resolved = [outcome, reason, resolvedAtMs, isOpen] as const;
    if ((await sql.run(RESOLVE, commandId, ofProduct, ...resolved, ...(await revise()))) === 0) return false;
    if (observed) await saveObservedState(context, productLogin, observed, resolvedAtMs);
    await audit(outcomeEntry(record));
    return true;
  },

  async interruptPending(context, atMs) {
    const pending = await context.sql.all<Pick<OpenCommand, 'commandId'>>(PENDING);
    const commandIds = pending.map(({ commandId }) => commandId);
    return interrupt(context, commandIds, INTERRUPTED_BY_END, atMs);
  },

  interruptCommands: (context, commandIds, atMs) => interrupt(context, commandIds, LOST, atMs),
} satisfies WriteHandlers<CommandStore>;

/** The key stands for another command, which may have moved something or which nobody has asked to replace. */
const TAKEN = 'taken';

/** The key stands for no command from then on, if it may. Resolves with when it came first; null: now. */
async function freeKey(
  sql: Transaction,
  clientId: string,
  { key, insteadOf }: Idempotency,
): Promise<number | null | typeof TAKEN> {
  if (insteadOf !== null)
    return (await sql.get<{ sinceMs: number }>(FREE_UNMOVED, clientId, key, insteadOf))?.sinceMs ?? TAKEN;
  return (await sql.get(KEYED, clientId, key)) === undefined ? null : TAKEN;
}

/** Without a position, all are behind the last moment that there is. */
function behind(after: CommandPosition | undefined): [acceptedAtMs: number, commandId: string] {
  return [after?.acceptedAtMs ?? Number.MAX_SAFE_INTEGER, after?.commandId ?? ''];
}

/** A start may find thousands: one round trip for so many. */
const INTERRUPTED_AT_ONCE = 250;

/** Those that are pending. Resolves with their number. */
export async function interrupt(
  { sql, audit, revise }: WriteContext,
  commandIds: readonly string[],
  reason: Interruption,
  atMs: number,
): Promise<number> {
  const interrupted: InterruptedRow[] = [];
  for (let from = 0; from < commandIds.length; from += INTERRUPTED_AT_ONCE) {
    const some = commandIds.slice(from, from + INTERRUPTED_AT_ONCE);
    const [writer, first] = await revise(some.length);
    const found = some.map((id, n) => sql.get<InterruptedRow>(INTERRUPT, id, reason, atMs, writer, first + n));
    interrupted.push(...(await allOf(found)).flatMap((command) => command ?? []));
  }
  for (const command of interrupted) await audit(interruptedEntry(command, reason, atMs));
  return interrupted.length;
}

const ACCESS = `SELECT products.activated, clients.active AS client_active, clients.name AS client_name,
    CASE WHEN associations.client_id IS NULL THEN 0 ELSE 1 END AS associated,
    outputs.activated AS output_activated,
    CASE WHEN device_public_key IS NULL THEN 0 ELSE 1 END AS device_enrolled,
    nodes.name AS node_name, held_epoch AS epoch,
    CASE WHEN instance IS NULL THEN 0 WHEN connected = 1 OR ${RECENTLY_LOST} THEN 1 ELSE 0 END AS is_worth_waiting
  FROM products
    LEFT JOIN outputs ON outputs.product_login = products.product_login AND outputs.num_output = $1
    LEFT JOIN clients ON clients.client_id = $2
    LEFT JOIN associations ON associations.client_id = clients.client_id
      AND associations.product_login = products.product_login
    ${WITH_OWNER}
  WHERE products.product_login = $3`;
const MEMBERS = `actor_id AS client_id, num_output, action, asked_state AS state, accepted_at_ms, outcome, reason,
    resolved_at_ms`;
const COMMAND = `SELECT command_id, product_login, ${MEMBERS}
  FROM commands JOIN products ON products.product_id = commands.product_id
  WHERE command_id = $1 AND actor = 'client'`;
const NEWEST_FIRST = 'ORDER BY accepted_at_ms DESC, command_id DESC';
/**
 * The page is cut off by an index alone, and what belongs to it is looked up after that. Nothing else may be
 * asked here: with a lower bound in time, SQLite takes the index of all the client's commands for those to one product, and with
 * `actor`, which the id of a client implies, PostgreSQL expects so few rows that it sorts all of them.
 */
const pageOf = (which: string): string => `(
    SELECT command_id, product_id, actor_id, num_output, action, asked_state, accepted_at_ms, outcome, reason, resolved_at_ms
    FROM commands
    WHERE actor_id = $1 AND (accepted_at_ms, command_id) < ($2, $3) ${which}
    ${NEWEST_FIRST} LIMIT $4
  ) AS page JOIN products ON products.product_id = page.product_id`;
const COMMANDS_OF_CLIENT = `SELECT command_id, products.product_login, ${MEMBERS},
    CASE WHEN associations.client_id IS NULL THEN 0 ELSE 1 END AS associated
  FROM ${pageOf('')}
    LEFT JOIN associations ON associations.client_id = actor_id
      AND associations.product_login = products.product_login
  ${NEWEST_FIRST}`;
const COMMANDS_TO_PRODUCT = `SELECT command_id, product_login, ${MEMBERS}
  FROM ${pageOf('AND product_id = (SELECT product_id FROM products WHERE product_login = $5)')}
  ${NEWEST_FIRST}`;
const OPEN_COMMAND = `SELECT command_id, num_output, action FROM commands
  WHERE command_id = $1 AND open = 1
    AND product_id = (SELECT product_id FROM products WHERE product_login = $2)`;
const OPEN_COMMANDS = `SELECT command_id, boot_id FROM commands
  WHERE open = 1 AND outcome IN ('pending', 'unknown')
    AND product_id = (SELECT product_id FROM products WHERE product_login = $1)
  ORDER BY id DESC LIMIT $2`;

const PENDING = "SELECT command_id FROM commands WHERE open = 1 AND outcome = 'pending' ORDER BY id";
const PENDING_COMMANDS = `${PENDING} LIMIT $1`;
/** Those of the node, and those of nobody who lives. */
const PENDING_OF_NODE = `SELECT command_id FROM commands
  WHERE open = 1 AND outcome = 'pending'
    AND (node = $2 OR NOT EXISTS (SELECT 1 FROM nodes WHERE instance = node AND lease_until_ms > now_ms()))
  ORDER BY id LIMIT $1`;

/**
 * A command has its slot for RESPONSE_DEADLINE_MS. Where the clock has gone back by more than that, it was written before, and holds none.
 */
export const HOLDS_SLOT = `slot_until_ms > now_ms() AND slot_until_ms <= now_ms() + ${2 * RESPONSE_DEADLINE_MS}`;

const RECORDED = `command_id, product_id, actor, actor_id, num_output, action, asked_state,
    accepted_at_ms, resolved_at_ms, outcome, reason, open, boot_id, revised_by, revision`;
const RECORD = `INSERT INTO commands (${RECORDED})
  VALUES ($1, $2, 'client', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
/** True where `refusalOf` finds nothing; both change together. */
const MAY_DRIVE = `EXISTS (
    SELECT 1 FROM products
      JOIN outputs ON outputs.product_login = products.product_login
      JOIN associations ON associations.product_login = products.product_login
      JOIN clients ON clients.client_id = associations.client_id
    WHERE products.product_login = $2 AND num_output = $4 AND clients.client_id = $3
      AND products.activated = 1 AND outputs.activated = 1 AND clients.active = 1
  )`;
/**
 * Inserts nothing unless the client may drive the output (I13). The fence: no product is found, so the insert fails, unless the node
 * owns the product and no command of another node may still be at work there (I6). No lock of a row is needed, because transactions
 * that write run one after the other.
 */
const RECORD_OF_NODE = `INSERT INTO commands (${RECORDED}, node, slot_until_ms)
  SELECT $1, (
    SELECT product_id FROM products
    WHERE product_login = $2 AND link_node = $15 AND NOT EXISTS (
      SELECT 1 FROM commands AS other
      WHERE other.product_id = products.product_id AND other.open = 1 AND other.outcome IN ('pending', 'unknown')
        AND other.node <> $15 AND ${HOLDS_SLOT}
    )
  ), 'client', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, now_ms() + ${RESPONSE_DEADLINE_MS}
  WHERE ${MAY_DRIVE}`;
const KEYED = `SELECT command_id, request_hash, outcome, reason,
    now_ms() - COALESCE(key_since_ms, 0) AS age_ms
  FROM commands
  WHERE actor_id = $1 AND idempotency_key = $2`;
/** Only a command that is over can have moved nothing; whoever asks has looked at its reason. No time runs backwards here. */
const FREE_UNMOVED = `UPDATE commands SET idempotency_key = NULL
  WHERE actor_id = $1 AND idempotency_key = $2 AND command_id = $3 AND open = 0 AND outcome IN ('expired', 'refused')
    AND key_since_ms > now_ms() - ${IDEMPOTENCY_ANEW_MS} AND key_since_ms <= now_ms()
  RETURNING key_since_ms AS since_ms`;
const GIVE_KEY = `UPDATE commands SET idempotency_key = $2, request_hash = $3, key_since_ms = COALESCE($4, now_ms())
  WHERE command_id = $1`;
const SEND_TO = 'UPDATE commands SET boot_id = $1 WHERE command_id = $2 AND open = 1';
const RESOLVE = `UPDATE commands SET outcome = $3, reason = $4, resolved_at_ms = $5, open = $6,
    boot_id = CASE WHEN $6 = 1 THEN boot_id END, revised_by = $7, revision = $8
  WHERE command_id = $1 AND open = 1 AND outcome <> $3 AND product_id = $2`;
const LOST: Interruption = 'outcome-lost';
const INTERRUPT = `UPDATE commands SET outcome = 'unknown', reason = $2, resolved_at_ms = $3, revised_by = $4, revision = $5
  WHERE command_id = $1 AND open = 1 AND outcome = 'pending'
  RETURNING command_id,
    (SELECT product_login FROM products WHERE products.product_id = commands.product_id) AS product_login`;
