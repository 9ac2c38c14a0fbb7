import type { WriterHead } from '../audit/audit-record';
import type { AuditRow } from '../audit/audit-store';
import type { AuditReport } from '../audit/verify-audit';
import { table } from './table';
import { shortTime, timeOf } from './wording';

export const HEADINGS = ['ID', 'TIME', 'KIND', 'PRODUCT', 'CLIENT', 'DETAILS'];

export function auditRow({ id, atMs, kind, productLogin, clientId, details = {} }: AuditRow): string[] {
  return [String(id), shortTime(atMs), kind, productLogin ?? '-', clientId ?? '-', detailsText(details)];
}

/** Commands in few words, for they are what most records are; the rest by the names of its members. */
function detailsText(details: NonNullable<AuditRow['details']>): string {
  const { numOutput, action, state, outcome, reason, ...rest } = details;
  if (outcome === undefined) {
    const told = Object.entries({ numOutput, ...rest }).filter(([, value]) => value !== null && value !== undefined);
    return told.map(([name, value]) => `${name}=${value}`).join(' ');
  }
  const asked =
    action === undefined ? [] : [`output ${numOutput}`, String(action), state === null ? '' : String(state)];
  const became = outcome === 'pending' ? [] : [String(outcome), reason === null ? '' : `(${reason})`];
  return [...asked, ...became].filter((word) => word !== '').join(' ');
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
}: AuditRow): object {
  const { details, hash } = rest;
  return { id, at: timeOf(atMs), kind, productLogin, clientId, commandId, details, writer, seq, hash };
}

/** The heads are not cut, as a table would: they are for noting down and for `--expect-head`. */
export function reportText({ records, heads, findings, faults }: AuditReport): string {
  const verdict = faults === 0 ? `${records} records, all sound.` : `${records} records, ${faults} faults.`;
  const rows = findings.map(({ writer, seq, text }) => [writer ?? '-', seq === null ? '-' : String(seq), text]);
  return [
    verdict,
    ...(rows.length > 0 ? ['', table(['WRITER', 'SEQ', 'FAULT'], rows)] : []),
    ...(heads.length > 0 ? ['', 'Heads, to be noted elsewhere and compared with --expect-head:'] : []),
    ...heads.map(headText),
  ].join('\n');
}

export function headText({ writer, seq, hash }: WriterHead): string {
  return `${writer}:${seq}:${hash}`;
}
