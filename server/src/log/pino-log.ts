import { fstatSync, writeSync } from 'node:fs';
import { LOG_MAX_BYTES, plainText } from '@relaygate/shared';
import { pino } from 'pino';
import type { Log } from './log';

const STDERR = 2;

/**
 * Writes JSON lines to stderr, and never blocks or ends the program. Lines that the reader of a pipe has not taken are kept
 * up to LOG_MAX_BYTES (I15). Lines beyond that, or refused by a full disk, are lost, and the next line shows how many.
 */
export function pinoLog(level: string): Log {
  const write = isPipe(STDERR) ? queueForReader() : writeAtOnce;
  let lost = 0;
  const lines = {
    write(line: string): void {
      if (lost > 0 && write('')) {
        const lines = lost;
        lost = 0;
        log.warn({ lines }, 'log lines lost: they could not be written');
      }
      if (!write(plainText(line))) lost += 1;
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

/** Node queues what the pipe or socket does not take. The function returns false if the queue is full. */
function queueForReader(): (line: string) => boolean {
  // Without a listener, a reader that has gone would end the program.
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
