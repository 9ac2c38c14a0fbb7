/**
 * What the member may be that a parser's problem is about, to be put behind the problem. A problem begins with the
 * member's path, or names it in quotes or brackets when it is missing or unknown.
 */
export function memberHint(problem: string, allowedValue: (member: string) => string | null): string {
  const missing = /required property '(\w+)'/.exec(problem)?.[1];
  const unknown = /additional properties/.test(problem);
  const path = problem.split(' ')[0]?.split('.') ?? [];
  // The last word of the path; an item of a list is named by its list.
  const member = missing ?? path.findLast((name) => !/^\d+$/.test(name)) ?? '';
  const allowed = allowedValue(member);
  return unknown || allowed === null ? '' : `; ${member} is ${allowed}`;
}
