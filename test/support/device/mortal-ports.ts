import type { OpenGuardDeps } from '@relaygate/device-agent/guard/open-guard';
import type { MemoryFiles } from './memory-files';

/** The ports of a guard that can be killed: nothing that it still does counts from then on. */
export function mortalPorts(ports: OpenGuardDeps & { files: MemoryFiles }): { ports: OpenGuardDeps; kill(): void } {
  const { clock, driver, files } = ports;
  let isAlive = true;
  return {
    ports: {
      ...ports,
      clock: {
        nowMs: () => clock.nowMs(),
        after: (delayMs, run) => clock.after(delayMs, () => isAlive && run()),
      },
      driver: {
        open: (listener) => driver.open(listener),
        drive: (order) => (isAlive ? driver.drive(order) : new Promise(() => {})),
        readInput: async (input) => (await driver.readInput?.(input)) ?? { kind: 'failed', problem: 'no inputs' },
        close: async () => {},
      },
      files: files.of(() => isAlive),
    },
    kill() {
      isAlive = false;
    },
  };
}
