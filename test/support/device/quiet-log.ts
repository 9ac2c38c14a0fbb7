import type { Log } from '@relaygate/device-agent/runtime/log';

/** Collects what is logged. */
export function quietLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  return { lines, info: (text) => void lines.push(text), warn: (text) => void lines.push(text) };
}
