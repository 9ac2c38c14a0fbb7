import type { RelaygateError } from '@relaygate/shared';
import { refused } from './refused';

/** `output-not-found`, for a device of `count` outputs. */
export function noSuchOutput(numOutput: number, count: number): RelaygateError {
  return refused('output-not-found', 'no-such-output', { numOutput, count });
}
