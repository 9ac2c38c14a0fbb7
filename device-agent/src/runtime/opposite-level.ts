import type { Level } from '@relaygate/shared/device';

export function oppositeLevel(level: Level): Level {
  return level === 'high' ? 'low' : 'high';
}
