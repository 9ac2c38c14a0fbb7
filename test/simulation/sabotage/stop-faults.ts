/** Deliberate faults of programs that are told to stop. */
import type { Sabotage } from './sabotage';

/** SIGTERM ends the server like SIGKILL. */
export function stopsServerAtOnce(): Sabotage {
  return { stop: (name, inOrder) => (name === 'server' ? Promise.resolve() : inOrder()) };
}

/** Devices are sent away while commands wait for them. */
export function closesLinksFirst(): Sabotage {
  return { closesLinksFirst: true };
}

/** The guard goes and leaves the relays as they are. */
export function leavesRelaysOn(): Sabotage {
  return { stop: (name, inOrder) => (name.startsWith('guard') ? Promise.resolve() : inOrder()) };
}
