import { destination, pino } from 'pino';
import type { Log } from './log';

const STDERR = 2;

/** JSON lines on stderr; stdout is for what people and scripts read. Written at once, so a crash loses none. */
export function pinoLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    destination({ fd: STDERR, sync: true }),
  );
}
