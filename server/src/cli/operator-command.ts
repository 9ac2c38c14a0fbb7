import { readFileSync } from 'node:fs';
import { RelaygateError, type ServerSettings } from '@relaygate/shared';
import type { Command } from 'commander';
import { messageOf } from '../foreign-error';
import { readSettings, settingsFileOf } from '../settings';
import type { CliDeps, OperatorStore } from './cli-deps';

/** The result of a command, for programs and for people. */
export interface Answer {
  json: unknown;
  text: string;
}

export interface CommonOptions {
  settings?: string;
  json?: true;
}

/** A command that works on the database, with the options of all such commands. */
export function operatorCommand(
  parent: Command,
  nameAndArguments: string,
  description: string,
  example: string,
): Command {
  return withSettings(parent.command(nameAndArguments).description(description), example).option(
    '--json',
    'print one JSON document',
  );
}

/** Adds the option for the settings file, and an example to the help. */
export function withSettings(command: Command, example: string): Command {
  return command
    .option('--settings <file>', 'JSON file with settings; RELAYGATE_ variables win over it')
    .addHelpText('after', `\nExample:\n  ${example}`);
}

/** Opens the database, does the work and prints its answer. `creates`: makes the database if there is none. */
export async function answer(
  deps: CliDeps,
  options: CommonOptions,
  work: (store: OperatorStore) => Promise<Answer>,
  { creates = false } = {},
): Promise<void> {
  await withStore(
    deps,
    options,
    async (store) => {
      const { json, text } = await work(store);
      await deps.print(options.json ? JSON.stringify(json) : text);
    },
    { creates },
  );
}

/** Opens the database for work that prints its own lines. */
export async function withStore(
  deps: CliDeps,
  options: CommonOptions,
  work: (store: OperatorStore) => Promise<void>,
  { creates = false } = {},
): Promise<void> {
  const systemUser = deps.systemUser();
  const store = await deps.openStore(settingsOf(deps, options), {
    mustExist: !creates,
    systemUser,
    showNotice: (text) => deps.printError(text),
  });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** From the environment and the settings file. Fails with `bad-setting`. */
export function settingsOf(deps: Pick<CliDeps, 'env'>, options: CommonOptions): ServerSettings {
  const name = settingsFileOf(deps.env, options.settings);
  return readSettings(deps.env, name === undefined ? undefined : { name, text: textOf(name) });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const text = `The settings file ${file} cannot be read: ${messageOf(cause)}.`;
    throw new RelaygateError('bad-setting', text, { cause });
  }
}
