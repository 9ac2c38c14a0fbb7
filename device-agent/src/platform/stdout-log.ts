import type { WallClock } from '@relaygate/shared';
import { LOG_MAX_BYTES } from '@relaygate/shared/device-limits';
import { isoTime } from '@relaygate/shared/iso-time';
import { oneLine, plainLine } from '@relaygate/shared/plain-text';
import type { Log } from '../runtime/log';

/** The part of a stream of Node's that a log needs. */
export type LogStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength'>;

/**
 * Info to stdout, warnings to stderr, each line with its time. Line breaks in others' texts are taken out, and no text
 * moves a terminal's cursor. If the reader hangs, LOG_MAX_BYTES wait for it (I15), and the next line that has room says how
 * many were lost.
 */
export function stdoutLog(
  wallClock: WallClock,
  { stdout, stderr }: { stdout: LogStream; stderr: LogStream } = process,
): Log {
  const line = (level: string, text: string): string =>
    `${isoTime(wallClock.epochMs())} ${level} ${plainLine(oneLine(text))}\n`;
  const writer = (stream: LogStream, level: string) => {
    let lost = 0;
    return (text: string): void => {
      if (stream.writableLength >= LOG_MAX_BYTES) {
        lost += 1;
        return;
      }
      if (lost > 0) stream.write(line(level, `${lost} lines of the log lost: nobody read them`));
      lost = 0;
      stream.write(line(level, text));
    };
  };
  return { info: writer(stdout, 'info'), warn: writer(stderr, 'warn') };
}
