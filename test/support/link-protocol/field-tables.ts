import type { TSchema } from '@relaygate/shared';
import type { LinkMessage } from './messages';

/** Heading, sentence and field table of one message, in Markdown. */
export function messageSection({ from, schema }: LinkMessage): string {
  const way = from === 'device' ? 'device to server' : 'server to device';
  return [
    `#### \`${schema.properties?.type?.const}\`, ${way}`,
    '',
    schema.description ?? '',
    '',
    '| member | what it may be | meaning |',
    '|---|---|---|',
    ...rowsOf(schema, ''),
  ].join('\n');
}

function rowsOf(schema: TSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => prefix !== '' || name !== 'type')
    .flatMap(([name, member]) => {
      const path = `${prefix}${name}`;
      const optional = schema.required?.includes(name) ? '' : 'optional; ';
      const row = `| \`${path}\` | ${cell(optional + rangeOf(member))} | ${cell(member.description ?? '')} |`;
      return [row, ...(member.items?.properties ? rowsOf(member.items, `${path}[].`) : [])];
    });
}

function rangeOf(schema: TSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return schema.anyOf.map(rangeOf).join(' or ');
  switch (schema.type) {
    case 'null':
      return '`null`';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `whole number ${spanOf(schema.minimum, schema.maximum)}`;
    case 'number':
      return schema.minimum === undefined ? 'number' : `number ${spanOf(schema.minimum, schema.maximum)}`;
    case 'string': {
      const chars =
        schema.maxLength === undefined ? '' : ` of ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
      return `text${chars}${schema.pattern === undefined ? '' : ` matching \`${schema.pattern}\``}`;
    }
    case 'array':
      return `list of at most ${schema.maxItems}: ${schema.items ? rangeOf(schema.items) : 'anything'}`;
    case 'object':
      return 'objects as below';
    default:
      throw new Error(`the field tables do not know ${JSON.stringify(schema)}`);
  }
}

function spanOf(minimum = 0, maximum?: number): string {
  return maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
