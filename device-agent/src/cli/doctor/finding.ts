import type { Finding } from '../../agent/local-messages/doctor';

export function ok(name: string, found: string, means = ''): Finding {
  return { name, verdict: 'ok', found, means, cure: '' };
}

export function warn(name: string, found: string, means: string, cure: string): Finding {
  return { name, verdict: 'warn', found, means, cure };
}

export function fail(name: string, found: string, means: string, cure: string): Finding {
  return { name, verdict: 'fail', found, means, cure };
}
