/**
 * The member that a parser's English problem is about. A problem begins with the member's path, or names it in quotes when it is
 * missing. null: an unknown member, or none.
 */
export function memberWith(problem: string): string | null {
  if (/additional properties/.test(problem)) return null;
  const missing = /required property '(\w+)'/.exec(problem)?.[1];
  const path = problem.split(' ')[0]?.split('.') ?? [];
  // The last word of the path; an item of a list is named by its list.
  return missing ?? path.findLast((name) => !/^\d+$/.test(name)) ?? null;
}

/** What that member may be, to be put behind the problem. */
export function memberHint(problem: string, allowedValue: (member: string) => string | null): string {
  const member = memberWith(problem);
  const allowed = member === null ? null : allowedValue(member);
  return allowed === null ? '' : `; ${member} is ${allowed}`;
}
