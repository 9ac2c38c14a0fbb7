import type { ValidateFunction } from 'ajv';
import { compiledAhead } from './compiled-ahead';
import type { TSchema } from './json-schema';

/**
 * For every schema, whether it is compiled ahead or at run time.
 *
 * @public The build compiles with it.
 */
export const AJV_OPTIONS = {
  strict: true,
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  ownProperties: true,
  discriminator: true,
};

/** By schema, because it takes long to make the text of a schema, and each new link asks for the same ones. */
const found = new WeakMap<TSchema, ValidateFunction>();
let compile: ((schema: TSchema) => ValidateFunction) | undefined;

/**
 * The validator that the build compiled ahead (test/support/prepare/compile-validators.mjs). It is found by the text of its schema, so
 * that a validator of an older schema is never used; without one, ajv compiles it now. To load ajv and compile costs a
 * program 8 MB and up to 120 ms at its start, and a restarted guard must soon switch a relay off (I4).
 */
export function validatorFor(schema: TSchema): ValidateFunction {
  const known = found.get(schema);
  if (known) return known;
  const validator = compiledAhead(schemaText(schema)) ?? compileNow(schema);
  found.set(schema, validator);
  return validator;
}

/**
 * The name of a compiled validator: its schema without the descriptions. A member that is called `description` has a schema as
 * its value, not a text, and stays.
 *
 * @public The build compiles by it.
 */
export function schemaText(schema: TSchema): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
}

function compileNow(schema: TSchema): ValidateFunction {
  if (!compile) {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    const { Ajv }: typeof import('ajv') = require('ajv');
    const ajv = new Ajv(AJV_OPTIONS);
    compile = (wanted) => ajv.compile(wanted);
  }
  return compile(schema);
}
