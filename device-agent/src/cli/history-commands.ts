/** `relayctl history`: what people did at this device. */
import type { HistoryEntry } from '@relaygate/shared';
import type { Command } from 'commander';
import type { HistoryReply, HistoryRequest } from '../agent/local-messages/history';
import { wholeNumber } from './output-options';
import { showHistory } from './show-history';

export interface HistoryCommandPorts {
  /** Makes a command with the options that all have. */
  command(parent: Command, name: string, description: string): Command;
  /** Prints the value as one line of JSON, or as text. */
  print<Value>(value: Value, show: (value: Value) => string): void;
  askAgent(own: object, body: HistoryRequest): Promise<HistoryReply>;
}

interface HistoryOptions {
  count: number;
  output?: number;
}

const DEFAULT_COUNT = 30;

export function addHistoryCommands(program: Command, { command, print, askAgent }: HistoryCommandPorts): void {
  command(program, 'history', 'what people did at this device: who, when, from, to; the oldest first')
    .option('-n, --count <count>', 'the newest so many', wholeNumber, DEFAULT_COUNT)
    .option('--output <n>', 'of this output', wholeNumber)
    .action(async (options: HistoryOptions) => {
      const { count, output: numOutput } = options;
      const wanted = { limit: Math.max(1, count), ...(numOutput === undefined ? {} : { numOutput }) };
      let entries: HistoryEntry[] = [];
      for (;;) {
        const beforeSeq = entries[0]?.seq;
        const limit = wanted.limit - entries.length;
        const page = await askAgent(options, { ...wanted, limit, ...(beforeSeq === undefined ? {} : { beforeSeq }) });
        entries = [...page.entries, ...entries];
        if (page.entries.length === 0 || entries.length >= wanted.limit || (entries[0]?.seq ?? 1) <= 1) {
          return print<HistoryReply>({ entries, faults: page.faults }, showHistory);
        }
      }
    });
}
