import { parserOf, type Static, type TSchema } from '@relaygate/shared';
import { type Action, parsedAction } from './request-session';

/** An action whose request is checked against its schema first. */
export function action<S extends TSchema>(
  schema: S,
  run: (request: Static<S>, givenUp: AbortSignal) => Promise<unknown>,
): Action {
  return parsedAction(parserOf(schema), run);
}
