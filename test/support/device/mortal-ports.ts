import type { GuardPorts } from '@relaygate/device-agent/guard/open-guard';

/** The ports of a guard that can be killed: nothing that it still does counts from then on. */
export function mortalPorts(ports: GuardPorts): { ports: GuardPorts; kill(): void } {
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
      files: {
        read: (path) => files.read(path),
        replace: async (path, text) => (isAlive ? files.replace(path, text) : undefined),
        append: async (path, text) => (isAlive ? files.append(path, text) : undefined),
        keepAside: (path) => files.keepAside(path),
        remove: async (path) => (isAlive ? files.remove(path) : undefined),
      },
    },
    kill() {
      isAlive = false;
    },
  };
}
