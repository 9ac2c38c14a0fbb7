import {
  CommandOutcome,
  CommandReason,
  ConfirmedBy,
  InputKind,
  OutputMode,
  OutputState,
  type TSchema,
} from '@relaygate/shared';
import * as apiBodies from '@relaygate/shared/api-bodies';
import { CONFIRMATIONS, listOf, OUTCOMES, OUTPUT_MODES, REASONS } from './explanations';

export type Json = Record<string, unknown>;

/** Bodies, and what has a name of its own inside of them. */
const NAMED: Readonly<Record<string, TSchema>> = {
  ...apiBodies,
  OutputMode,
  OutputState,
  ConfirmedBy,
  InputKind,
  CommandOutcome,
};

/** What each value means. */
const EXPLAINED = new Map<TSchema, { about: string; values: Readonly<Record<string, string>> }>([
  [OutputMode, { about: 'What an output does when it is activated.', values: OUTPUT_MODES }],
  [OutputState, { about: 'Of an output.', values: { 0: 'deactivated', 1: 'activated: the relay is energised' } }],
  [ConfirmedBy, { about: 'How the device knows the state of an output.', values: CONFIRMATIONS }],
  [CommandOutcome, { about: 'What became of a command.', values: OUTCOMES }],
  [
    CommandReason,
    {
      about: 'Why; new reasons may come. Where it is not said that nothing moved, something may have:',
      values: REASONS,
    },
  ],
]);

/** Named schemas of the OpenAPI document, as far as somebody has referred to them. */
export class NamedSchemas {
  readonly #used = new Map<string, Json>();

  /** A reference to the schema of a body. */
  refTo(schema: TSchema): { $ref: string } {
    const name = nameOf(schema);
    if (name === undefined) throw new Error(`${JSON.stringify(schema)} is not in shared/src/api-bodies.ts`);
    if (!this.#used.has(name)) this.#used.set(name, this.#explained(schema));
    return { $ref: `#/components/schemas/${name}` };
  }

  /** In the order of their names. */
  get used(): Json {
    return Object.fromEntries([...this.#used].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `anyOf` of fixed values becomes an enum, and `anyOf` with null a second type, which generators understand best. */
  schemaOf(schema: TSchema): Json {
    return nameOf(schema) === undefined ? this.#explained(schema) : this.refTo(schema);
  }

  #explained(schema: TSchema): Json {
    const explained = EXPLAINED.get(schema);
    if (!explained) return this.#converted(schema);
    const { about, values } = explained;
    const converted = this.#converted(schema);
    const isEnum = 'enum' in converted;
    return {
      ...converted,
      description: `${about}\n\n${listOf(values)}`,
      ...(isEnum && { 'x-enum-descriptions': Object.values(values) }),
    };
  }

  #converted({ anyOf, properties, items, ...rest }: TSchema): Json {
    return {
      ...rest,
      ...(anyOf && this.#union(anyOf)),
      ...(items && { items: this.schemaOf(items) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, this.schemaOf(it)])),
      }),
    };
  }

  #union(anyOf: readonly TSchema[]): Json {
    const values = valuesOf({ anyOf });
    if (values) return { type: typeof values[0] === 'number' ? 'integer' : typeof values[0], enum: values };
    const all = anyOf.map((it) => this.schemaOf(it));
    const [first, second] = all;
    const isNullable = all.length === 2 && second?.type === 'null' && typeof first?.type === 'string';
    return isNullable ? { ...first, type: [first.type, 'null'] } : { anyOf: all };
  }
}

/** Undefined if the schema has none. */
function nameOf(schema: TSchema): string | undefined {
  return Object.entries(NAMED).find(([, known]) => known === schema)?.[0];
}

/** Of a union of fixed values only; also of unions in it. */
function valuesOf({ anyOf }: TSchema): unknown[] | undefined {
  const values: unknown[] = [];
  for (const member of anyOf ?? []) {
    const own = member.anyOf ? valuesOf(member) : 'const' in member ? [member.const] : undefined;
    if (!own) return undefined;
    values.push(...own);
  }
  return values;
}
