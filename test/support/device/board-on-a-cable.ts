import type { FakeBoard } from './fake-board';

export const AWAY = { kind: 'failed', problem: 'port: it is not there' } as const;

/** As a driver does: it says so, and orders fail at once from here on. */
export function unplug(board: FakeBoard): void {
  board.answer = () => AWAY;
  board.listener?.lost(AWAY.problem);
}

/** Its relays are as `board.levels` says by now. */
export function plug(board: FakeBoard): void {
  board.answer = () => null;
  board.listener?.back(board.levels);
}
