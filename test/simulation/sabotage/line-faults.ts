/** Deliberate faults of a guard whose board can be read, or cannot. */
import type { Sabotage } from './sabotage';

/** Whatever the line reads: it was ordered so. */
export function believesOrders(): Sabotage {
  return {
    driver: (driver) => ({
      ...driver,
      async drive(order, taken) {
        const result = await driver.drive(order, taken);
        const isRead = result.kind === 'driven' && result.readBack !== null;
        return isRead ? { ...result, readBack: order.level } : result;
      },
    }),
  };
}

/** What was only written counts as read. */
export function callsWrittenRead(): Sabotage {
  return {
    driver: (driver) => ({
      ...driver,
      async drive(order, taken) {
        const result = await driver.drive(order, taken);
        return result.kind === 'driven' && result.readBack === null ? { ...result, readBack: order.level } : result;
      },
    }),
  };
}

/** Nobody asks a board how a relay is that is as it was ordered. */
export function asksNoLines(): Sabotage {
  return {
    driver: ({ readLine: _none, ...driver }) => driver,
  };
}
