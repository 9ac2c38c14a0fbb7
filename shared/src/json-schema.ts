/**
 * JSON Schemas with the TypeScript type of the values that they describe, and only the keywords that this project uses. TypeBox
 * does the same with 200 files. It costs each program of a device 12 MB and a tenth of a second at its start, and a
 * restarted guard must soon switch a relay off (I4).
 */
declare const TYPE: unique symbol;
/** Marks a member that may be missing. */
export const OPTIONAL: unique symbol = Symbol('optional');

/** A schema of values of type T. */
export interface TSchema<T = unknown> {
  /** Only for the compiler. */
  readonly [TYPE]?: () => T;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  /** OpenAPI's keyword, which ajv supports: the member that selects one of `oneOf`. */
  readonly discriminator?: { readonly propertyName: string };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** ECMA-262, with the `u` flag. */
  readonly pattern?: string;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Properties;
  readonly patternProperties?: Properties;
  readonly additionalProperties?: boolean;
}

/** The type of the values that a schema describes. */
export type Static<S extends TSchema> = S extends TSchema<infer T> ? T : never;

export type Properties = Readonly<Record<string, TSchema>>;
export type Optional<S extends TSchema> = S & { readonly [OPTIONAL]: true };
type Name<P extends Properties> = Extract<keyof P, string>;
type OptionalKeys<P extends Properties> = { [K in Name<P>]: P[K] extends Optional<TSchema> ? K : never }[Name<P>];
type ObjectOf<P extends Properties> = Merged<
  { [K in Exclude<Name<P>, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> }
>;
type Merged<T> = { [K in keyof T]: T[K] };

type About<Keywords extends keyof TSchema = never> = Pick<TSchema, 'description' | 'default' | Keywords>;
type AboutNumber = About<'minimum' | 'maximum'>;

export const Type = {
  String: (about: About<'minLength' | 'maxLength' | 'pattern'> = {}): TSchema<string> => ({ type: 'string', ...about }),
  Number: (about: AboutNumber = {}): TSchema<number> => ({ type: 'number', ...about }),
  Integer: (about: AboutNumber = {}): TSchema<number> => ({ type: 'integer', ...about }),
  Boolean: (about: About = {}): TSchema<boolean> => ({ type: 'boolean', ...about }),
  Null: (about: About = {}): TSchema<null> => ({ type: 'null', ...about }),

  Literal: <const T extends string | number | boolean>(
    value: T,
    about: About = {},
  ): TSchema<T> & { readonly const: T } => ({
    const: value,
    type: typeof value,
    ...about,
  }),

  Union: <const S extends readonly TSchema[]>(anyOf: S, about: About = {}): TSchema<Static<S[number]>> => ({
    anyOf,
    ...about,
  }),

  /** Objects of several kinds, which one member names. A fault is reported for that kind only. */
  Tagged: <const S extends readonly TSchema[]>(propertyName: string, oneOf: S): TSchema<Static<S[number]>> => ({
    type: 'object',
    discriminator: { propertyName },
    required: [propertyName],
    properties: { [propertyName]: { type: 'string' } },
    oneOf,
  }),

  Array: <S extends TSchema>(items: S, about: About<'minItems' | 'maxItems'> = {}): TSchema<Static<S>[]> => ({
    type: 'array',
    items,
    ...about,
  }),

  /** Objects with any number of members whose names match the pattern. */
  Record: <S extends TSchema>(
    pattern: string,
    values: S,
    about: About<'additionalProperties'> = {},
  ): TSchema<Record<string, Static<S>>> => ({ type: 'object', patternProperties: { [pattern]: values }, ...about }),

  /** A member of an object that may be missing. */
  Optional: <S extends TSchema>(schema: S): Optional<S> => ({ ...schema, [OPTIONAL]: true }),

  Object: <P extends Properties>(
    properties: P,
    about: About<'additionalProperties'> = {},
  ): TSchema<ObjectOf<P>> & { readonly properties: P } => {
    const required = Object.entries(properties).flatMap(([name, schema]) => (OPTIONAL in schema ? [] : [name]));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...about };
  },
} as const;

/**
 * Adds a description. Those of link messages are published in shared/schemas and shared/README.md, those of device settings in
 * device-agent/SETTINGS.md.
 */
export const described = <S extends TSchema>(schema: S, description: string, more: Pick<About, 'default'> = {}): S => ({
  ...schema,
  description,
  ...more,
});
