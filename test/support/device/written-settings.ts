/**
 * A device's `settings.json`, read by what device-agent/SETTINGS.md says of it and by nothing of the device's own: a fault of
 * its reader, or of a default, would else be one of its judge.
 */
import type { HistoryValue } from '@relaygate/shared';
import type { CompleteOutput, InputSettings, OutputSettings } from '@relaygate/shared/device';

const MODES = ['on-off', 'impulse'];

/** Of what an output need not name. */
const DEFAULTS = {
  retrigger: 'ignore',
  maxOnMs: 0,
  minSwitchIntervalMs: 0,
  interlock: null,
  interlockDelayMs: 500,
  onLinkLoss: 'hold',
  linkLossMs: 60_000,
  onAgentLoss: 'hold',
  agentLossMs: 10_000,
  feedbackInput: null,
  feedbackActiveLevel: 'high',
  feedbackMs: 1_000,
} as const;

interface Written {
  outputs: OutputSettings[];
  inputs?: InputSettings[];
}

export interface WrittenSettings {
  /** With what each need not name. */
  outputs: readonly CompleteOutput[];
  /** By member, as the history names them: `outputs.2.pulseMs`, and `inputs.7.name` of input 7. What is null is not in it. */
  facts: ReadonlyMap<string, HistoryValue>;
}

/** Throws for a text that is no JSON. null: an output has a mode that there is not. */
export function writtenSettings(text: string): WrittenSettings | null {
  const { outputs: named, inputs = [], ...others }: Written = JSON.parse(text);
  if (!named.every(({ mode }) => MODES.includes(mode))) return null;
  const outputs = named.map(completeAsPromised);
  const numbered = Object.fromEntries(inputs.map(({ numInput, ...input }) => [numInput, input]));
  return { outputs, facts: new Map(factsIn({ ...others, outputs, inputs: numbered }, '')) };
}

export function completeAsPromised(output: OutputSettings): CompleteOutput {
  return { ...DEFAULTS, ...output };
}

function factsIn(value: object, prefix: string): [string, HistoryValue][] {
  return Object.entries(value).flatMap(([name, member]): [string, HistoryValue][] => {
    if (member === null) return [];
    return typeof member === 'object' ? factsIn(member, `${prefix}${name}.`) : [[`${prefix}${name}`, member]];
  });
}
