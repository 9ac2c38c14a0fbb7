import type { ValidateFunction } from 'ajv';
import type { TSchema } from './json-schema';

/** By the text of its schema: what loads the validator. */
type Validators = Readonly<Record<string, (() => ValidateFunction) | undefined>>;

/**
 * How every schema is read, whenever it is compiled.
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

let ahead: Validators | undefined;
/** By schema: the text of one takes long to write, and each socket that is served anew asks for the same ones. */
const found = new WeakMap<TSchema, ValidateFunction>();
let compile: ((schema: TSchema) => ValidateFunction) | undefined;

/**
 * The validator that the build compiled ahead (test/support/compile-validators.mjs), found by the text of its schema, so
 * that one which has changed since is never used; else ajv compiles it now. Loading ajv and compiling cost a program 8 MB
 * and up to 120 ms at its start, and a restarting guard has a relay to switch off (I4).
 */
export function validatorFor(schema: TSchema): ValidateFunction {
  const known = found.get(schema);
  if (known) return known;
  ahead ??= ifThere(loadTable) ?? {};
  const load = ahead[schemaText(schema)];
  const validator = (load && ifThere(load)) ?? compileNow(schema);
  found.set(schema, validator);
  return validator;
}

/**
 * The name of a validator of the build: its schema without what is said of it to people. A member of that name is a schema
 * and no text.
 *
 * @public The build compiles by it.
 */
export function schemaText(schema: TSchema): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
}

function loadTable(): Validators {
  // biome-ignore lint/style/noRestrictedGlobals: made by the build, and not there before it.
  return require('./precompiled-validators.js');
}

/** Null for a module that is not there: nothing is built yet, or a build since this program's start has replaced it. */
function ifThere<T>(load: () => T): T | null {
  try {
    return load();
  } catch (error) {
    // Not by `instanceof`: a test runner's errors are of another realm.
    if (typeof error === 'object' && error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
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
