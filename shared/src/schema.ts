import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';

/** For the schemas of one side only, so that both sides speak of the same TypeBox. */
export { type Static, type TSchema, Type } from '@sinclair/typebox';

export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };
/** Turns `unknown` into a type at the edge, or says in one phrase what is wrong. Never throws, never coerces. */
export type Parser<T> = (value: unknown) => Parsed<T>;
/** A parser whose schema is compiled when it is first used, or by `prepare`. */
export type SchemaParser<T> = Parser<T> & { prepare(): void };

const ajv = new Ajv({ strict: true, allErrors: false, coerceTypes: false, useDefaults: false, ownProperties: true });

/**
 * A parser that compiles its schema once, when it is first used: compiling all of them at load costs a program 120 ms at
 * its start, and a restarting guard has a relay to switch off (I4). Members the schema does not name are let through
 * unless it forbids them. Where a pause of some milliseconds matters later, `prepare` compiles it ahead.
 */
export function parserOf<S extends TSchema>(schema: S): SchemaParser<Static<S>> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  const compile = (): ValidateFunction<Static<S>> => {
    compiled ??= ajv.compile<Static<S>>(schema);
    return compiled;
  };
  const parse: Parser<Static<S>> = (value) => {
    const validate = compile();
    if (validate(value)) return { ok: true, value };
    const [error] = validate.errors ?? [];
    const extra = error?.params && 'additionalProperty' in error.params ? ` (${error.params.additionalProperty})` : '';
    const where = error?.instancePath ? `${error.instancePath.slice(1).replaceAll('/', '.')} ` : '';
    return { ok: false, problem: `${where}${error?.message ?? 'is wrong'}${extra}` };
  };
  return Object.assign(parse, { prepare: () => void compile() });
}
