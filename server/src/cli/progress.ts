import type { WallClock } from '@relaygate/shared';

const REPORT_EVERY_MS = 1_000;

/** Prints progress on stderr: nothing in the first second, then at most one line a second. */
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
