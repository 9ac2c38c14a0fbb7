import { type Clock, EXECUTION_DEADLINE_MS, type TSchema } from '@relaygate/shared';
import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { lateProblem, type RequestLife } from '../../commands/late-request';

/** What a request that changes anything says beside its own. */
interface Timely {
  notAfterMs: number;
}

/**
 * An action that changes something. I2: it does not begin once nobody waits for it, nor behind its request's `notAfterMs`, nor
 * later than a command of the server would, whatever the request says; `run` gets the earlier of both.
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
