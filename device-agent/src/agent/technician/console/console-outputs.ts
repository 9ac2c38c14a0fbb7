/** The pages that move an output or change its settings. */
import type { OutputState } from '@relaygate/shared';
import { type FormMember, fieldOf, OUTPUT_FORMS } from '@relaygate/shared/device';
import { known } from '../../../locales/common';
import type { ConsoleTranslations } from '../../../locales/console';
import type { DeviceStatus } from '../local-messages/device';
import type { CommandReply } from '../local-messages/outputs';
import type { ConsoleAgent } from './console-agent';
import { outputLines } from './console-views';
import { chosen, confirmed, type Dialogue } from './dialogue';

export type Output = DeviceStatus['outputs'][number];
type Member = FormMember<'console'>;

const WHOLE_NUMBER = /^\d{1,9}$/;
/** The pulse has an item of the menu of its own. */
const OTHER_MEMBERS = OUTPUT_FORMS.console.filter((member) => member !== 'pulseMs');

/** Pulses an impulse output, or switches an on-off output. */
export async function moveOutput(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const { numOutput, pulseSinceMs } = output;
  const { t } = talk;
  if (output.mode === 'impulse') {
    const choice =
      pulseSinceMs === undefined ? 'pulse' : await chosen(talk, ['stop', 'pulse'] as const, (one) => t.ofPulsing[one]);
    if (choice === null) return;
    // The choice is enough, because off is safe and pulses are short.
    if (choice === 'stop' && pulseSinceMs !== undefined) return endPulse(talk, agent, numOutput, pulseSinceMs);
    if (!(await confirmed(talk, t.reallyPulse(output.pulseMs, titleOf(output))))) return;
    return talk.show([outcomeOf(t, await agent.change('pulse', { numOutput }))]);
  }
  const state = stateOf(await talk.ask(t.onOrOff));
  if (state === null) return talk.show([t.noSuchChoice]);
  if (!(await confirmed(talk, t.reallySwitch(state, titleOf(output))))) return;
  await talk.show([outcomeOf(t, await agent.change('set', { numOutput, state }))]);
}

async function endPulse(talk: Dialogue, agent: ConsoleAgent, numOutput: number, pulseSinceMs: number): Promise<void> {
  const { outcome } = await agent.change('stop', { numOutput, pulseSinceMs });
  await talk.show([outcome === 'executed' ? talk.t.pulseEnded : talk.t.noPulse]);
}

export async function changePulse(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (output) await change(talk, agent, output, 'pulseMs');
}

export async function changeOther(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const { t } = talk;
  const nowOf = (member: Member): string => `${t.members[member]}: ${valueInWords(t, member, output[member])}`;
  const member = await chosen(talk, OTHER_MEMBERS, nowOf);
  if (member !== null) await change(talk, agent, output, member);
}

async function change(talk: Dialogue, agent: ConsoleAgent, output: Output, member: Member): Promise<void> {
  const { t } = talk;
  const wanted = await askValue(talk, output, member);
  if (wanted === null) return;
  const what = t.members[member];
  const [from, to] = [valueInWords(t, member, output[member]), valueInWords(t, member, wanted)];
  if (!(await confirmed(talk, t.reallyChange(`${titleOf(output)}: ${what}`, from, to)))) return;
  const { before, after } = await agent.change('output', {
    numOutput: output.numOutput,
    change: { [member]: wanted },
    force: false,
  });
  await talk.show([t.saved(what, valueInWords(t, member, before[member]), valueInWords(t, member, after[member]))]);
}

/** null: it is to stay as it is. */
async function askValue(talk: Dialogue, output: Output, member: Member): Promise<string | number | null> {
  const { t } = talk;
  const { choices, rangeMs } = fieldOf(member);
  if (choices.length > 0) return chosen(talk, choices, (choice) => valueInWords(t, member, choice));
  if (rangeMs) await talk.show([t.nowMs(Number(output[member]), rangeMs.least, rangeMs.most)]);
  const answer = await talk.ask(known(t.newValues, member) ?? '');
  if (answer === '') return null;
  if (!rangeMs) return answer;
  if (WHOLE_NUMBER.test(answer)) return Number(answer);
  await talk.show([t.noWholeNumber]);
  return null;
}

export async function askOutput(talk: Dialogue, agent: ConsoleAgent): Promise<Output | null> {
  const { outputs } = await agent.ask('status', { language: talk.t.language });
  await talk.show(outputs.flatMap((output) => outputLines(talk.t, output)));
  const answer = await talk.ask(talk.t.whichOutput);
  if (answer === '') return null;
  const output = WHOLE_NUMBER.test(answer) ? outputs[Number(answer)] : undefined;
  if (!output) await talk.show([talk.t.noSuchChoice]);
  return output ?? null;
}

export function titleOf({ numOutput, name }: Output): string {
  return `${numOutput} (${name})`;
}

function stateOf(answer: string): OutputState | null {
  if (answer === '1') return 1;
  return answer === '0' ? 0 : null;
}

function valueInWords(t: ConsoleTranslations, member: Member, value: string | number): string {
  if (typeof value === 'number') return `${value} ms`;
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = t.choices;
  return known(choices[member] ?? {}, value) ?? value;
}

function outcomeOf(t: ConsoleTranslations, { outcome }: CommandReply): string {
  if (outcome === 'ignored') return t.pulseIgnored;
  return outcome === 'executed' ? t.done : t.alreadySo;
}
