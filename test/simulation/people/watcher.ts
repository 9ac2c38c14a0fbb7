/** Somebody who watches the relays while they click, as `relayctl prove` has it, and says what was seen. */
import type { Answer } from '@relaygate/device-agent/proof/proof-round';
import type { Device } from '../machines/device';
import type { Surroundings } from '../machines/surroundings';
import type { LocalRequest, Watching } from './local-request';

/** Resolves with what the technician hears last; null: nothing. */
export async function proveOnSite(
  { history, scheduler }: Surroundings,
  { setup: { name, outputs }, card, board }: Device,
  watching: Watching,
  ask: (request: LocalRequest) => Promise<string | null>,
): Promise<string | null> {
  const answers: Answer[] = [];
  const switchOff = (numOutput: number): Promise<string | null> => {
    const isImpulse = card.savedOutputs[numOutput]?.mode === 'impulse';
    return ask(isImpulse ? { type: 'stop', numOutput, afterMs: 0 } : { type: 'set', numOutput, state: 0 });
  };
  // Relays are proven one by one, with all others off.
  for (const numOutput of outputs.keys()) if (board.isActive(numOutput)) await switchOff(numOutput);
  for (const numOutput of outputs.keys()) {
    if (watching === 'guessed') {
      answers.push({ relay: numOutput + 1, isOn: false });
      continue;
    }
    const fromMs = scheduler.nowMs;
    const heard = await ask({ type: 'click', numOutput });
    // A relay has lost its supply, perhaps: to the guard it is on. Whoever tries again has all of them off.
    if (heard === 'output-active') for (const other of outputs.keys()) await switchOff(other);
    if (heard !== 'ok') return heard;
    const seen = new Set(
      history.edges
        .filter(({ machine, active, atMs }) => machine === name && active && atMs >= fromMs)
        .map(({ output }) => output),
    );
    const [output, ...others] = seen;
    const relay = output === undefined || others.length > 0 ? 0 : output + 1;
    answers.push({ relay, isOn: output !== undefined && board.isActive(output) });
  }
  return ask({ type: 'prove', answers: said(watching, answers) });
}

function said(watching: Watching, answers: readonly Answer[]): readonly Answer[] {
  const [first, second, ...others] = answers;
  if (!first || !second) return answers;
  if (watching === 'exchanged') return [second, first, ...others];
  return watching === 'unseen' ? [{ ...first, relay: 0 }, second, ...others] : answers;
}
