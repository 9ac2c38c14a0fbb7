import type { ValidateFunction } from 'ajv';

export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };
/** Turns `unknown` into a type, or returns the fault as one phrase. Never throws, never coerces. */
export type Parser<T> = (value: unknown) => Parsed<T>;
/** Its validator is made when it is first used, or by `prepare`. */
export type SchemaParser<T> = Parser<T> & { prepare(): void };

/** `make` is called once. */
export function parserBy<T>(make: () => ValidateFunction): SchemaParser<T> {
  let validator: ValidateFunction | undefined;
  const validatorOf = (): ValidateFunction => {
    validator ??= make();
    return validator;
  };
  const isOf = (value: unknown): value is T => validatorOf()(value);
  const parse: Parser<T> = (value) =>
    isOf(value) ? { ok: true, value } : { ok: false, problem: problemOf(validatorOf()) };
  return Object.assign(parse, { prepare: () => void validatorOf() });
}

/** A parser with a check that no schema can express. `check` returns a phrase with the member and its fault, or null. */
export function checkedParser<T>(parser: SchemaParser<T>, check: (value: T) => string | null): SchemaParser<T> {
  const parse: Parser<T> = (value) => {
    const parsed = parser(value);
    const problem = parsed.ok ? check(parsed.value) : null;
    return problem === null ? parsed : { ok: false, problem };
  };
  return Object.assign(parse, { prepare: () => parser.prepare() });
}

function problemOf({ errors }: ValidateFunction): string {
  const [error] = errors ?? [];
  const path = error?.instancePath.split('/').slice(1) ?? [];
  // ajv's own message is about the keyword, not the value.
  if (error?.keyword === 'discriminator') return `${[...path, error.params.tag].join('.')} is none of its kinds`;
  const extra = error?.params && 'additionalProperty' in error.params ? ` (${error.params.additionalProperty})` : '';
  const where = path.length > 0 ? `${path.join('.')} ` : '';
  return `${where}${error?.message ?? 'is wrong'}${extra}`;
}
