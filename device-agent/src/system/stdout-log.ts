import { isoTime, type WallClock } from '@relaygate/shared';
import type { Log } from '../program/log';

/** Info to stdout, warnings to stderr, each line with its time. Line breaks in texts of others are taken out. */
export function stdoutLog(wallClock: WallClock): Log {
  const line = (level: string, text: string): string =>
    `${isoTime(wallClock.epochMs())} ${level} ${text.replaceAll(/\s*[\r\n]+\s*/g, ' ')}\n`;
  return {
    info: (text) => void process.stdout.write(line('info', text)),
    warn: (text) => void process.stderr.write(line('warn', text)),
  };
}
