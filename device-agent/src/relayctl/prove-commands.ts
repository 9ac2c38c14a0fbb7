/** `relayctl prove`: somebody watches the relays, and says which one each output moves. */

import { givenName } from '@relaygate/shared/plain-text';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { type Command, InvalidArgumentError } from 'commander';
import type { ProveReply } from '../agent/technician/local-messages/proof';
import { proofTime } from '../proof/proof-time';
import { type Watcher, watchedRound } from '../proof/watched-round';
import { problemOf } from '../runtime/problem';
import type { CommandDeps } from './command-deps';
import { askedAnswers, writtenAnswers } from './prove-answers';
import type { Terminal } from './terminal';

export interface ProveCommandDeps extends CommandDeps {
  terminal: Terminal;
}

interface ProveOptions {
  by: string;
  answers?: string;
}

export function addProveCommand(program: Command, { command, print, ask, change, terminal }: ProveCommandDeps): void {
  command(program, 'prove', 'clicks every relay while you watch, and corrects lines and polarity')
    .requiredOption('--by <name>', 'who watches: stands in the proof', watcher)
    .option('--answers <file>', 'a line of JSON an output, {"relay":1,"isOn":false}, instead of questions; "-": stdin')
    .action(async (options: ProveOptions) => {
      const { wiring, names } = await ask(options, 'proof', {});
      const watcher = await watcherFor(options, terminal, names);
      const click = (numOutput: number): Promise<unknown> => change(options, 'click', { numOutput });
      const body = { by: options.by, wiring, answers: await watchedRound(names.length, watcher, click) };
      print(await change(options, 'prove', body), showProof);
    });
}

function watcher(text: string): string {
  const name = givenName(text);
  if (name !== null) return name;
  throw new InvalidArgumentError('It is a name that shows something, without control characters and invisible signs.');
}

/** Before the first click. */
async function watcherFor({ answers }: ProveOptions, terminal: Terminal, names: readonly string[]): Promise<Watcher> {
  if (answers !== undefined) return writtenAnswers(textOf(answers, terminal));
  const go = await terminal.ask('Whatever hangs on these relays will move. Type "yes" to go on: ');
  if (go?.toLowerCase() !== 'yes') throw new RelaygateError('refused', 'Nothing was moved, and nothing is proven.');
  return askedAnswers(terminal, names);
}

function textOf(file: string, terminal: Terminal): string {
  try {
    return terminal.textOf(file);
  } catch (error) {
    throw new RelaygateError('bad-usage', `The answers cannot be read: ${problemOf(error)}.`, { cause: error });
  }
}

function showProof(reply: ProveReply): string {
  if (reply.result === 'proven') {
    const time = proofTime(reply.proof);
    return `proven by ${reply.proof.by} ${time === null ? 'while the clock was not set' : `at ${time}`}`;
  }
  const rows = reply.corrections.map(({ numOutput, line, activeLevel }) =>
    [
      `output ${numOutput}:`,
      ...(line ? [`line ${line.from} -> ${line.to}`] : []),
      ...(activeLevel ? [`active level ${activeLevel.from} -> ${activeLevel.to}`] : []),
    ].join(' '),
  );
  const next = reply.mustRestart
    ? [
        'The lines are in force once guard and agent are restarted:',
        '  sudo systemctl restart relaygate-guard relaygate-agent',
      ]
    : ['The levels are in force.'];
  return [
    'The settings were wrong and are corrected:',
    ...rows.map((row) => `  ${row}`),
    ...next,
    'Nothing is proven yet: run "relayctl prove" once more.',
  ].join('\n');
}
