import { type Clock, EXECUTION_DEADLINE_MS, type TSchema } from '@relaygate/shared';
import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { lateProblem, type RequestLife } from '../../commands/late-request';

/** The members of each request that changes anything. */
interface Timely {
  notAfterMs: number;
}

/**
 * An action that changes something. I2: it begins only while somebody waits for it, before its request's `notAfterMs`, and
 * not later than a command of the server would. `run` gets the earlier of both times.
 */
export function timelyAction<Request extends Timely>(
  clock: Pick<Clock, 'nowMs'>,
  schema: TSchema<Request>,
  run: (request: Request, life: RequestLife) => Promise<unknown>,
): Action {
  return action(schema, async (request, givenUp) => {
    const nowMs = clock.nowMs();
    const notAfterMs = Math.min(request.notAfterMs, nowMs + EXECUTION_DEADLINE_MS);
    const life = { notAfterMs, givenUp };
    const late = lateProblem(life, nowMs);
    if (late) throw late;
    return run(request, life);
  });
}
