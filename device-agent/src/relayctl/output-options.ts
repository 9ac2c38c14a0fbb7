/** The options of `relayctl output`, one for each setting of an output. */
import {
  choicesOf,
  isNullable,
  OUTPUT_SETTINGS,
  type OutputSetting,
  type OutputSettings,
  rangeOf,
} from '@relaygate/shared/output-settings';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationWords } from '../runtime/duration';
import { flagOf } from '../runtime/flag';
import { WHOLE_NUMBER, wholeNumber } from './numbers';

/** As commander hands it over: the names are those of the settings. */
export type OutputChangeOptions = { [Member in keyof OutputSettings]?: string | number };

/** What stands for null, which commander cannot hand over. */
const NONE = 'none';

export function withOutputOptions(command: Command): Command {
  for (const [member, setting] of Object.entries(OUTPUT_SETTINGS)) command.addOption(optionOf(member, setting));
  return command;
}

/** The members of a change; what was not given stays as it is. The other options of the command are about how, not what. */
export function outputChangeOf(options: OutputChangeOptions): object {
  const given: Readonly<Record<string, unknown>> = options;
  return Object.fromEntries(
    Object.entries(OUTPUT_SETTINGS).flatMap(([member, { schema }]) => {
      const value = given[member];
      if (value === undefined) return [];
      return [[member, value === NONE && isNullable(schema) ? null : value]];
    }),
  );
}

/** The agent checks the ranges; what is no such value at all is answered here. */
function optionOf(member: string, { schema, placeholder, help }: OutputSetting): Option {
  const flags = `--${flagOf(member)} <${placeholder}>`;
  const range = rangeOf(schema);
  if (range === null) {
    const choices = choicesOf(schema);
    return choices.length > 0 ? new Option(flags, help).choices(choices) : new Option(flags, help);
  }
  if (isNullable(schema))
    return new Option(flags, help).argParser((given) => (given === NONE ? given : wholeNumber(given)));
  const [least, most] = [range.least, range.most];
  return new Option(flags, `${help}; ${least} to ${most} ms (up to ${durationWords(most)})`).argParser((given) => {
    if (!WHOLE_NUMBER.test(given)) throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return Number(given);
  });
}
