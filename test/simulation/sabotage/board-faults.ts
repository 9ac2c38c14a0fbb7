/** Deliberate faults of a guard whose board goes away and comes back. */
import { Guard } from '@relaygate/device-agent/guard/guard';
import * as phases from '@relaygate/device-agent/guard/output-phase';
import { OutputsStart } from '@relaygate/device-agent/guard/outputs-start';
import { changed, withStep } from './changed';
import type { Sabotage } from './sabotage';

/** Whatever was on when its board went is switched on again when it is back, pulses too. */
export function bringsAllBack(): Sabotage {
  return {
    driver: (driver, { setup, board }, { scheduler }) => ({
      ...driver,
      open(listener) {
        const lines = [...setup.outputs.keys()];
        let wereOn: number[] = [];
        return driver.open({
          ...listener,
          lost(problem) {
            wereOn = lines.filter((line) => board.isActive(line));
            listener.lost(problem);
          },
          back(levels) {
            listener.back(levels);
            // Behind the guard's own orders.
            scheduler.in(3, () => {
              for (const line of wereOn) if (!board.isActive(line)) board.force(line, true);
            });
          },
        });
      },
    }),
  };
}

/** A relay that was on when its board went is believed to be off when it is back. */
export function drivesNothingOffWhenBack(): Sabotage {
  return {
    inside: () => changed(OutputsStart.prototype, 'putBack', () => () => {}),
  };
}

/** What is to be restored stays off. */
export function restoresNothingWhenBack(): Sabotage {
  return withStep(
    (step) => (output, event, rules) =>
      step(output, event, event.kind === 'board-lost' ? { ...rules, powerOn: 'off' } : rules),
  );
}

/** Nobody hears that the board is away. */
export function hidesAbsence(): Sabotage {
  return {
    inside: () =>
      changed(Guard.prototype, 'view', (original) => {
        return function view(this: Guard) {
          const seen = original.call(this);
          return { ...seen, faults: seen.faults.filter(({ code }) => code !== 'board-away') };
        };
      }),
  };
}

/** What is commanded while the board is away waits for it, and is executed when it is back. */
export function keepsCommandsForBoard(): Sabotage {
  return {
    inside: () =>
      changed(
        phases,
        'isSettled',
        (original) => (output) => original(output) && !(output.phase === 'waiting' && output.until === 'board-back'),
      ),
  };
}
