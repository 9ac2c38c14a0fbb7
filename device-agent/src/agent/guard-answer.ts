import { RelaygateError } from '@relaygate/shared';
import { AnswerLostError } from '../local/request-client';

/** Where no answer came, it may have happened all the same. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof AnswerLostError ? noAnswer(error) : error;
  }
}

export function noAnswer(cause?: Error): RelaygateError {
  return new RelaygateError('guard-unreachable', 'The guard gave no answer; look at the output before trying again.', {
    cause,
  });
}
