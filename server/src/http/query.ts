import { parserOf, RelaygateError, type Static, type TSchema } from '@relaygate/shared';

/** The query of a request. */
export interface QueryForm<Q> {
  /** `url`: of the request, with its query. Fails with `invalid-params`, also for a parameter that is unknown or comes twice. */
  parse(url: string): Q;
  /** For the OpenAPI document. */
  document: { schema: TSchema; examples: Readonly<Record<string, unknown>> };
}

/** `schema`: an object of texts, whole numbers and booleans that takes no other members. */
export function query<S extends TSchema>(
  schema: S,
  examples: QueryForm<Static<S>>['document']['examples'],
): QueryForm<Static<S>> {
  const parse = parserOf(schema);
  return {
    parse(url) {
      const parsed = parse(valuesIn(url, schema));
      if (parsed.ok) return parsed.value;
      throw new RelaygateError('invalid-params', `the query: ${parsed.problem}`);
    },
    document: { schema, examples },
  };
}

/** What follows the path of a request. */
export function parametersOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

function valuesIn(url: string, { properties = {} }: TSchema): object {
  const values = new Map<string, unknown>();
  for (const [name, text] of parametersOf(url)) {
    if (values.has(name)) throw new RelaygateError('invalid-params', `the query: ${name} comes twice`);
    values.set(name, typed(text, Object.hasOwn(properties, name) ? properties[name]?.type : undefined));
  }
  return Object.fromEntries(values);
}

const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,8})$/;

/** A text that is none of its type stays one, and its schema says what it may be. */
function typed(text: string, type: string | undefined): unknown {
  if (type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
