/** Somebody watches the relays, and says which one each output moves. */

import type { ProveWords } from '../../locales/console';
import { proofTime } from '../../runtime/proof-time';
import type { ProveReply, ProveRequest } from '../local-messages/proof';
import type { ConsoleAgent } from './console-agent';
import { confirmed, type Dialogue } from './dialogue';

type Answer = ProveRequest['answers'][number];

const RELAY = /^(0|[1-9]\d?)$/;

/** Every click is a pulse that the guard ends (I4), so no relay is left on wherever this is left. */
export async function proveWiring(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const words = talk.words.prove;
  const { wiring, names, proof, isProven } = await agent.proof();
  await talk.show([isProven && proof ? words.isProven(proof.by, proofTime(proof)) : words.notProven]);
  const by = await talk.ask(words.byWhom);
  if (by === '' || !(await confirmed(talk, words.reallyMove(names.length)))) return;
  const answers: Answer[] = [];
  for (const [numOutput, name] of names.entries()) {
    await talk.show([words.willClick(numOutput + 1, names.length, name)]);
    answers.push(await askAnswer(talk, names.length, () => agent.click(numOutput)));
  }
  if (!(await confirmed(talk, words.reallyRecord(by)))) return;
  await talk.show(outcomeLines(words, await agent.prove({ by, wiring, answers })));
}

async function askAnswer(talk: Dialogue, count: number, click: () => Promise<void>): Promise<Answer> {
  const words = talk.words.prove;
  await click();
  const relay = await askUntil(talk, words.which, async (answer) => {
    if (answer !== words.again) return RELAY.test(answer) && Number(answer) <= count ? Number(answer) : null;
    await click();
    return null;
  });
  if (relay === 0) return { relay, isOn: false };
  const isOn = await askUntil(talk, words.isOn(relay), async (answer) => {
    if (talk.words.yes.includes(answer)) return true;
    return talk.words.no.includes(answer) ? false : null;
  });
  return { relay, isOn };
}

/** Nothing is taken for an answer here but one: Ctrl-C leads out. */
async function askUntil<T>(talk: Dialogue, question: string, read: (answer: string) => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await read((await talk.ask(question)).toLowerCase());
    if (value !== null) return value;
  }
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
