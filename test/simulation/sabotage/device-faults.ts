/** Deliberate faults of agent and guard, played at their ports. */
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { TMPFS } from '../ports/disk';
import type { Sabotage } from './sabotage';

/** A time to live, counted from the receipt. */
export function countsDeadlineFromReceipt(): Sabotage {
  return {
    agentLink: (_device, { server, scheduler }) => ({
      received(text) {
        const message = JSON.parse(text);
        if (message.type !== 'command') return text;
        return JSON.stringify({
          ...message,
          executeBeforeMs: server.clock.localMs(scheduler.nowMs) + EXECUTION_DEADLINE_MS,
        });
      },
    }),
  };
}

/** The time exchange takes an answer that was long on its way for a fresh one. */
export function trustsStaleTime(): Sabotage {
  return {
    agentLink: () => ({
      received(text) {
        const message = JSON.parse(text);
        return message.type === 'time' ? JSON.stringify({ ...message, serverMs: message.serverMs - 3_000 }) : text;
      },
    }),
  };
}

/** A pulse that power or guard interrupted is resumed. */
export function restoresImpulses(): Sabotage {
  const wasActive = new Map<string, Set<number>>();
  return {
    driver: (driver, { setup, board }) => {
      const lines = wasActive.get(setup.name) ?? new Set<number>();
      wasActive.set(setup.name, lines);
      return {
        ...driver,
        async open(listener) {
          await driver.open(listener);
          for (const line of lines) board.force(line, true);
        },
        async drive(order) {
          const result = await driver.drive(order);
          if (board.isActive(order.line)) lines.add(order.line);
          else lines.delete(order.line);
          return result;
        },
      };
    },
  };
}

/** The guard is generous with deadlines. */
export function stretchesDeadlines(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      if (request.type !== 'execute') return line;
      return JSON.stringify({ ...request, startBeforeMs: request.startBeforeMs + 4_000 });
    },
  };
}

/** "Driven" means ordered. */
export function confirmsBeforeEdge(): Sabotage {
  return {
    driver: (driver, { clock }, { scheduler }) => ({
      ...driver,
      async drive(order) {
        const ordered = new Promise<void>((resolve) => void scheduler.in(150, resolve)).then(() => driver.drive(order));
        ordered.catch(() => {});
        return { kind: 'driven', atMs: clock.localMs(scheduler.nowMs), readBack: order.level };
      },
    }),
  };
}

/** Pulses are timed by whatever timer comes along. */
export function stretchesPulses(): Sabotage {
  return {
    guardClock: (clock) => ({ nowMs: () => clock.nowMs(), after: (delayMs, run) => clock.after(delayMs * 1.2, run) }),
  };
}

/** The guard keeps no journal: what a restarted one does not know, it says was never started. */
export function keepsNoJournal(): Sabotage {
  return {
    guardFiles: (files) => ({
      ...files,
      append: async () => {},
      read: async (path) => {
        const text = await files.read(path);
        return path.startsWith(TMPFS) && text !== null ? `${text.split('\n')[0]}\n` : text;
      },
    }),
  };
}

/** The state file is called durable while it waits in a cache. */
export function answersBeforeSync(): Sabotage {
  return {
    guardFiles: (files, { scheduler }) => {
      let text = '';
      return {
        ...files,
        async replace(path, newest) {
          if (path.startsWith(TMPFS)) return files.replace(path, newest);
          text = newest;
          scheduler.in(2_000, () => void files.replace(path, text).catch(() => {}));
        },
      };
    },
  };
}

/** "On" is read as "off". */
export function forgetsPowerOn(): Sabotage {
  return {
    guardFiles: (files) => ({
      ...files,
      read: async (path) => (await files.read(path))?.replaceAll('"powerOn":"on"', '"powerOn":"off"') ?? null,
    }),
  };
}

/** A guard that starts leaves the relays as they are, and says that they are off. */
export function startsWithoutRelease(): Sabotage {
  return {
    driver: (driver, _device, { scheduler }) => {
      let hasBegun = false;
      scheduler.in(1_000, () => {
        hasBegun = true;
      });
      return {
        ...driver,
        drive: async (order) => {
          hasBegun ||= order.notAfterMs !== null;
          return hasBegun ? driver.drive(order) : { kind: 'driven', atMs: 0, readBack: order.level };
        },
      };
    },
  };
}

/** All boots look alike. */
export function hidesReboots(): Sabotage {
  return { bootId: () => 'always-the-same' };
}

/** A line set to active low is driven as if it were active high. */
export function confusesPolarity(): Sabotage {
  return {
    driver: (driver, { setup }) => ({
      ...driver,
      drive: (order) => {
        const isLow = setup.outputs[order.line]?.activeLevel === 'low';
        return driver.drive(isLow ? { ...order, level: oppositeLevel(order.level) } : order);
      },
    }),
  };
}

/** The server's clock, once known, is thought to go on for ever, over links and the server's reboots. */
export function keepsServerClock(): Sabotage {
  const known = new Map<string, { aheadMs: number; atMs: number }>();
  return {
    agentLink: ({ setup, clock }, { scheduler }) => ({
      received(text) {
        const message = JSON.parse(text);
        if (message.type !== 'time') return text;
        const nowMs = clock.localMs(scheduler.nowMs);
        const before = known.get(setup.name);
        // Of its own reboots it knows.
        const aheadMs = before && before.atMs < nowMs ? before.aheadMs : message.serverMs - nowMs;
        known.set(setup.name, { aheadMs, atMs: nowMs });
        return JSON.stringify({ ...message, serverMs: nowMs + aheadMs });
      },
    }),
  };
}

/** Each wait leaves a timer behind. */
export function leavesTimers(): Sabotage {
  const longMs = 3_600_000;
  return {
    guardClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after(delayMs, run) {
        clock.after(longMs, () => {});
        return clock.after(delayMs, run);
      },
    }),
  };
}

/** The first wait of each guard that is over ends in an exception. */
export function throwsUncaught(): Sabotage {
  return {
    guardClock: (clock) => {
      let isThrown = false;
      return {
        nowMs: () => clock.nowMs(),
        after: (delayMs, run) =>
          clock.after(delayMs, () => {
            if (isThrown) return run();
            isThrown = true;
            throw new Error('nobody catches this');
          }),
      };
    },
  };
}
