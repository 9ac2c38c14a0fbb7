import type { AuditReport } from './verify-audit';

/** The first fault as a part of a sentence: `broken at cli 12: ...`. Undefined if the audit is sound. */
export function brokenAudit({ findings: [first] }: Pick<AuditReport, 'findings'>): string | undefined {
  if (!first) return undefined;
  const where = first.writer === null ? '' : ` at ${first.writer} ${first.seq}`;
  return `broken${where}: ${first.text}`;
}
