import type { SchemaParser } from '@relaygate/shared/parser';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { jsonIn } from '../files/json-text';
import type { Reason } from '../runtime/cause';
import { DeviceRefusal } from './device-refusal';
import { GIVE_UP, type LineConnection, type LineEvents, MAX_OPEN_REQUESTS } from './line-connection';

/** One thing a client may ask for. Called in the order in which the requests came. */
export interface Action {
  /** `givenUp`: aborted once nobody waits for the answer any more. */
  (request: unknown, givenUp: AbortSignal): Promise<unknown>;
  /** Compiles its validator now instead of at the first request. */
  prepare(): void;
}
export type Actions = ReadonlyMap<string, Action>;

/** All that is said of an error that is no RelaygateError. */
export const UNEXPECTED = 'Something unexpected went wrong; see the log.';

type RunAction = (request: unknown, givenUp: AbortSignal) => Promise<unknown>;

/** An action whose request is checked first. */
export function parsedAction<T>(
  parse: SchemaParser<T>,
  run: (request: T, givenUp: AbortSignal) => Promise<unknown>,
): Action {
  const checked = async (request: unknown, givenUp: AbortSignal): Promise<unknown> => {
    const parsed = parse(request);
    if (!parsed.ok) throw new RelaygateError('bad-usage', `The request is wrong: ${parsed.problem}.`);
    return run(parsed.value, givenUp);
  };
  return Object.assign(checked, { prepare: parse.prepare });
}

/**
 * Serves one connection: `{id, type, ...}` in, `{id, ok, value}` or `{id, ok, error}` out. A line that is no request closes
 * this connection only.
 */
export function requestSession(
  connection: LineConnection,
  actions: Actions,
  closed: () => void,
  unexpected: (error: unknown) => void,
): LineEvents {
  const open = new Set<{ id: number; givenUp: AbortController }>();

  async function answer(id: number, run: RunAction, body: unknown): Promise<void> {
    const request = { id, givenUp: new AbortController() };
    open.add(request);
    try {
      const value = await run(body, request.givenUp.signal);
      connection.send(JSON.stringify({ id, ok: true, value }));
    } catch (error) {
      if (!(error instanceof RelaygateError)) unexpected(error);
      connection.send(JSON.stringify({ id, ok: false, error: errorBody(error) }));
    } finally {
      open.delete(request);
    }
  }

  return {
    line(text) {
      const request = readRequest(text);
      if (request?.type === GIVE_UP) {
        for (const { id, givenUp } of open) if (id === request.id) givenUp.abort();
        return;
      }
      if (!request || open.size >= MAX_OPEN_REQUESTS) {
        connection.close();
        return;
      }
      answer(request.id, actionOf(actions, request.type), request).catch(unexpected);
    },
    closed() {
      for (const { givenUp } of open) givenUp.abort();
      closed();
    },
  };
}

/** The action of this type, or one that refuses if there is none. */
export function actionOf(actions: Actions, type: string): RunAction {
  return actions.get(type) ?? unknownType;
}

async function unknownType(): Promise<never> {
  throw new RelaygateError('bad-usage', 'There is no request of this type.');
}

/** `reason`: the other side makes a sentence of it in its reader's language. */
function errorBody(error: unknown): { code: string; message: string; reason?: Reason } {
  if (error instanceof DeviceRefusal) return { code: error.code, message: error.message, reason: error.reason };
  if (error instanceof RelaygateError) return { code: error.code, message: error.message };
  return { code: 'unknown', message: UNEXPECTED };
}

function readRequest(text: string): { id: number; type: string } | null {
  const value = jsonIn(text);
  if (typeof value !== 'object' || value === null || !('id' in value) || !('type' in value)) return null;
  const { id, type } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof type !== 'string') return null;
  return { ...value, id, type };
}
