import type { ServeLines } from '../local/line-connection';
import { type Action, action, requestSession } from '../local/request-session';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import type { Guard } from './guard';
import {
  CHANGED_EVENT,
  ConfigureRequest,
  EndRequest,
  EpochRequest,
  ExecuteRequest,
  InputRequest,
  LocksRequest,
  OutcomesRequest,
  PresenceRequest,
  StatusRequest,
} from './protocol';

/**
 * Translates between the lines of guard.sock and the guard; a client's end touches nobody else, but for one that has asked
 * for the guard's end: then `ended` is called.
 */
export function serveGuard(guard: Guard, log: Log, ended: () => void = () => {}): ServeLines {
  const actions: [string, Action][] = [
    ['status', action(StatusRequest, async () => guard.view())],
    ['execute', action(ExecuteRequest, (command) => guard.execute(command))],
    ['epoch', action(EpochRequest, async (entered) => ({ epoch: await guard.enterEpoch(entered) }))],
    ['locks', action(LocksRequest, ({ locks }) => guard.lock(locks))],
    ['presence', action(PresenceRequest, async ({ linkIsUp }) => guard.agentIsThere(linkIsUp))],
    ['outcomes', action(OutcomesRequest, async ({ commandIds }) => guard.fatesOf(commandIds))],
    ['input', action(InputRequest, async ({ input }) => ({ level: await guard.inputLevel(input) }))],
    ['configure', action(ConfigureRequest, ({ changes, force }) => guard.configure(changes, force))],
  ];
  // I4: compiling a validator takes milliseconds, which the first request would take from a running pulse.
  for (const [, run] of actions) run.prepare();
  return (connection) => {
    let isQueued = false;
    const unwatch = guard.watch(() => {
      if (isQueued) return;
      isQueued = true;
      // One line for all that changes in one go.
      queueMicrotask(() => {
        isQueued = false;
        connection.send(JSON.stringify({ event: CHANGED_EVENT, value: guard.view() }));
      });
    });
    let isToEnd = false;
    const end = action(EndRequest, async () => {
      isToEnd = true;
      return { stuck: await guard.stop() };
    });
    const closed = (): void => {
      unwatch();
      if (isToEnd) ended();
      guard.agentHasEnded();
    };
    return requestSession(connection, new Map([...actions, ['end', end]]), closed, (error) =>
      log.warn(`a request failed: ${problemOf(error)}`),
    );
  };
}
