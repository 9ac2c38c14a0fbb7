import { type DeviceReason, RelaygateError } from '@relaygate/shared';
import { AnswerLostError, NotSentError } from '../../ipc/request-client';
import { refused } from '../../runtime/refused';

/** If no answer came, or the guard failed at it, the error says that it may have happened. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw answerProblem(error);
  }
}

/** As `answered`, for a request that has failed already. */
export function answerProblem(error: unknown): unknown {
  if (error instanceof AnswerLostError) return noAnswer(error);
  if (!isUnexpected(error)) return error;
  return refused('outcome-unknown', 'guard-failed', {}, { cause: error });
}

export function noAnswer(cause?: Error): RelaygateError {
  return refused('outcome-unknown', 'guard-silent', {}, { cause });
}

/** Why a command that the guard was asked for has certainly moved nothing (I3); null: it may have. */
export function refusalOf(error: unknown): DeviceReason | null {
  if (error instanceof NotSentError) return 'busy';
  if (!(error instanceof RelaygateError)) return null;
  if (error.code === 'guard-unreachable') return 'guard-unreachable';
  // The guard could not read it.
  return error.code === 'bad-usage' ? 'guard-refused' : null;
}

function isUnexpected(error: unknown): boolean {
  return error instanceof RelaygateError && error.code === 'unknown';
}
