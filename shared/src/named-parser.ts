import { compiledAhead } from './compiled-ahead';
import type { Static, TSchema } from './json-schema';
import { parserBy, type SchemaParser } from './parser';

const namedSchemas = new Map<string, () => TSchema>();

/**
 * How the schema of each named parser is loaded, for the build to compile it ahead.
 *
 * @public The build compiles by it.
 */
export function schemasByName(): ReadonlyMap<string, () => TSchema> {
  return namedSchemas;
}

/**
 * A parser whose schema is loaded only where the build has not compiled it under this name: the guard has validators in
 * its memory and no schemas, so there is less code in the process that holds the relays.
 */
export function parserNamed<S extends TSchema>(name: string, schema: () => S): SchemaParser<Static<S>> {
  namedSchemas.set(name, schema);
  return parserBy(() => compiledAhead(name) ?? compiledNow(schema()));
}

function compiledNow(schema: TSchema) {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { validatorFor }: typeof import('./validators') = require('./validators');
  return validatorFor(schema);
}
