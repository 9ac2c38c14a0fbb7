export interface Finding {
  /** What was looked at, in a word or two. */
  name: string;
  verdict: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  found: string;
  /** What that leads to; empty where all is well. */
  means: string;
  /** What to do; empty where nothing is to be done. */
  cure: string;
}

export function ok(name: string, found: string, means = ''): Finding {
  return { name, verdict: 'ok', found, means, cure: '' };
}

export function warn(name: string, found: string, means: string, cure: string): Finding {
  return { name, verdict: 'warn', found, means, cure };
}

export function fail(name: string, found: string, means: string, cure: string): Finding {
  return { name, verdict: 'fail', found, means, cure };
}
