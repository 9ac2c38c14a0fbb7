/** `relayctl input`: what the inputs of the board mean. */
import type { InputSettings } from '@relaygate/shared/device';
import { INPUT_SETTINGS } from '@relaygate/shared/input-settings';
import type { Command } from 'commander';
import type { InputReply, InputsReply } from '../agent/technician/local-messages/inputs';
import type { RelayctlTranslations } from '../locales/relayctl';
import { flagOf } from '../runtime/flag';
import type { CommandDeps } from './command-deps';
import { numInputArgument } from './numbers';
import { changeOf, withSettingOptions } from './setting-options';
import { table } from './show';

const EXAMPLES = `
Examples:
  relayctl input
  relayctl input set 0 --kind contact --name "Gate closed"
  relayctl input set 2 --kind button --name Exit --output 3 --action pulse
  relayctl input set 2 --debounce-ms 80
  relayctl input remove 2

The guard goes by a change once it is restarted. A button must not be the only way out.`;

export function addCommands(program: Command, { command, ask, change, print }: CommandDeps): void {
  const list = async (options: object): Promise<void> => print(await ask(options, 'inputs', {}), showInputs);
  const input = command(program, 'input', "shows or changes what the board's inputs mean")
    .addHelpText('after', EXAMPLES)
    .action(list);
  command(input, 'list', 'the inputs that mean something').action(list);
  withSettingOptions(command(input, 'set', 'gives an input a meaning, or changes it'), INPUT_SETTINGS)
    .addArgument(numInputArgument())
    .action(async (numInput: number, options: object) =>
      print(await change(options, 'input', { numInput, change: changeOf(options, INPUT_SETTINGS) }), showInput),
    );
  command(input, 'remove', 'takes the meaning of an input away')
    .addArgument(numInputArgument())
    .action(async (numInput: number, options: object) =>
      print(await change(options, 'input', { numInput, change: null }), showInput),
    );
}

function showInputs({ inputs, mustRestart }: InputsReply, t: RelayctlTranslations): string {
  const rows = inputs.map((input) => [
    String(input.numInput),
    t.inputKinds[input.kind],
    input.name,
    settingsOf(input).join(', ') || '-',
  ]);
  const lines = rows.length === 0 ? [t.noInputs] : table([t.inputMeanings, ...rows]);
  return [...lines, ...(mustRestart ? t.inputsNotInForce : [])].join('\n');
}

function showInput({ numInput, after, mustRestart }: InputReply, t: RelayctlTranslations): string {
  const what = after
    ? [`${t.inputKinds[after.kind]} "${after.name}"`, ...settingsOf(after)].join(', ')
    : t.meansNothing;
  return [t.input(numInput, what), ...(mustRestart ? t.inputsNotInForce : [])].join('\n');
}

/** The settings as the options of `input set` have them, beside kind and name. */
function settingsOf({ kind: _kind, numInput: _numInput, name: _name, ...others }: InputSettings): string[] {
  return Object.entries(others).map(([member, value]) => `${flagOf(member)} ${value}`);
}
