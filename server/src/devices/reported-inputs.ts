import type { Report, ReportedInput } from '@relaygate/shared';

/** Each input once, in the order of their numbers. If a device names an input twice, the last one counts. */
export function inputsOf({ inputs = [] }: Pick<Report, 'inputs'>): ReportedInput[] {
  const byNumber = new Map(inputs.map((input) => [input.numInput, known(input)]));
  return [...byNumber.values()].sort((one, other) => one.numInput - other.numInput);
}

/** Without members that only a newer server knows. */
function known({ numInput, name, kind, state }: ReportedInput): ReportedInput {
  return { numInput, name, kind, state };
}
