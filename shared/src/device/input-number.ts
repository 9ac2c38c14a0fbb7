import type { Fault } from '../parser';

type Refusal = { problem: string; fault?: Fault };

/** Names an input by its number, as everybody does: the parser that has refused `value` knows only its place in the list. */
export function withInputNumber(refusal: Refusal, value: unknown): Refusal {
  const { problem, fault } = refusal;
  const place = /^inputs\.(\d+)/.exec(problem)?.[1];
  const { numInput } = Object(Object(value).inputs?.[place ?? '']);
  if (fault?.code !== 'of-schema' || place === undefined || !Number.isInteger(numInput)) return refusal;
  const { instancePath } = Object(fault.values);
  const text = problem.replace(place, numInput);
  const values = { ...fault.values, instancePath: instancePath.replace(place, numInput) };
  return { problem: text, fault: { ...fault, values, text } };
}
