import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { RelayDriver } from '../../relay/relay-driver';
import { inTime } from '../../runtime/in-time';

/** How often a feedback input is read while it must show something. */
const FEEDBACK_POLL_MS = 10;
/** No edge waits longer than this for what its input shows before it. */
const FEEDBACK_LOOK_MS = 100;

export interface FeedbackDeps {
  /** Its timers may be late: an exact timer would take the processor from a running pulse. */
  slackClock: Clock;
  driver: Pick<RelayDriver, 'readInput'>;
}

/**
 * Calls `done` with true once the input shows `level`, with false when it has not within `withinMs` (a board that cannot
 * read or does not answer shows nothing); at most once, and never after the result was called.
 */
export function watchInput(
  { slackClock: clock, driver }: FeedbackDeps,
  input: number,
  level: Level,
  withinMs: number,
  done: (isShown: boolean) => void,
): Cancel {
  let isOver = false;
  let cancelPoll: Cancel = () => {};
  const stop = (): void => {
    isOver = true;
    cancelPoll();
    cancelEnd();
  };
  const end = (isShown: boolean): void => {
    stop();
    done(isShown);
  };
  const look = async (): Promise<void> => {
    const shown = await readingOf(driver, input);
    if (isOver) return;
    if (shown === level) end(true);
    else cancelPoll = clock.after(FEEDBACK_POLL_MS, () => void look());
  };
  const cancelEnd = clock.after(withinMs, () => end(false));
  void look();
  return stop;
}

/** The level at the input now; null: unknown, or not answered in time. Never rejects. */
export function levelNow(
  { slackClock, driver }: FeedbackDeps,
  input: number,
  withinMs = FEEDBACK_LOOK_MS,
): Promise<Level | null> {
  return inTime(slackClock, withinMs, readingOf(driver, input), null);
}

async function readingOf(driver: Pick<RelayDriver, 'readInput'>, input: number): Promise<Level | null> {
  try {
    const reading = await driver.readInput?.(input);
    return reading?.kind === 'read' ? reading.level : null;
  } catch {
    return null;
  }
}
