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

export function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'bad-usage':
    case 'out-of-range':
    case 'output-not-found':
      return EXIT.usage;
    case 'agent-unreachable':
    case 'socket-unusable':
      return EXIT.agentUnreachable;
    case 'guard-unreachable':
      return EXIT.guardUnreachable;
    case 'refused':
    case 'output-active':
      return EXIT.refused;
    case 'unproven':
      return EXIT.unproven;
    case 'outcome-unknown':
      return EXIT.unknown;
    default:
      return EXIT.failed;
  }
}
