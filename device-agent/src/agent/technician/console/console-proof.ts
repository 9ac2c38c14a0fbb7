/** Somebody watches the relays, and says which one each output moves. */

import type { ProveWords } from '../../../locales/console';
import { proofTime } from '../../../proof/proof-time';
import { typedAnswers, type Watcher, watchedRound } from '../../../proof/watched-round';
import type { ProveReply } from '../local-messages/proof';
import type { ConsoleAgent } from './console-agent';
import { confirmed, type Dialogue } from './dialogue';

/** Ctrl-C leads out of every question. */
export async function proveWiring(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const words = talk.words.prove;
  const { wiring, names, proof, isProven } = await agent.ask('proof', {});
  await talk.show([isProven && proof ? words.isProven(proof.by, proofTime(proof)) : words.notProven]);
  const by = await talk.ask(words.byWhom);
  if (by === '' || !(await confirmed(talk, words.reallyMove(names.length)))) return;
  const answers = await watchedRound(names.length, watcherAt(talk, names), (numOutput) =>
    agent.change('click', { numOutput }),
  );
  if (!(await confirmed(talk, words.reallyRecord(by)))) return;
  await talk.show(outcomeLines(words, await agent.change('prove', { by, wiring, answers })));
}

function watcherAt(talk: Dialogue, names: readonly string[]): Watcher {
  const { yes, no, prove } = talk.words;
  return {
    willClick: (numOutput) => talk.show([prove.willClick(numOutput + 1, names.length, names[numOutput] ?? '')]),
    ...typedAnswers(names.length, { ...prove, yes, no }, (question) => talk.ask(question)),
  };
}

function outcomeLines(words: ProveWords, reply: ProveReply): string[] {
  if (reply.result === 'proven') return [words.proven(reply.proof.by, proofTime(reply.proof))];
  const rows = reply.corrections.map(({ numOutput, line, activeLevel }) => {
    const what = [
      ...(line ? [words.line(line.from, line.to)] : []),
      ...(activeLevel ? [words.level(activeLevel.from, activeLevel.to)] : []),
    ];
    return words.correction(numOutput, what.join(', '));
  });
  return [words.corrected, ...rows, reply.mustRestart ? words.mustRestart : words.levelsHold, words.onceMore];
}
