/** The pages that move an output or change its settings. */
import { type OutputState, PULSE_MAX_MS, PULSE_MIN_MS } from '@relaygate/shared';
import { choicesOf, OutputSettings } from '@relaygate/shared/device';
import type { Words } from '../../../locales/console';
import type { DeviceStatus } from '../local-messages/device';
import type { CommandReply, OutputRequest } from '../local-messages/outputs';
import type { ConsoleAgent } from './console-agent';
import { outputLines } from './console-views';
import { chosen, confirmed, type Dialogue } from './dialogue';

export type Output = DeviceStatus['outputs'][number];
type Member = keyof Words['members'];
type Change = OutputRequest['change'];

const WHOLE_NUMBER = /^\d{1,9}$/;
const OTHER_MEMBERS = ['name', 'mode', 'powerOn'] as const;
const MODES = choicesOf(OutputSettings.properties.mode);
const POWER_ON = choicesOf(OutputSettings.properties.powerOn);

/** A pulse where the output pulses; on or off where it does not. */
export async function moveOutput(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const { numOutput, pulseSinceMs } = output;
  const { words } = talk;
  if (output.mode === 'impulse') {
    const choice =
      pulseSinceMs === undefined
        ? 'pulse'
        : await chosen(talk, ['stop', 'pulse'] as const, (one) => words.ofPulsing[one]);
    if (choice === null) return;
    // Off is the safe side, and pulses are short: that it was chosen is enough.
    if (choice === 'stop' && pulseSinceMs !== undefined) return endPulse(talk, agent, numOutput, pulseSinceMs);
    if (!(await confirmed(talk, words.reallyPulse(output.pulseMs, titleOf(output))))) return;
    return talk.show([outcomeOf(words, await agent.pulse(numOutput))]);
  }
  const state = stateOf(await talk.ask(words.onOrOff));
  if (state === null) return talk.show([words.noSuchChoice]);
  if (!(await confirmed(talk, words.reallySwitch(state, titleOf(output))))) return;
  await talk.show([outcomeOf(words, await agent.set(numOutput, state))]);
}

async function endPulse(talk: Dialogue, agent: ConsoleAgent, numOutput: number, pulseSinceMs: number): Promise<void> {
  const { outcome } = await agent.stop(numOutput, pulseSinceMs);
  await talk.show([outcome === 'executed' ? talk.words.pulseEnded : talk.words.noPulse]);
}

export async function changePulse(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const { words } = talk;
  await talk.show([words.pulseNow(output.pulseMs, PULSE_MIN_MS, PULSE_MAX_MS)]);
  const answer = await talk.ask(words.newPulse);
  if (answer === '') return;
  if (!WHOLE_NUMBER.test(answer)) return talk.show([words.noWholeNumber]);
  await change(talk, agent, output, 'pulseMs', { pulseMs: Number(answer) });
}

export async function changeOther(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const output = await askOutput(talk, agent);
  if (!output) return;
  const { words } = talk;
  const nowOf = (member: Member): string => `${words.members[member]}: ${valueInWords(words, member, output)}`;
  const member = await chosen(talk, OTHER_MEMBERS, nowOf);
  if (member === null) return;
  const wanted = await askChange(talk, member);
  if (wanted) await change(talk, agent, output, member, wanted);
}

async function askChange(talk: Dialogue, member: (typeof OTHER_MEMBERS)[number]): Promise<Change | null> {
  const { words } = talk;
  switch (member) {
    case 'name': {
      const name = await talk.ask(words.newName);
      return name === '' ? null : { name };
    }
    case 'mode': {
      const mode = await chosen(talk, MODES, (option) => words.modes[option]);
      return mode && { mode };
    }
    case 'powerOn': {
      const powerOn = await chosen(talk, POWER_ON, (option) => words.powerOn[option]);
      return powerOn && { powerOn };
    }
    default:
      return member satisfies never;
  }
}

async function change(talk: Dialogue, agent: ConsoleAgent, output: Output, member: Member, wanted: Change) {
  const { words } = talk;
  const what = words.members[member];
  const [from, to] = [valueInWords(words, member, output), valueInWords(words, member, { ...output, ...wanted })];
  if (!(await confirmed(talk, words.reallyChange(`${titleOf(output)}: ${what}`, from, to)))) return;
  const { before, after } = await agent.change(output.numOutput, wanted);
  await talk.show([words.saved(what, valueInWords(words, member, before), valueInWords(words, member, after))]);
}

export async function askOutput(talk: Dialogue, agent: ConsoleAgent): Promise<Output | null> {
  const { outputs } = await agent.status(talk.words.language);
  await talk.show(outputs.flatMap((output) => outputLines(talk.words, output)));
  const answer = await talk.ask(talk.words.whichOutput);
  if (answer === '') return null;
  const output = WHOLE_NUMBER.test(answer) ? outputs[Number(answer)] : undefined;
  if (!output) await talk.show([talk.words.noSuchChoice]);
  return output ?? null;
}

export function titleOf({ numOutput, name }: Output): string {
  return `${numOutput} (${name})`;
}

function stateOf(answer: string): OutputState | null {
  if (answer === '1') return 1;
  return answer === '0' ? 0 : null;
}

function valueInWords(words: Words, member: Member, values: Pick<Required<Output>, Member>): string {
  switch (member) {
    case 'name':
      return values.name;
    case 'pulseMs':
      return `${values.pulseMs} ms`;
    case 'mode':
      return words.modes[values.mode];
    case 'powerOn':
      return words.powerOn[values.powerOn];
    default:
      return member satisfies never;
  }
}

function outcomeOf(words: Words, { outcome }: CommandReply): string {
  if (outcome === 'ignored') return words.pulseIgnored;
  return outcome === 'executed' ? words.done : words.alreadySo;
}
