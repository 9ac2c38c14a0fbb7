import type { ErrorObject, ValidateFunction } from 'ajv';

/** What is wrong with a value: its code and values, for other languages, and the phrase in English. */
export type Fault = { code: string; values: object; text: string };

/** `fault`: the same as `problem`; a check may have only a phrase. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string; fault?: Fault };
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
  const parse: Parser<T> = (value) => (isOf(value) ? { ok: true, value } : unusable(faultOf(validatorOf())));
  return Object.assign(parse, { prepare: () => void validatorOf() });
}

/** A parser with a check that no schema can express. `check` returns a phrase with the member and its fault, or null. */
export function checkedParser<T>(parser: SchemaParser<T>, check: (value: T) => Fault | string | null): SchemaParser<T> {
  const parse: Parser<T> = (value) => {
    const parsed = parser(value);
    const problem = parsed.ok ? check(parsed.value) : null;
    return problem === null ? parsed : unusable(problem);
  };
  return Object.assign(parse, { prepare: () => parser.prepare() });
}

function unusable(fault: Fault | string): Parsed<never> {
  return typeof fault === 'string' ? { ok: false, problem: fault } : { ok: false, problem: fault.text, fault };
}

/** The values of the code `of-schema` are ajv's error. */
function faultOf({ errors }: ValidateFunction): Fault {
  const [error] = errors ?? [];
  return { code: 'of-schema', values: error ?? {}, text: phraseOf(error) };
}

function phraseOf(error: ErrorObject | undefined): string {
  const path = error?.instancePath.split('/').slice(1) ?? [];
  // ajv's own message is about the keyword, not the value.
  if (error?.keyword === 'discriminator') return `${[...path, error.params.tag].join('.')} is none of its kinds`;
  const extra = error?.params && 'additionalProperty' in error.params ? ` (${error.params.additionalProperty})` : '';
  const where = path.length > 0 ? `${path.join('.')} ` : '';
  return `${where}${error?.message ?? 'is wrong'}${extra}`;
}
