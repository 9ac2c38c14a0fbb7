import type { WallClock } from '@relaygate/shared';

const REPORT_EVERY_MS = 1_000;

/** Lines on stderr about work that takes long: none in its first second, then at most one a second. */
export function progressLines(deps: {
  printError(text: string): void;
  wallClock: WallClock;
}): (text: () => string) => void {
  let lastMs = deps.wallClock.epochMs();
  return (text) => {
    const nowMs = deps.wallClock.epochMs();
    if (nowMs - lastMs < REPORT_EVERY_MS) return;
    lastMs = nowMs;
    deps.printError(text());
  };
}
