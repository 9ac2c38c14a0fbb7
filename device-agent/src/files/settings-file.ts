import { MAX_GPIO_OFFSET, type Parser, RelaygateError } from '@relaygate/shared';
import { problemOf } from '../program/problem';
import type { Files } from './files';

/** What a member may be, by its name: ajv's own words are not for an installer. */
const ALLOWED: Readonly<Record<string, string>> = {
  board: '{"kind":"simulated"}, or {"kind":"gpio","lines":[...]} with a line for each output',
  kind: '"simulated", "gpio" or "gpio-sysfs"',
  releaseOnDeath: 'true or false',
  profile: 'the name of a board profile, as "relayctl board list" shows it',
  chip: 'the label of a GPIO chip, 1 to 31 printable characters, as "gpiodetect" shows it',
  lines: `the offset of each output's line on its GPIO chip: distinct whole numbers from 0 to ${MAX_GPIO_OFFSET}`,
  outputs: 'a list of 1 to 64 outputs',
  name: 'a text of 1 to 64 characters without control characters',
  mode: '"on-off" or "impulse"',
  pulseMs: 'a whole number from 50 to 3600000',
  activeLevel: '"high" or "low"',
  powerOn: '"off", "on" or "restore"',
  link: 'an object with serverUrl, serverName and productLogin',
  serverUrl: '"wss://host" or "wss://host:port" ("ws://" to this machine only)',
  serverName: 'the RELAYGATE_SERVER_NAME of the server, 1 to 128 printable characters without spaces',
  serverCaFile: 'the path of a PEM file',
  productLogin: '1 to 64 letters, digits, dots, underscores or hyphens',
};

/** Reads `settings.json`, or says in one sentence which member is wrong and what it may be. Never writes. */
export async function readSettings<T>(
  files: Files,
  path: string,
  parse: Parser<T>,
): Promise<{ settings: T; text: string }> {
  let text: string | null;
  try {
    text = await files.read(path);
  } catch (error) {
    throw new RelaygateError('bad-setting', `${path} cannot be read: ${problemOf(error)}.`, { cause: error });
  }
  if (text === null) {
    throw new RelaygateError('bad-setting', `${path} is missing; write it as the README's "Settings" shows.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RelaygateError('file-corrupt', `${path} is not JSON (${problemOf(error)}); mend it or restore a copy.`, {
      cause: error,
    });
  }
  const parsed = parse(value);
  if (parsed.ok) return { settings: parsed.value, text };
  throw new RelaygateError(
    'bad-setting',
    `${path}: ${parsed.problem}${hint(parsed.problem)}. Mend it and start again.`,
  );
}

/** `problem` begins with the member's path, or names it in quotes or brackets when it is missing or unknown. */
function hint(problem: string): string {
  const missing = /required property '(\w+)'/.exec(problem)?.[1];
  const unknown = /additional properties/.test(problem);
  const path = problem.split(' ')[0]?.split('.') ?? [];
  // The last word of the path; an item of a list is told by its list.
  const member = missing ?? path.findLast((name) => !/^\d+$/.test(name)) ?? '';
  if (unknown || !Object.hasOwn(ALLOWED, member)) return '';
  return `; ${member} is ${ALLOWED[member]}`;
}
