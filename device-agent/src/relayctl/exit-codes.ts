import type { ErrorCode } from '@relaygate/shared';

/** What relayctl's exit code says; device-agent/COMMANDS.md and --help list them. */
export const EXIT = {
  done: 0,
  /** Anything else that went wrong. */
  failed: 1,
  /** The command line is wrong, a value is out of range, or there is no such output. */
  usage: 2,
  agentUnreachable: 3,
  guardUnreachable: 4,
  /** The device refused: output active, board failed, settings cannot be saved. */
  refused: 5,
  /** Done as far as the device knows; the error says what is missing to be sure. Do not repeat it blindly. */
  unproven: 6,
  /** No answer came: it may have happened. All other codes but 6 say that it has not. */
  unknown: 7,
} as const;

/** Errors that have an exit code of their own. */
const OF_ERRORS: Partial<Record<ErrorCode, number>> = {
  'bad-usage': EXIT.usage,
  'out-of-range': EXIT.usage,
  'output-not-found': EXIT.usage,
  'agent-unreachable': EXIT.agentUnreachable,
  'socket-unusable': EXIT.agentUnreachable,
  'guard-unreachable': EXIT.guardUnreachable,
  refused: EXIT.refused,
  'output-active': EXIT.refused,
  unproven: EXIT.unproven,
  'outcome-unknown': EXIT.unknown,
};

export function exitCodeOf(code: ErrorCode): number {
  return OF_ERRORS[code] ?? EXIT.failed;
}
