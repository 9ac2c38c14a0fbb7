/** `type/subtype`, lower case. */
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
const ANY_TYPE = '*/*';
/** RFC 9110 section 12.4.2. */
const WEIGHT = /^q=(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/;

/**
 * True if an Accept header (RFC 9110 section 12.5.1) prefers `application/json` strictly over `text/plain` and over what it says of any
 * type. The library `negotiator` orders types and does not tell that two are wanted equally.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === ANY_TYPE) return false;
  if (accept === JSON_TYPE) return true;
  const weights = weightsOf(accept);
  const any = weights.get(ANY_TYPE) ?? 0;
  const json = weights.get(JSON_TYPE) ?? weights.get('application/*') ?? any;
  const text = weights.get(TEXT_TYPE) ?? weights.get('text/*') ?? any;
  return json > text && json > any;
}

/** By type. Parameters other than the weight do not count, because JSON has none; what has a wrong weight is left out. */
function weightsOf(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (weight !== undefined && !WEIGHT.test(weight)) continue;
    weights.set(type, Math.max(weights.get(type) ?? 0, weight === undefined ? 1 : Number(weight.slice(2))));
  }
  return weights;
}
