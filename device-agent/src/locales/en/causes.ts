import type { Cause } from '../../runtime/cause';
import { causeIn } from '../sentence';

/** Modbus exceptions. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'it does not know the function',
  2: 'it has no such coil',
  3: 'it does not take the value',
  4: 'it has failed',
  6: 'it is busy',
};

/** Why something failed, to stand within a sentence. */
export const CAUSES = {
  // Of a port or a board.
  'of-port': '{path}: {problem}',
  several: ({ problems }: { problems: readonly string[] }) => problems.join('; '),
  unplugged: 'it was unplugged',
  'not-there': 'it is not there',
  'not-in-dialout': 'it is not for this user: its program has to run in the group dialout',
  'chip-gone': 'its GPIO chip is gone',
  'board-closed': 'the board is closed',
  'board-silent': 'the board does not answer',
  'board-late': 'no answer within {ms} ms',
  'no-line': 'the board has no line {line}',
  'no-input': 'the board has no input {input}',
  'reads-high': 'the line reads high',
  'reads-low': 'the line reads low',
  'not-open-yet': 'it is not open yet',
  'port-in-use': 'another program has it open',
  'port-not-open': 'the port is not open',
  'port-closed': 'it is closed',
  'port-opening': 'opening it takes too long',
  'port-hangs': 'the port takes no bytes',
  'not-understood': 'the answer of the board was not understood',
  'newer-order': 'a newer order came first',
  'not-lcus': 'it does not answer as an LCUS board of {relays} relays does',
  'unit-silent': 'the board at address {address} does not answer',
  'unit-bad-crc': 'the board at address {address} was not understood: its CRC is wrong',
  'unit-garbled': 'the board at address {address} was not understood: {bytes} bytes that are no answer',
  'unit-refuses': ({ address, exception }: { address: number; exception: number }) =>
    `the board at address ${address} refuses: ${EXCEPTIONS[exception] ?? `exception ${exception}`}`,
  'pulse-too-short': 'a pulse on this bus must last {ms} ms at least, or its board confirms it too late',
  'unit-lacks-input': 'the board at address {address} refuses: it has no such input',
  // Of a disk.
  'disk-silent': 'the disk does not answer',
  // Of the guard, which only the agent says.
  'not-tried': 'not tried yet',
  'no-answer': 'it does not answer',
  'hung-up': 'it has closed the connection',
  'not-running': 'it does not run',
  'socket-not-ours': 'its socket is not for this user',
} as const;

export function causeText(cause: Cause): string {
  return causeIn(CAUSES, cause);
}
