import type { Clock, Level } from '@relaygate/shared';
import type { InputReading, RelayDriver } from '../relay/relay-driver';

/** How often a feedback input is looked at while a command waits for it. */
export const FEEDBACK_POLL_MS = 10;

export interface FeedbackPorts {
  clock: Clock;
  driver: Pick<RelayDriver, 'readInput'>;
}

/**
 * Resolves with true once the input shows `level`, with false when it has not within `withinMs` (a board that cannot read
 * or does not answer shows nothing). Never rejects.
 */
export function follows(
  { clock, driver }: FeedbackPorts,
  input: number,
  level: Level,
  withinMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (isProven: boolean): void => {
      isOver = true;
      cancelTimer();
      resolve(isProven);
    };
    const look = async (): Promise<void> => {
      const reading = await readingOf(driver, input);
      if (isOver) return;
      if (reading.kind === 'read' && reading.level === level) end(true);
      else clock.after(FEEDBACK_POLL_MS, () => void look());
    };
    const cancelTimer = clock.after(withinMs, () => end(false));
    void look();
  });
}

async function readingOf(driver: Pick<RelayDriver, 'readInput'>, input: number): Promise<InputReading> {
  try {
    return (await driver.readInput?.(input)) ?? { kind: 'failed', problem: 'the board has no inputs' };
  } catch {
    return { kind: 'failed', problem: 'the input cannot be read' };
  }
}
