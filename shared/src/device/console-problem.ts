import type { BoardSettings } from './board-settings';
import { isOnHeader } from './header-chips';
import { type Fault, settingsFault } from './settings-fault';

/** TXD and RXD of a Raspberry Pi's header, as BCM numbers, and Linux's names of that port. */
export const UART_LINES: readonly number[] = [14, 15];
const HEADER_UARTS: readonly string[] = ['/dev/serial0', '/dev/ttyS0', '/dev/ttyS1', '/dev/ttyAMA0'];

/** Why a console cannot use this port beside this board; null if it can. */
export function consolePortProblem(board: BoardSettings, port: string): Fault | null {
  // A port is opened by one program only: the console would keep the guard from its relays.
  return 'port' in board && board.port === port ? settingsFault('console-on-board', {}) : null;
}

/**
 * I5: a relay at a line of the UART would follow the console's output. null if the lines are
 * free.
 */
export function consoleLinesProblem(board: BoardSettings, port: string): Fault | null {
  if (!HEADER_UARTS.includes(shortPath(port))) return null;
  const taken = headerLinesOf(board).find((line) => UART_LINES.includes(line));
  return taken === undefined ? null : settingsFault('console-on-lines', { lines: UART_LINES, line: taken });
}

/**
 * Both checks, for new settings only: two texts of one path count as the same port here. A device may have such texts from an earlier
 * version, and must start with them. Only the device knows where links lead.
 */
export function newConsoleProblem(board: BoardSettings, port: string): Fault | null {
  const one = 'port' in board ? { ...board, port: shortPath(board.port) } : board;
  return consolePortProblem(one, shortPath(port)) ?? consoleLinesProblem(board, port);
}

/** The lines that the board drives or reads, as BCM numbers. */
function headerLinesOf(board: BoardSettings): number[] {
  if (!('lines' in board) || !isOnHeader(board)) return [];
  const { lines, inputs = [] } = board;
  return [...lines, ...inputs.map(({ line }) => line)];
}

/** An absolute path without `.`, `..` and doubled slashes. */
function shortPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
