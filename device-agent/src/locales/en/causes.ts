import type { FailureCode, GuardAwayCode } from '../../runtime/failure-code';
import { FAILURES, failureText } from './failures';

/** With those that the guard does not load. */
export const CAUSES: Readonly<Record<FailureCode | GuardAwayCode, string>> = {
  ...FAILURES,
  'not-tried': 'not tried yet',
  'no-answer': 'it does not answer',
  'hung-up': 'it has closed the connection',
  'not-running': 'it does not run',
  'socket-not-ours': 'its socket is not for this user',
};

/** Why something failed, within a sentence. */
export function causeText(cause: string): string {
  return failureText(cause, CAUSES);
}
