import type { Database } from 'better-sqlite3';
import { withInstance } from '../devices/link-instances';
import type { AppendAudit } from './audit-chain';
import { observeOutput } from './observe-output';
import type { WriteHandlers } from './storage-write';

interface PinRow {
  publicKey: string | null;
  enrolmentHash: string;
}

/** A product's device: its enrolment, its link and what it reports. */
export function deviceWrites(
  db: Database,
  audit: AppendAudit,
): Pick<
  WriteHandlers,
  'enrolDevice' | 'revokeDevice' | 'openLink' | 'closeLink' | 'settleLink' | 'closeAllLinks' | 'saveReport'
> {
  const pin = db.prepare<[string], PinRow>(
    `SELECT device_public_key AS publicKey, enrolment_hash AS enrolmentHash
     FROM products WHERE product_login = ?`,
  );
  const pinKey = db.prepare('UPDATE products SET device_public_key = ? WHERE product_login = ?');
  // What was last heard of a device on its link, where nobody has seen the link go down.
  const lastHeard = `COALESCE((
         SELECT observed_at_ms FROM outputs
         WHERE outputs.product_login = products.product_login AND heard_epoch = products.held_epoch
         ORDER BY heard_turn DESC LIMIT 1
       ), last_seen_at_ms)`;
  // The epoch goes up here too, so that frames of the revoked device's link count as superseded (I12, I13).
  const revoke = db.prepare(
    `UPDATE products SET
       device_public_key = NULL,
       enrolment_hash = @enrolmentHash,
       link_epoch = link_epoch + 1,
       held_epoch = link_epoch + 1,
       last_seen_at_ms = CASE WHEN connected = 1 THEN ${lastHeard} ELSE last_seen_at_ms END,
       connected = 0,
       link_instances = '[]',
       replaced_at_ms = NULL
     WHERE product_login = @productLogin`,
  );
  const noteRevocation = db.prepare(
    `INSERT INTO device_revocations (revocation, product_login)
     SELECT COALESCE(MAX(revocation), 0) + 1, ? FROM device_revocations`,
  );
  const instancesOf = db.prepare<[string, string], { instances: string }>(
    'SELECT link_instances AS instances FROM products WHERE product_login = ? AND device_public_key = ?',
  );
  const openLink = db.prepare<object, { epoch: number }>(
    `UPDATE products SET
       link_epoch = link_epoch + 1,
       held_epoch = link_epoch + 1,
       connected = 1,
       last_seen_at_ms = @atMs,
       boot_id = @bootId,
       agent_version = @agentVersion,
       link_instances = @instances,
       replaced_at_ms = COALESCE(@replacedAtMs, replaced_at_ms)
     WHERE product_login = @productLogin
     RETURNING link_epoch AS epoch`,
  );
  // That of a revoked device is shown as down already.
  const closeLink = db.prepare(
    `UPDATE products SET connected = 0, last_seen_at_ms = @atMs
     WHERE product_login = @productLogin AND (
       (held_epoch = @epoch AND connected = 1)
       OR (held_epoch = @epoch + 1 AND connected = 0 AND device_public_key IS NULL))`,
  );
  const closeAnyLink = db.prepare(
    'UPDATE products SET connected = 0, last_seen_at_ms = ? WHERE product_login = ? AND connected = 1',
  );
  // A revoked device's link stays superseded (I13).
  const holdAgain = db.prepare(
    `UPDATE products SET
       held_epoch = @epoch,
       connected = 1,
       last_seen_at_ms = @atMs,
       boot_id = @bootId,
       agent_version = @agentVersion
     WHERE product_login = @productLogin AND device_public_key = @publicKey AND held_epoch > @epoch`,
  );
  // The run before did not see its links go down.
  const closeAllLinks = db.prepare(
    `UPDATE products SET connected = 0, last_seen_at_ms = ${lastHeard} WHERE connected = 1`,
  );
  const saveFaults = db.prepare('UPDATE products SET faults = ? WHERE product_login = ? AND held_epoch = ?');
  const saveOutput = db.prepare(
    `UPDATE outputs SET name = ?, mode = ?, pulse_ms = ?, confirmed_by = ?, locked_until_ms = ?
     WHERE product_login = ? AND num_output = ?`,
  );
  const observe = observeOutput(db);

  return {
    enrolDevice(productLogin, publicKey, enrolmentHash, atMs) {
      const pinned = pin.get(productLogin);
      if (pinned?.enrolmentHash !== enrolmentHash) return false;
      if (pinned.publicKey !== null) return pinned.publicKey === publicKey;
      pinKey.run(publicKey, productLogin);
      audit({ kind: 'device-enrolled', atMs, productLogin, details: { publicKey } });
      return true;
    },

    revokeDevice(productLogin, enrolmentHash, atMs) {
      const publicKey = pin.get(productLogin)?.publicKey ?? null;
      if (revoke.run({ productLogin, enrolmentHash }).changes === 0) return false;
      noteRevocation.run(productLogin);
      audit({ kind: 'device-revoked', atMs, productLogin, details: { publicKey } });
      return true;
    },

    openLink(productLogin, { publicKey, bootId, agentVersion, instanceId, atMs }) {
      const known = instancesOf.get(productLogin, publicKey);
      if (!known) return undefined;
      const { instances, isBack } = withInstance(JSON.parse(known.instances), instanceId);
      const noted = { instances: JSON.stringify(instances), replacedAtMs: isBack ? atMs : null };
      const opened = openLink.get({ productLogin, bootId, agentVersion, atMs, ...noted });
      if (opened && isBack) audit({ kind: 'device-replaced', atMs, productLogin, details: { epoch: opened.epoch } });
      return opened?.epoch;
    },

    closeLink(productLogin, epoch, atMs) {
      closeLink.run({ productLogin, epoch, atMs });
    },

    settleLink(productLogin, held, seenAtMs) {
      if (held) holdAgain.run({ productLogin, ...held });
      else closeAnyLink.run(seenAtMs, productLogin);
    },

    closeAllLinks() {
      closeAllLinks.run();
    },

    saveReport(productLogin, epoch, { outputs, faults, observedAtMs: atMs, seq }) {
      if (saveFaults.run(JSON.stringify(faults), productLogin, epoch).changes === 0) return;
      for (const { name, mode, state, pulseMs, confirmedBy = 'readback', lockedForMs, numOutput } of outputs) {
        const lockedUntilMs = lockedForMs === undefined ? null : atMs + lockedForMs;
        saveOutput.run(name, mode, pulseMs, confirmedBy, lockedUntilMs, productLogin, numOutput);
        observe(productLogin, { numOutput, state, version: { epoch, seq } }, atMs);
      }
    },
  };
}
