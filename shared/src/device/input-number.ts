import type { Fault } from '../parser';

type Refusal = { problem: string; fault?: Fault };

/**
 * Names an input by its number, as everybody does: the parser that has refused `value` knows only its place in the list. An
 * input whose number is missing or none is `inputs[0]`, so that its place is not taken for a number.
 */
export function withInputNumber(refusal: Refusal, value: unknown): Refusal {
  const { problem, fault } = refusal;
  const place = /^inputs\.(\d+)/.exec(problem)?.[1];
  const { numInput } = Object(Object(value).inputs?.[place ?? '']);
  if (fault?.code !== 'of-schema' || place === undefined) return refusal;
  const { instancePath } = Object(fault.values);
  const isNumbered = Number.isInteger(numInput);
  const text = problem.replace(`.${place}`, isNumbered ? `.${numInput}` : `[${place}]`);
  const named = instancePath.replace(`/${place}`, isNumbered ? `/${numInput}` : `[${place}]`);
  const values = { ...fault.values, instancePath: named };
  return { problem: text, fault: { ...fault, values, text } };
}
