import type { FailureCode } from './failure-code';

/** Something failed that this device has a word for; whoever shows it looks it up. */
export function failure(code: FailureCode, options?: ErrorOptions): Error {
  return new Error(code, options);
}

/** What went wrong, as text for a log line, a fault or an error's sentence. */
export function problemOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

/** The system's word for it, such as ENOENT; empty where there is none. */
export function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && typeof error.code === 'string' ? error.code : '';
}
