import type { TSchema } from '@relaygate/shared';
import { DeviceSettings } from '@relaygate/shared/device';
import { withParts } from '../chance/generated-parts';

interface Row {
  /** `board.units[].relays`, as `relayctl` and the messages of a wrong file call it. */
  path: string;
  values: string;
  meaning: string;
  /** Of the boards that have this member, and no others do. */
  kinds: readonly string[];
}

/** A line for each member of settings.json, in the order of its schema. */
export function settingsTable(): string {
  const rows = rowsOf(DeviceSettings, '').map(({ path, values, meaning, kinds }) => {
    const of = kinds.length > 0 ? `${kinds.map((kind) => `\`${kind}\``).join(', ')}: ` : '';
    return `| \`${path}\` | ${cell(values)} | ${cell(of + meaning)} |`;
  });
  return ['| member | values | meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema: TSchema, prefix: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isOptional = !schema.required?.includes(name);
    return memberRows(`${prefix}${name}`, member, isOptional);
  });
}

function memberRows(path: string, member: TSchema, isOptional: boolean): Row[] {
  if (member.oneOf) return kindRows(member.oneOf, path, member.discriminator?.propertyName ?? '');
  const inner = innerRows(member, path);
  // What is said of an object stands at its members, unless it says more.
  if (member.type === 'object' && member.description === undefined) return inner;
  if (member.description === undefined) throw new Error(`${path} has no description`);
  return [{ path, values: valuesOf(member, isOptional), meaning: member.description, kinds: [] }, ...inner];
}

function innerRows({ items, ...member }: TSchema, path: string): Row[] {
  if (items?.oneOf) return kindRows(items.oneOf, `${path}[]`, items.discriminator?.propertyName ?? '');
  return rowsOf(items ?? member, items ? `${path}[].` : `${path}.`);
}

/** Members of several kinds have one row when the same is said of them. */
function kindRows(kinds: readonly TSchema[], path: string, tag: string): Row[] {
  const tags = kinds.flatMap((kind) => kind.properties?.[tag] ?? []);
  const first: Row = {
    path: `${path}.${tag}`,
    values: tags.map(({ const: name }) => `\`${name}\``).join(', '),
    meaning: tags.map(({ const: name, description }) => `\`${name}\`: ${description}`).join('; '),
    kinds: [],
  };
  const rows = new Map<string, Row>();
  for (const kind of kinds) {
    const name = String(kind.properties?.[tag]?.const);
    for (const row of rowsOf(kind, `${path}.`)) {
      if (row.path === first.path) continue;
      const key = JSON.stringify([row.path, row.values, row.meaning]);
      const kindsOfRow = [...(rows.get(key)?.kinds ?? []), name];
      // What all kinds have is of no kind.
      rows.set(key, { ...row, kinds: kindsOfRow.length === kinds.length ? [] : kindsOfRow });
    }
  }
  return [first, ...rows.values()];
}

function valuesOf(schema: TSchema, isOptional: boolean): string {
  const { default: value } = schema;
  const range = rangeOf(schema);
  if (value !== undefined) return `${range}; default ${typeof value === 'string' ? `\`${value}\`` : value}`;
  return isOptional ? `${range}, optional` : range;
}

function rangeOf(schema: TSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return schema.anyOf.map(rangeOf).join(', ');
  switch (schema.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return 'true, false';
    case 'integer':
      return `${schema.minimum} to ${schema.maximum}`;
    case 'string':
      return schema.maxLength === undefined ? 'text' : `${schema.minLength ?? 1} to ${schema.maxLength} characters`;
    case 'array':
      return listOf(schema);
    case 'object':
      return 'object';
    default:
      throw new Error(`the settings table does not know ${JSON.stringify(schema)}`);
  }
}

function listOf({ items, minItems = 0, maxItems }: TSchema): string {
  const each = items && !items.properties && !items.oneOf ? `, each ${rangeOf(items)}` : '';
  return `list of ${minItems} to ${maxItems}${each}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** device-agent/SETTINGS.md with the table of the settings as it should be. */
export function withSettingsTable(document: string): string {
  return withParts(document, { settings: settingsTable });
}
