/** The options of `relayctl output` and `relayctl input set`, one for each setting. */
import { choicesOf, isNullable, type OutputSetting, rangeOf } from '@relaygate/shared/output-settings';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationWords } from '../runtime/duration';
import { flagOf } from '../runtime/flag';
import { WHOLE_NUMBER, wholeNumber } from './numbers';

type SettingTable = Readonly<Record<string, OutputSetting>>;

/** What stands for null, which commander cannot hand over. */
const NONE = 'none';

export function withSettingOptions(command: Command, table: SettingTable): Command {
  for (const [member, setting] of Object.entries(table)) command.addOption(optionOf(member, setting));
  return command;
}

/**
 * The members of a change; settings that are not given stay as they are. The command's other options are not part of it.
 */
export function changeOf(options: object, table: SettingTable): object {
  const given = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    Object.entries(table).flatMap(([member, { schema }]) => {
      const value = given.get(member);
      if (value === undefined) return [];
      return [[member, value === NONE && isNullable(schema) ? null : value]];
    }),
  );
}

/** The agent checks the ranges; a text that is no such value is refused here. */
function optionOf(member: string, { schema, placeholder, help }: OutputSetting): Option {
  const flags = `--${flagOf(member)} <${placeholder}>`;
  const range = rangeOf(schema);
  if (schema.type === 'boolean') return new Option(flags, help).argParser(trueOrFalse);
  if (range === null) {
    const choices = choicesOf(schema);
    return choices.length > 0 ? new Option(flags, help).choices(choices) : new Option(flags, help);
  }
  if (isNullable(schema))
    return new Option(flags, help).argParser((given) => (given === NONE ? given : wholeNumber(given)));
  const [least, most] = [range.least, range.most];
  const unit = placeholder === 'ms' ? ` ms (up to ${durationWords(most)})` : '';
  return new Option(flags, `${help}; ${least} to ${most}${unit}`).argParser((given) => {
    if (!WHOLE_NUMBER.test(given)) throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return Number(given);
  });
}

function trueOrFalse(given: string): boolean {
  if (given === 'true' || given === 'false') return given === 'true';
  throw new InvalidArgumentError('It is true or false.');
}
