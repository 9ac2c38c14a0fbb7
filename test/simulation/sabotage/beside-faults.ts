/** Deliberate faults in one output while something else is wrong with another, or was a moment ago: no excuse covers them. */
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import type { Board } from '../ports/board';
import { STATE_PATH } from '../ports/disk';
import type { Sabotage } from './sabotage';

const stuckLines = (board: Board): number[] => board.lines.filter((line) => board.isStuck(line));

/** While a relay is stuck, the others go off a second late. */
export function endsLateBesideStuck(): Sabotage {
  const lateMs = 1_000;
  return {
    driver: (driver, { board, setup }, { scheduler }) => ({
      ...driver,
      async drive(order) {
        const stuck = stuckLines(board);
        const isOff = order.level === oppositeLevel(setup.outputs[order.line]?.activeLevel ?? 'high');
        const isBeside = stuck.length > 0 && !stuck.includes(order.line);
        // Only an edge is a second late; what is off already stays so.
        if (isOff && isBeside && board.isActive(order.line))
          await new Promise<void>((resolve) => void scheduler.in(lateMs, resolve));
        return driver.drive(order);
      },
    }),
  };
}

/** A relay that does not go off takes the others with it. */
export function dropsBesideStuck(): Sabotage {
  return {
    driver: (driver, { board }) => ({
      ...driver,
      async drive(order) {
        const result = await driver.drive(order);
        if (result.kind === 'failed' && board.isStuck(order.line))
          for (const line of board.lines) if (!board.isStuck(line) && board.isActive(line)) board.force(line, false);
        return result;
      },
    }),
  };
}

/** A relay that goes off again is told so two seconds later only. */
export function staysOnAfterStuck(): Sabotage {
  const stuckMs = new Map<string, number>();
  return {
    driver: (driver, { board, setup }, { scheduler }) => ({
      ...driver,
      async drive(order) {
        const key = `${setup.name} ${order.line}`;
        const isOff = order.level === oppositeLevel(setup.outputs[order.line]?.activeLevel ?? 'high');
        if (board.isStuck(order.line)) stuckMs.set(key, scheduler.nowMs);
        const sinceMs = scheduler.nowMs - (stuckMs.get(key) ?? Number.NEGATIVE_INFINITY);
        if (isOff && sinceMs < 2_000 && board.isActive(order.line))
          return { kind: 'failed', problem: 'it is left alone' };
        return driver.drive(order);
      },
    }),
  };
}

/** A change that is forced on one output drives the others off as well. */
export function forcesAllOff(): Sabotage {
  const boards = new Set<Board>();
  return {
    driver(driver, { board }) {
      boards.add(board);
      return driver;
    },
    toGuard(line) {
      const request = JSON.parse(line);
      if (request.type !== 'configure' || !request.force) return line;
      const changed = request.changes.map(({ numOutput }: { numOutput: number }) => numOutput);
      for (const board of boards)
        for (const n of board.lines) if (!changed.includes(n) && board.isActive(n)) board.force(n, false);
      return line;
    },
  };
}

/** What is confirmed is not written while the disk has only just come right. */
export function savesNothingAfterTrouble(): Sabotage {
  const restMs = 4_000;
  return {
    guardFiles: (files, { history, scheduler }) => ({
      ...files,
      async replace(path, text, options) {
        const isRecent = history.troubles.some(
          ({ kind, untilMs }) => kind === 'disk' && untilMs <= scheduler.nowMs && untilMs > scheduler.nowMs - restMs,
        );
        if (path !== STATE_PATH || !isRecent) await files.replace(path, text, options);
      },
    }),
  };
}
