/** `relayctl prove`: somebody watches the relays, and says which one each output moves. */

import { givenName } from '@relaygate/shared/given-name';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { type Command, InvalidArgumentError } from 'commander';
import type { ProveReply } from '../agent/technician/local-messages/proof';
import type { RelayctlTranslations } from '../locales/relayctl';
import { proofTime } from '../proof/proof-time';
import { type Watcher, watchedRound } from '../proof/watched-round';
import { badUsage } from '../runtime/complaint';
import { problemOf } from '../runtime/problem';
import type { CommandDeps } from './command-deps';
import { typesYes } from './confirmation';
import { askedAnswers, writtenAnswers } from './prove-answers';
import type { Terminal } from './terminal';

interface ProveOptions {
  by: string;
  answers?: string;
}

export function addCommands(program: Command, { command, print, ask, change, terminal, t }: CommandDeps): void {
  command(program, 'prove', 'clicks every relay while you watch, and corrects lines and polarity')
    .requiredOption('--by <name>', 'who watches: stands in the proof', watcher)
    .option('--answers <file>', 'a line of JSON an output, {"relay":1,"isOn":false}, instead of questions; "-": stdin')
    .action(async (options: ProveOptions) => {
      const { wiring, names } = await ask(options, 'proof', {});
      const watcher = await watcherFor(options, terminal, names, t);
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
async function watcherFor(
  { answers }: ProveOptions,
  terminal: Terminal,
  names: readonly string[],
  t: RelayctlTranslations,
): Promise<Watcher> {
  if (answers !== undefined) return writtenAnswers(textOf(answers, terminal, t), t);
  if (!(await typesYes(terminal, t, `${t.willMove} `))) throw new RelaygateError('refused', t.notMoved);
  return askedAnswers(terminal, names, t);
}

function textOf(file: string, terminal: Terminal, t: RelayctlTranslations): string {
  try {
    return terminal.textOf(file);
  } catch (error) {
    throw badUsage(t.answersUnread(problemOf(error)), error);
  }
}

function showProof(reply: ProveReply, t: RelayctlTranslations): string {
  const { prove, output } = t;
  if (reply.result === 'proven') return t.provenBy(reply.proof.by, proofTime(reply.proof));
  const rows = reply.corrections.map(({ numOutput, line, activeLevel }) => {
    const lines = line ? [prove.line(line.from, line.to)] : [];
    const levels = activeLevel ? [prove.level(activeLevel.from, activeLevel.to)] : [];
    return `  ${output(numOutput, [...lines, ...levels].join(' '))}`;
  });
  const next = reply.mustRestart ? t.linesAfter : [prove.levelsHold];
  return [prove.corrected, ...rows, ...next, t.proveAgain].join('\n');
}
