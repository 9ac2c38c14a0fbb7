import type { ValidateFunction } from 'ajv';

/** Functions that load a validator, by the text of its schema; also by its name, where it has one (named-parser.ts). */
type Validators = Readonly<Record<string, (() => ValidateFunction) | undefined>>;

let ahead: Validators | undefined;

/** The validator that the build has made (test/support/prepare/compile-validators.mjs); null: it has made none. */
export function compiledAhead(key: string): ValidateFunction | null {
  ahead ??= ifThere(loadTable) ?? {};
  const load = ahead[key];
  return load ? ifThere(load) : null;
}

function loadTable(): Validators {
  // biome-ignore lint/style/noRestrictedGlobals: made by the build, and not there before it.
  return require('./precompiled-validators.js');
}

/** Null if the module does not exist: nothing is built yet, or a later build has replaced it. */
function ifThere<T>(load: () => T): T | null {
  try {
    return load();
  } catch (error) {
    // Not by `instanceof`, because a test runner's errors come from another realm.
    if (typeof error === 'object' && error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
