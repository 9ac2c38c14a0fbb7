import { LOG_MAX_BYTES } from '@relaygate/shared';
import { destination, pino } from 'pino';
import type { Log } from './log';

const STDERR = 2;

/**
 * JSON lines on stderr; stdout is for what people and scripts read. Written behind the event loop's back, and at the end
 * of the process: a reader of the log that hangs must not hold up commands. What it does not take is bounded (I15), and
 * it is told how many lines it missed.
 */
export function pinoLog(level: string, fd = STDERR): Log {
  const lines = destination({ fd, sync: false, maxLength: LOG_MAX_BYTES });
  const log = pino({ level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, lines);
  let lost = 0;
  lines.on('drop', () => {
    lost += 1;
  });
  lines.on('drain', () => {
    if (lost === 0) return;
    const missed = lost;
    lost = 0;
    log.warn({ lines: missed }, 'log lines lost: nobody read them');
  });
  return log;
}
