import type { FailureCode, GuardAwayCode } from '../../runtime/failure-code';
import { failureText } from '../sentence';

export const CAUSES: Readonly<Record<FailureCode | GuardAwayCode, string>> = {
  unplugged: 'it was unplugged',
  'not-there': 'it is not there',
  'not-in-dialout': 'it is not for this user: its program has to run in the group dialout',
  'chip-gone': 'its GPIO chip is gone',
  'board-closed': 'the board is closed',
  'board-silent': 'the board does not answer',
  'reads-high': 'the line reads high',
  'reads-low': 'the line reads low',
  'not-open-yet': 'it is not open yet',
  'port-taken': 'another program has it open',
  'port-not-open': 'the port is not open',
  'port-closed': 'it is closed',
  'port-opening': 'opening it takes too long',
  'port-hangs': 'the port takes no bytes',
  'not-understood': 'the answer of the board was not understood',
  'disk-silent': 'the disk does not answer',
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
