/** Somebody watches the relays, and says which one each output moves. */

import type { ProofTranslations } from '../../../locales/console';
import { proofTime } from '../../../proof/proof-time';
import { typedAnswers, type Watcher, watchedRound } from '../../../proof/watched-round';
import type { ProveReply } from '../local-messages/proof';
import type { ConsoleAgent } from './console-agent';
import { confirmed, type Dialogue } from './dialogue';

/** Ctrl-C leads out of every question. */
export async function proveWiring(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const t = talk.t.prove;
  const { wiring, names, proof, isProven } = await agent.ask('proof', {});
  await talk.show([isProven && proof ? t.isProven(proof.by, proofTime(proof)) : t.notProven]);
  const by = await talk.ask(t.byWhom);
  if (by === '' || !(await confirmed(talk, t.reallyMove(names.length)))) return;
  const answers = await watchedRound(names.length, watcherAt(talk, names), (numOutput) =>
    agent.change('click', { numOutput }),
  );
  if (!(await confirmed(talk, t.reallyRecord(by)))) return;
  await talk.show(outcomeLines(t, await agent.change('prove', { by, wiring, answers })));
}

function watcherAt(talk: Dialogue, names: readonly string[]): Watcher {
  const { yes, no, prove } = talk.t;
  return {
    willClick: (numOutput) => talk.show([prove.willClick(numOutput + 1, names.length, names[numOutput] ?? '')]),
    ...typedAnswers(names.length, { ...prove, yes, no }, (question) => talk.ask(question)),
  };
}

function outcomeLines(t: ProofTranslations, reply: ProveReply): string[] {
  if (reply.result === 'proven') return [t.proven(reply.proof.by, proofTime(reply.proof))];
  const rows = reply.corrections.map(({ numOutput, line, activeLevel }) => {
    const what = [
      ...(line ? [t.line(line.from, line.to)] : []),
      ...(activeLevel ? [t.level(activeLevel.from, activeLevel.to)] : []),
    ];
    return t.correction(numOutput, what.join(', '));
  });
  return [t.corrected, ...rows, reply.mustRestart ? t.mustRestart : t.levelsHold, t.onceMore];
}
