import { LOCK_MAX_MS, LOCK_MIN_MS } from '@relaygate/shared';
import { localeOf } from '../../../locales/locales';
import { durationMs, durationWords } from '../../../runtime/duration';
import type { ConsoleAgent } from './console-agent';
import { askOutput, type Output, titleOf } from './console-outputs';
import { chosen, confirmed, type Dialogue } from './dialogue';

/** Keeps the server from an output that somebody works at, or lets it again. */
export async function changeLock(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const choice = output.lock ? await chosen(talk, ['unlock', 'lock'] as const, (one) => talk.t.ofLocked[one]) : 'lock';
  if (choice === 'unlock') await unlock(talk, agent, output);
  if (choice === 'lock') await lock(talk, agent, output);
}

async function lock(talk: Dialogue, agent: ConsoleAgent, output: Output): Promise<void> {
  const { t } = talk;
  const answer = await talk.ask(t.lockTime(durationWords(LOCK_MIN_MS), durationWords(LOCK_MAX_MS)));
  if (answer === '') return;
  const forMs = durationMs(answer);
  if (forMs === null || forMs < LOCK_MIN_MS || forMs > LOCK_MAX_MS) return talk.show([t.noDuration]);
  if (!(await confirmed(talk, t.reallyLock(titleOf(output), t.duration(forMs))))) return;
  const reply = await agent.change('lock', { numOutput: output.numOutput, forMs });
  const { unsaved } = reply;
  await talk.show([
    t.locked(t.duration(reply.forMs)),
    ...(unsaved === undefined ? [] : [t.lockNotSaved(localeOf(t.language).causeText(unsaved))]),
  ]);
}

async function unlock(talk: Dialogue, agent: ConsoleAgent, output: Output): Promise<void> {
  const { t } = talk;
  if (!(await confirmed(talk, t.reallyUnlock(titleOf(output))))) return;
  const { wasLocked } = await agent.change('unlock', { numOutput: output.numOutput });
  await talk.show([wasLocked ? t.done : t.alreadySo]);
}
