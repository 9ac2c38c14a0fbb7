/** Deliberate faults of a guard whose word is not true. */
import type { Sabotage } from './sabotage';

/** The relay of an impulse stays where it is, and the board says "driven". */
export function movesNoImpulse(): Sabotage {
  return {
    driver: (driver, { setup, clock }, { scheduler }) => ({
      ...driver,
      drive: async (order) => {
        if (setup.outputs[order.line]?.mode !== 'impulse') return driver.drive(order);
        return { kind: 'driven', atMs: clock.localMs(scheduler.nowMs), readBack: order.level };
      },
    }),
  };
}

/** The guard hears every "set" the other way round, so that what must be moved is so already. */
export function callsAllSet(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      if (request.type !== 'execute' || request.command.action !== 'set') return line;
      return JSON.stringify({ ...request, command: { action: 'set', state: 1 - request.command.state } });
    },
  };
}
