import type { Static, TSchema } from './json-schema';
import { parserBy, type SchemaParser } from './parser';
import { validatorFor } from './validators';

export { type OPTIONAL, type Optional, type Properties, type Static, type TSchema, Type } from './json-schema';
export { checkedParser, type Fault, type Parsed, type Parser, type SchemaParser } from './parser';

const parsedSchemas = new Set<TSchema>();

/** All schemas that have a parser so far, for the build to compile ahead. */
export function schemasOfParsers(): ReadonlySet<TSchema> {
  return parsedSchemas;
}

/** A parser for a schema. Unknown members are allowed unless the schema forbids them. */
export function parserOf<S extends TSchema>(schema: S): SchemaParser<Static<S>> {
  parsedSchemas.add(schema);
  return parserBy(() => validatorFor(schema));
}
