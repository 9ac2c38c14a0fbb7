import { isoTime } from '@relaygate/shared';
import type { ArchivedPart, AuditReport, LostPart, RecordRange } from '../audit/audit-report';
import type { AuditRow } from '../audit/audit-store';
import { headText } from '../audit/checkpoint';
import { shortTime } from './format';
import { table } from './table';

type Details = NonNullable<AuditRow['details']>;

export const HEADINGS = ['ID', 'TIME', 'KIND', 'PRODUCT', 'CLIENT', 'DETAILS'];

/** With the name of its client, if the database knows it. */
export type NamedAuditRow = AuditRow & { clientName?: string };

export function auditRow({ id, atMs, kind, productLogin, ...row }: NamedAuditRow): string[] {
  const { clientId, clientName, actor, details = {} } = row;
  const what = kind === 'device-history' ? historyText(details) : detailsText(details);
  const text = [actor, what].filter((part) => part).join(': ');
  return [String(id), shortTime(atMs), kind, productLogin ?? '-', clientName ?? clientId ?? '-', text];
}

/** Commands and outcomes in few words, because most records are these; other details as `name=value`. */
function detailsText(details: Details): string {
  const { numOutput, action, state, outcome, reason, ...rest } = details;
  if (outcome === undefined) {
    const known = Object.entries({ numOutput, ...rest }).filter(([, value]) => value !== null && value !== undefined);
    return known.map(([name, value]) => `${name}=${value}`).join(' ');
  }
  const asked =
    action === undefined ? [] : [`output ${numOutput}`, String(action), state === null ? '' : String(state)];
  const result = outcome === 'pending' ? [] : [String(outcome), reason === null ? '' : `(${reason})`];
  return [...asked, ...result].filter((word) => word !== '').join(' ');
}

/** A technician action. */
function historyText({
  actor,
  did,
  numOutput,
  forMs,
  changes,
  outcome,
  reason,
  deviceSeq,
  about,
  deviceAt,
}: Details): string {
  const where = numOutput === undefined ? '' : ` output ${numOutput}`;
  const forHowLong = typeof forMs === 'number' ? `for ${forMs / 1_000} s` : undefined;
  const what = [
    `${did}${where}`,
    about === undefined ? undefined : `about ${about}`,
    forHowLong,
    changes,
    outcome,
    reason,
  ];
  const text = what.filter((part) => part !== undefined).join(', ');
  return `${actor}: ${text} (its entry ${deviceSeq}, ${deviceAt ?? 'its clock was not set'})`;
}

export function auditJson({
  id,
  writer,
  seq,
  atMs,
  kind,
  productLogin,
  clientId,
  commandId,
  ...rest
}: NamedAuditRow): object {
  const { clientName, actor, details, hash } = rest;
  const who = { productLogin, clientId, clientName, commandId, actor };
  return { id, at: isoTime(atMs), kind, ...who, details, writer, seq, hash };
}

/** The heads stand in no table, which would cut them: they are needed whole for `--expect-head`. */
export function reportText(report: AuditReport): string {
  const { records, heads, findings, faults, unconfirmed, archived, uncompared = [] } = report;
  const verdict = faults === 0 ? `${records} records, all sound.` : `${records} records, ${faults} faults.`;
  const rows = findings.map(({ writer, seq, text }) => [writer ?? '-', seq === null ? '-' : String(seq), text]);
  return [
    verdict,
    checkpointsText(report),
    ...(archived ? [archivedText(archived)] : []),
    ...(uncompared.length > 0 ? [`${UNCOMPARED} ${uncompared.map(headText).join(', ')}.`] : []),
    ...(rows.length > 0 ? ['', table(['WRITER', 'SEQ', 'FAULT'], rows)] : []),
    ...(heads.length > 0 ? ['', 'Heads. Note them elsewhere, and compare them later with --expect-head:'] : []),
    ...heads.map(headText),
    '',
    reachText(report),
    ...(unconfirmed.length > 0 ? ['', UNCONFIRMED, ...unconfirmed.map(rangeText)] : []),
  ].join('\n');
}

function checkpointsText({ checkpoints: { good, unchecked, outside, newer, keyChangedAtMs } }: AuditReport): string {
  const inChains = [
    `${good} with a good MAC`,
    ...(unchecked > 0 ? [`${unchecked} not checked: they need another key`] : []),
  ];
  const changed = keyChangedAtMs === undefined ? '' : ` ${changedText(keyChangedAtMs)}`;
  return `Checkpoints in it: ${inChains.join(', ')}. ${outside ? outsideText(outside, newer) : NO_CHECKPOINT}${changed}`;
}

function changedText(atMs: number): string {
  return `audit.key was changed at ${isoTime(atMs)}: if you do not know why, records from before may have been made again.`;
}

function outsideText({ atMs, authentic }: NonNullable<AuditReport['checkpoints']['outside']>, newer = 0): string {
  const older = newer === 0 ? '' : `, which is older than ${newer} in the audit`;
  const which = `Compared with the checkpoint of ${isoTime(atMs)}${older}`;
  return authentic
    ? `${which}.`
    : `${which}, whose MAC could not be checked: audit.key is missing, or another one made it.`;
}

function archivedText({ lost = [], ...archived }: ArchivedPart): string {
  return [readText(archived), ...lost.map((part) => lostText(part, archived.unread.length > 0))].join(' ');
}

function lostText({ fromId, toId, givenUp }: LostPart, hasUnread: boolean): string {
  const what = `Records ${fromId} to ${toId} are lost with the file of their archive`;
  if (!givenUp)
    return `${what}: the database says so, but no record that was read confirms it. ${hasUnread ? GIVE : GONE}`;
  const { atMs, actor } = givenUp;
  return `${what}: given up at ${isoTime(atMs)}${actor === undefined ? '' : ` by ${actor}`}.`;
}

const GIVE = 'Give the archives that were not read too: if none of them confirms it, the archive was forged.';
const GONE = 'The record that should confirm it may be lost too, or the archive was forged.';

function readText({ toId, unreadToId, unread }: ArchivedPart): string {
  if (unreadToId === 0) return `The records up to ${toId} are in archives, which were read.`;
  const which = `Not read: the records up to ${unreadToId}, which are in archives. Give them with --archive to check them too`;
  return `${which} (as they were called): ${unread.join(', ')}.`;
}

const UNCOMPARED = 'Not compared, because their records are lost or in archives that were not given:';

// "All sound" alone would promise too much.
const NO_CHECKPOINT =
  'There is no checkpoint file to compare with: nobody can tell whether the newest records were cut off.';
const UNCONFIRMED = `No checkpoint and no --expect-head confirms the records below. Somebody who can write the database could have
made them again, moved them or added a writer, and this report would not show it:`;

function reachText({ checkpoints: { newestGoodAtMs } }: AuditReport): string {
  const newest =
    newestGoodAtMs === undefined
      ? 'There is no checkpoint with a good MAC.'
      : `The newest checkpoint with a good MAC is of ${isoTime(newestGoodAtMs)}.`;
  return `${newest} Without a later one (--checkpoint) or --expect-head of a later
time nobody can tell whether this is the newest database: an older copy, or one without its -wal file, looks as sound.`;
}

function rangeText({ writer, fromSeq, toSeq }: RecordRange): string {
  return `${writer}: ${fromSeq === toSeq ? `record ${toSeq}` : `records ${fromSeq} to ${toSeq}`}`;
}
