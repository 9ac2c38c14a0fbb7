import { InvalidArgumentError, Option } from 'commander';
import { durationMs, durationWords } from '../runtime/duration';

interface TimeRange {
  leastMs: number;
  mostMs: number;
  presetMs: number;
}

/** `--for 2h`, in milliseconds. `examples`: "45m or 2h". */
export function timeOption(examples: string, { leastMs, mostMs, presetMs }: TimeRange): Option {
  const range = `${durationWords(leastMs)} to ${durationWords(mostMs)}`;
  return new Option('--for <time>', `such as ${examples}; ${range}`)
    .argParser((text) => {
      const forMs = durationMs(text);
      if (forMs !== null && forMs >= leastMs && forMs <= mostMs) return forMs;
      throw new InvalidArgumentError(`It is a number with s, m, h or d, ${range}.`);
    })
    .default(presetMs, durationWords(presetMs));
}
