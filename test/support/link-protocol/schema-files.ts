import { LINK_MESSAGES, type LinkMessage } from './messages';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const idOf = (name: string): string => `urn:relaygate:link:v1:${name}`;

/** The published schemas, file name -> text: one a message, and one for all that each side sends. */
export function schemaFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const message of LINK_MESSAGES) files.set(`${message.name}.json`, messageFile(message));
  for (const from of ['device', 'server'] as const) files.set(`${from}-message.json`, unionFile(from));
  return files;
}

function messageFile({ name, schema }: LinkMessage): string {
  return textOf({ $schema: DIALECT, $id: idOf(name), title: name, ...schema });
}

function unionFile(from: LinkMessage['from']): string {
  const names = LINK_MESSAGES.filter((message) => message.from === from).map((message) => message.name);
  return textOf({
    $schema: DIALECT,
    $id: idOf(`${from}-message`),
    title: `${from}-message`,
    description: `What a ${from} sends. A frame of another type is none of these, and is ignored.`,
    anyOf: names.map((name) => ({ $ref: idOf(name) })),
  });
}

function textOf(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
