import { RelaygateError } from '@relaygate/shared';

/** `output-not-found`, for a device of `count` outputs. */
export function noSuchOutput(numOutput: number, count: number): RelaygateError {
  return new RelaygateError('output-not-found', `There is no output ${numOutput}; this device has 0 to ${count - 1}.`);
}
