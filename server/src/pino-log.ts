import { fstatSync, writeSync } from 'node:fs';
import { LOG_MAX_BYTES, plainText } from '@relaygate/shared';
import { pino } from 'pino';
import type { Log } from './log';

const STDERR = 2;

/**
 * JSON lines on stderr; stdout is for what people and scripts read. A log that cannot be written holds nothing up and
 * ends nothing: what its reader does not take is kept up to LOG_MAX_BYTES (I15), what a full disk refuses is let go, and
 * the next line that is written says how many were lost.
 */
export function pinoLog(level: string): Log {
  const take = isPipe(STDERR) ? queueForReader() : writeAtOnce;
  let lost = 0;
  const lines = {
    write(line: string): void {
      if (lost > 0 && take('')) {
        const missed = lost;
        lost = 0;
        log.warn({ lines: missed }, 'log lines lost: they could not be written');
      }
      if (!take(plainText(line))) lost += 1;
    },
  };
  const log = pino({ level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, lines);
  return log;
}

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/** Node writes to a pipe or socket what it takes, and queues the rest. False: there is no room. */
function queueForReader(): (line: string) => boolean {
  // A reader that has gone is no reason to end.
  process.stderr.on('error', () => {});
  return (line) => {
    if (process.stderr.destroyed || process.stderr.writableLength >= LOG_MAX_BYTES) return false;
    if (line !== '') process.stderr.write(line);
    return true;
  };
}

function writeAtOnce(line: string): boolean {
  try {
    writeSync(STDERR, line);
    return true;
  } catch {
    return false;
  }
}
