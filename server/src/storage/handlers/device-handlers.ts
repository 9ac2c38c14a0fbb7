import { MAX_HISTORIES_PER_PRODUCT, RECENTLY_LINKED_MS, RelaygateError } from '@relaygate/shared';
import { type DeviceHistoryStore, historyRecord, newEntries } from '../../audit/device-history';
import { deviceEnrolled, deviceReplaced, deviceRevoked } from '../../devices/device-entries';
import type { DeviceStore } from '../../devices/device-store';
import type { ObservedState } from '../../devices/frame-version';
import { withInstance } from '../../devices/link-instances';
import type { ProductStore } from '../../products/product-store';
import type { ReadHandlers, SqlValue, WriteContext, WriteHandlers } from '../sql';

/** A product's device: its enrolment, its link and what it reports. */
export const deviceReads = {
  async revocationCount(sql) {
    return (await sql.get<{ revocation: number }>(LAST_REVOCATION))?.revocation ?? 0;
  },

  async revokedSince(sql, revocation) {
    const rows = await sql.all<{ productLogin: string }>(REVOKED_SINCE, revocation);
    return rows.map(({ productLogin }) => productLogin);
  },
} satisfies ReadHandlers<DeviceStore>;

export const deviceWrites = {
  async enrolDevice({ sql, audit, revise }, productLogin, publicKey, enrolmentHash, atMs) {
    // A wrong code, which a stranger may try as often as he likes, writes nothing.
    const isAwaited = (await sql.get(AWAITS_DEVICE, productLogin, enrolmentHash)) !== undefined;
    if (isAwaited && (await sql.run(PIN_KEY, publicKey, productLogin, enrolmentHash, ...(await revise()))) > 0) {
      await audit(deviceEnrolled(productLogin, publicKey, atMs));
      return true;
    }
    return (await sql.get(IS_PINNED, publicKey, productLogin, enrolmentHash)) !== undefined;
  },

  async revokeDevice({ sql, audit, revise }, productLogin, enrolmentHash, atMs) {
    const revision = await revise();
    await sql.lock('device revocations');
    const pinned = await sql.get<{ devicePublicKey: string | null }>(LOCK_PIN, productLogin);
    if (!pinned) return false;
    await sql.send(REVOKE, enrolmentHash, productLogin, ...revision);
    await sql.send(NOTE_REVOCATION, productLogin, atMs);
    await audit(deviceRevoked(productLogin, pinned.devicePublicKey, atMs));
    return true;
  },

  async openLink({ sql, audit, revise }, productLogin, { publicKey, bootId, agentVersion, instanceId, atMs, node }) {
    const revision = await revise();
    if (node !== undefined && !(await sql.get(HAS_LEASE, node))) {
      throw new RelaygateError('unknown', "The node's lease is over.");
    }
    const link = [atMs, bootId, agentVersion] as const;
    const opened = await sql.get<OpenedRow>(OPEN_LINK, productLogin, publicKey, ...link, ...revision, node ?? null);
    if (!opened) return undefined;
    const { instances, isBack } = withInstance(JSON.parse(opened.linkInstances), instanceId);
    await sql.send(KEEP_INSTANCES, productLogin, JSON.stringify(instances), isBack ? atMs : null);
    if (isBack) await audit(deviceReplaced(productLogin, opened.linkEpoch, atMs));
    return opened.linkEpoch;
  },

  async closeLink({ sql, revise }, productLogin, epoch, atMs) {
    await sql.send(CLOSE_LINK, productLogin, epoch, atMs, ...(await revise()));
  },

  async settleLink({ sql, revise }, productLogin, held, seenAtMs, node) {
    const revision = await revise();
    if (!held) {
      if (node === undefined) await sql.send(CLOSE_ANY_LINK, productLogin, seenAtMs, ...revision);
      else await sql.send(CLOSE_OWN_LINK, productLogin, seenAtMs, ...revision, node);
      return;
    }
    const { epoch, publicKey, atMs, bootId, agentVersion } = held;
    const link = [productLogin, publicKey, epoch, atMs, bootId, agentVersion, ...revision] as const;
    const again =
      node === undefined ? await sql.run(HOLD_AGAIN, ...link) : await sql.run(HOLD_OWN_AGAIN, ...link, node);
    if (again === 0) await sql.send(SEEN_BEFORE_REVOKED, productLogin, epoch, atMs, ...revision);
  },

  closeAllLinks: (context) => closeLinksWhere(context, { which: 'connected = 1' }),

  async saveReport(context, productLogin, epoch, { outputs, inputs, faults, observedAtMs: atMs, seq, repeated }) {
    const { sql, revise } = context;
    const isHeld = repeated?.faults
      ? (await sql.get(IS_HELD, productLogin, epoch)) !== undefined
      : (await sql.run(SAVE_FAULTS, JSON.stringify(faults), productLogin, epoch, ...(await revise()))) > 0;
    if (!isHeld) return false;
    if (!repeated?.noInputs) {
      const frame = [epoch, seq] as const;
      await sql.send(SAVE_INPUTS, productLogin, JSON.stringify(inputs), atMs, ...frame, ...(await revise()));
    }
    for (const { name, mode, state, pulseMs, confirmedBy = 'readback', lockedForMs, numOutput } of outputs) {
      if (!repeated?.settingsOf.includes(numOutput)) {
        const lockedUntilMs = lockedForMs === undefined ? null : atMs + lockedForMs;
        const settings = [name, mode, pulseMs, confirmedBy, lockedUntilMs] as const;
        await sql.send(SAVE_SETTINGS, ...settings, productLogin, numOutput, ...(await revise()), epoch);
      }
      await saveObservedState(context, productLogin, { numOutput, state, version: { epoch, seq } }, atMs);
    }
    return true;
  },

  async keepHistory({ sql, audit }, productLogin, epoch, history) {
    if ((await sql.run(LOCK_LINK, productLogin, epoch)) === 0) return undefined;
    const { historyId, atMs } = history;
    const kept = (await sql.get<{ lastSeq: number }>(KEPT_SEQ, productLogin, historyId))?.lastSeq ?? 0;
    const entries = newEntries(history.entries, kept);
    const last = entries.at(-1);
    if (!last) return kept;
    await sql.send(KEEP_SEQ, productLogin, historyId, last.seq);
    await sql.send(SUPERSEDE_OTHERS, productLogin, historyId, atMs);
    await sql.send(FORGET_HISTORIES, productLogin, MAX_HISTORIES_PER_PRODUCT);
    for (const entry of entries) await audit(historyRecord(productLogin, historyId, entry, atMs));
    return last.seq;
  },
} satisfies WriteHandlers<DeviceStore & Pick<ProductStore, 'revokeDevice'> & DeviceHistoryStore>;

/**
 * The nodes before did not see these links go down. `which`: a condition of products, with its parameters from $3 on. `lostAtMs`: when
 * they did, if that is known.
 */
export async function closeLinksWhere(
  { sql, revise }: Pick<WriteContext, 'sql' | 'revise'>,
  links: { which: string; lostAtMs?: string },
  ...parameters: SqlValue[]
): Promise<void> {
  // Closed and counted by one statement: a link may open meanwhile.
  await revise(await sql.run(closingWhere(links), ...(await revise(0)), ...parameters));
}

/** Null: the device does not know it. */
type ReportedState = Omit<ObservedState, 'state'> & Record<'state', ObservedState['state'] | null>;

/** Writes an output's state, unless a newer frame's is there already: writes are retried, and overtake each other. */
export async function saveObservedState(
  { sql, revise }: Pick<WriteContext, 'sql' | 'revise'>,
  productLogin: string,
  { numOutput, state, version }: ReportedState,
  atMs: number,
): Promise<void> {
  const frame = [version.epoch, version.seq] as const;
  await sql.send(SAVE_STATE, productLogin, numOutput, state, atMs, ...frame, ...(await revise()));
}

interface OpenedRow {
  linkEpoch: number;
  /** Those before this link. */
  linkInstances: string;
}

const LAST_REVOCATION = 'SELECT COALESCE(MAX(revocation), 0) AS revocation FROM device_revocations';
const REVOKED_SINCE = 'SELECT DISTINCT product_login FROM device_revocations WHERE revocation > $1';

const PIN_KEY = `UPDATE products SET device_public_key = $1, revised_by = $4, revision = $5
  WHERE product_login = $2 AND enrolment_hash = $3 AND device_public_key IS NULL`;
const AWAITS_DEVICE = `SELECT 1 AS one FROM products
  WHERE product_login = $1 AND enrolment_hash = $2 AND device_public_key IS NULL`;
const IS_PINNED = `SELECT 1 AS one FROM products
  WHERE device_public_key = $1 AND product_login = $2 AND enrolment_hash = $3`;
/** Changes nothing: an enrolment at the same time waits here, so that the key is the one that is revoked. */
const LOCK_PIN = 'UPDATE products SET connected = connected WHERE product_login = $1 RETURNING device_public_key';
/** Joins the node that has the product and a lease. */
export const WITH_OWNER = 'LEFT JOIN nodes ON instance = link_node AND lease_until_ms > now_ms()';
export const RECENTLY_LOST = `lost_at_ms BETWEEN now_ms() - ${RECENTLY_LINKED_MS} AND now_ms() + ${RECENTLY_LINKED_MS}`;
/** The time of the last report on the link, for links whose end nobody saw. */
export const LAST_REPORTED = `COALESCE((
    SELECT observed_at_ms FROM outputs
    WHERE outputs.product_login = products.product_login AND heard_epoch = products.held_epoch
    ORDER BY heard_turn DESC LIMIT 1
  ), last_seen_at_ms)`;
/** The epoch goes up here too, so that frames of the revoked device's link count as superseded (I12, I13). */
const REVOKE = `UPDATE products SET
    device_public_key = NULL,
    enrolment_hash = $1,
    link_epoch = link_epoch + 1,
    held_epoch = link_epoch + 1,
    last_seen_at_ms = CASE WHEN connected = 1 THEN ${LAST_REPORTED} ELSE last_seen_at_ms END,
    connected = 0,
    link_instances = '[]',
    replaced_at_ms = NULL,
    revised_by = $3,
    revision = $4
  WHERE product_login = $2`;
const NOTE_REVOCATION = `INSERT INTO device_revocations (revocation, product_login, revoked_at_ms)
  SELECT COALESCE(MAX(revocation), 0) + 1, $1, $2 FROM device_revocations`;

const HAS_LEASE = 'SELECT 1 AS one FROM nodes WHERE instance = $1 AND lease_until_ms > now_ms()';
const OPEN_LINK = `UPDATE products SET
    link_epoch = link_epoch + 1,
    held_epoch = link_epoch + 1,
    connected = 1,
    last_seen_at_ms = $3,
    boot_id = $4,
    agent_version = $5,
    revised_by = $6,
    revision = $7,
    link_node = $8
  WHERE product_login = $1 AND device_public_key = $2
  RETURNING link_epoch, link_instances`;
/** It gives no revision: OPEN_LINK has given the row one. */
const KEEP_INSTANCES = `UPDATE products SET link_instances = $2, replaced_at_ms = COALESCE($3, replaced_at_ms)
  WHERE product_login = $1`;
/** The link of a revoked device is shown as down already. */
const CLOSE_LINK = `UPDATE products SET connected = 0, lost_at_ms = now_ms(), last_seen_at_ms = $3, revised_by = $4, revision = $5
  WHERE product_login = $1 AND (
    (held_epoch = $2 AND connected = 1)
    OR (held_epoch = $2 + 1 AND connected = 0 AND device_public_key IS NULL))`;
const CLOSE_ANY_LINK = `UPDATE products SET connected = 0, lost_at_ms = now_ms(), last_seen_at_ms = $2, revised_by = $3, revision = $4
  WHERE product_login = $1 AND connected = 1`;
const CLOSE_OWN_LINK = `${CLOSE_ANY_LINK} AND link_node = $5`;
/** A revoked device's link stays superseded (I13). */
const HOLD_AGAIN = `UPDATE products SET
    held_epoch = $3,
    connected = 1,
    last_seen_at_ms = $4,
    boot_id = $5,
    agent_version = $6,
    revised_by = $7,
    revision = $8
  WHERE product_login = $1 AND device_public_key = $2 AND held_epoch > $3`;
const HOLD_OWN_AGAIN = `${HOLD_AGAIN} AND link_node = $9`;
/** The opening that came to nothing may have heard the device before this link did (I11). */
const SEEN_BEFORE_REVOKED = `UPDATE products SET last_seen_at_ms = $3, revised_by = $4, revision = $5
  WHERE product_login = $1 AND device_public_key IS NULL AND held_epoch > $2 AND last_seen_at_ms < $3`;
const closingWhere = ({
  which,
  lostAtMs = 'lost_at_ms',
}: {
  which: string;
  lostAtMs?: string;
}): string => `UPDATE products SET
    connected = 0,
    lost_at_ms = ${lostAtMs},
    last_seen_at_ms = ${LAST_REPORTED},
    revised_by = $1,
    revision = $2 + numbered.n
  FROM (
    SELECT product_login, ROW_NUMBER() OVER (ORDER BY product_login) - 1 AS n FROM products WHERE ${which}
  ) AS numbered
  WHERE numbered.product_login = products.product_login`;

/** Both find no row if the link is superseded: then nothing of the report is saved (I12). */
const IS_HELD = 'SELECT 1 AS one FROM products WHERE product_login = $1 AND held_epoch = $2';
const SAVE_FAULTS = `UPDATE products SET faults = $1, ${revisedUnless('faults = $1', '$4', '$5')}
  WHERE product_login = $2 AND held_epoch = $3`;
const SAVE_INPUTS = `UPDATE products SET inputs = $2, inputs_observed_at_ms = $3, inputs_epoch = $4, inputs_seq = $5,
    ${revisedUnless('inputs = $2', '$6', '$7')}
  WHERE product_login = $1 AND (inputs_epoch, inputs_seq) <= ($4, $5)`;
const SAME_SETTINGS = `(name, mode, pulse_ms, confirmed_by, locked_until_ms) IS NOT DISTINCT FROM ($1, $2, $3, $4, $5)`;
/** A newer link may have opened since this report's was found to be held: what that one has reported stays (I12). */
const SAVE_SETTINGS = `UPDATE outputs SET name = $1, mode = $2, pulse_ms = $3, confirmed_by = $4, locked_until_ms = $5,
    ${revisedUnless(SAME_SETTINGS, '$8', '$9')}
  WHERE product_login = $6 AND num_output = $7 AND heard_epoch <= $10`;
const SAVE_STATE = `UPDATE outputs SET state = $3, observed_at_ms = $4, heard_epoch = $5, heard_turn = $6,
    ${revisedUnless('state IS NOT DISTINCT FROM $3', '$7', '$8')}
  WHERE product_login = $1 AND num_output = $2 AND (heard_epoch, heard_turn) <= ($5, $6)`;

/** Changes nothing: fails if the link is superseded, and keeps it from being so until the end of the transaction (I12). */
const LOCK_LINK = 'UPDATE products SET held_epoch = held_epoch WHERE product_login = $1 AND held_epoch = $2';
const KEPT_SEQ = 'SELECT last_seq FROM device_histories WHERE product_login = $1 AND history_id = $2';
const KEEP_SEQ = `INSERT INTO device_histories (product_login, history_id, last_seq, turn)
  VALUES ($1, $2, $3, (SELECT COALESCE(MAX(turn), 0) + 1 FROM device_histories WHERE product_login = $1))
  ON CONFLICT (product_login, history_id)
  DO UPDATE SET last_seq = excluded.last_seq, turn = excluded.turn, superseded_at_ms = NULL`;
const SUPERSEDE_OTHERS = `UPDATE device_histories SET superseded_at_ms = $3
  WHERE product_login = $1 AND history_id <> $2 AND superseded_at_ms IS NULL`;
/** I15: a device may invent any number of histories. */
const FORGET_HISTORIES = `DELETE FROM device_histories WHERE product_login = $1 AND turn NOT IN (
    SELECT turn FROM device_histories WHERE product_login = $1 ORDER BY turn DESC LIMIT $2)`;

/** A row that is written again as it is has not changed. */
function revisedUnless(isSame: string, revisedBy: string, revision: string): string {
  return `revised_by = CASE WHEN ${isSame} THEN revised_by ELSE ${revisedBy} END,
    revision = CASE WHEN ${isSame} THEN revision ELSE ${revision} END`;
}
