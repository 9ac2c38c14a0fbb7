import { RelaygateError } from '@relaygate/shared';
import { codeOf, messageOf } from '../../foreign-error';
import { asStorageError, InTheWay } from '../sql';

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Serialization failure, deadlock, and a lock that was waited for in vain. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03']);
/** Data, constraints, what is too large, and what a trigger refuses: the rest of a group is not concerned. */
const OF_ONE_STATEMENT = /^(22|23|54|P0001)/;
/** A character that PostgreSQL keeps in no text. */
const NUL_IN_TEXT = '22021';

/** What an error of the driver is to the callers of the port. An error without an SQLSTATE is one of the connection. */
export function asDatabaseError(error: unknown): RelaygateError | InTheWay {
  if (error instanceof RelaygateError || error instanceof InTheWay) return error;
  const code = codeOf(error) ?? '';
  const state = SQLSTATE.test(code) ? code : '';
  if (IN_THE_WAY.has(state)) return new InTheWay(messageOf(error), { cause: error });
  if (state === NUL_IN_TEXT) {
    return new RelaygateError('unknown', 'PostgreSQL keeps no text with the character NUL.', { cause: error });
  }
  if (OF_ONE_STATEMENT.test(state)) return asStorageError(error);
  return unavailable(`did not do it: ${messageOf(error)}`, error);
}

/** The server ends the connection behind this error; or it takes no writes, and another connection may find one that does. */
export function endsSession(error: unknown): boolean {
  return /^(08|57P0|25006)/.test(codeOf(error) ?? '');
}

/** `why`: what comes behind "The database". */
export function unavailable(why: string, cause?: unknown): RelaygateError {
  return new RelaygateError('storage-unavailable', `The database ${why}.`, { cause });
}
