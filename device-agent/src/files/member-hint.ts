import type { Parsed } from '@relaygate/shared/schema';

/** What a parser says of a value that it refuses. */
export type Refusal = Omit<Extract<Parsed<never>, { ok: false }>, 'ok'>;

/**
 * The member that a parser's English problem is about. A problem begins with the member's path, or names it in quotes when
 * it is missing. null: the member is unknown or none, or its value may be right, and a hint would contradict the problem.
 */
export function memberWith({ problem, fault }: Refusal): string | null {
  if (fault && fault.code !== 'of-schema') return null;
  if (/additional properties/.test(problem)) return null;
  const missing = /required property '(\w+)'/.exec(problem)?.[1];
  const path = problem.split(' ')[0]?.split('.') ?? [];
  // The last word of the path; an item of a list is named by its list.
  return missing ?? path.findLast((name) => !/^\d+$/.test(name)) ?? null;
}

/** What that member may be, to stand behind the problem. */
export function memberHint(refusal: Refusal, allowedValue: (member: string) => string | null): string {
  const member = memberWith(refusal);
  const allowed = member === null ? null : allowedValue(member);
  return allowed === null ? '' : `; ${member} is ${allowed}`;
}
