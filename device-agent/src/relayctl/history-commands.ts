/** `relayctl history`: what people did at this device. */
import type { HistoryEntry } from '@relaygate/shared';
import { KEPT_HISTORY_ENTRIES } from '@relaygate/shared/limits';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { HistoryReply, HistoryRequest } from '../agent/technician/local-messages/history';
import type { CommandDeps } from './command-deps';
import { wholeNumber } from './numbers';
import { showHistory } from './show-history';

interface HistoryOptions {
  count: number;
  output?: number;
}

const DEFAULT_COUNT = 30;

export function addCommands(program: Command, { command, print, ask, t }: CommandDeps): void {
  command(program, 'history', 'what people did at this device: who, when, from, to; the oldest first')
    .option('-n, --count <count>', `the newest so many, 1 to ${KEPT_HISTORY_ENTRIES}`, wholeNumber, DEFAULT_COUNT)
    .option('--output <n>', 'of this output', wholeNumber)
    .action(async (options: HistoryOptions) => {
      const { count, output: numOutput } = options;
      if (count < 1 || count > KEPT_HISTORY_ENTRIES)
        throw new RelaygateError('out-of-range', t.countRange(KEPT_HISTORY_ENTRIES));
      const { language } = t;
      const wanted = { language, limit: count, ...(numOutput === undefined ? {} : { numOutput }) };
      let entries: HistoryEntry[] = [];
      for (;;) {
        const beforeSeq = entries[0]?.seq;
        const limit = wanted.limit - entries.length;
        const body: HistoryRequest = { ...wanted, limit, ...(beforeSeq === undefined ? {} : { beforeSeq }) };
        const page = await ask(options, 'history', body);
        entries = [...page.entries, ...entries];
        if (page.entries.length === 0 || entries.length >= wanted.limit || (entries[0]?.seq ?? 1) <= 1) {
          return print<HistoryReply>({ entries, faults: page.faults }, showHistory);
        }
      }
    });
}
