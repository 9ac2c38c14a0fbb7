import { CHANGED_EVENT, type ServeLines } from '../ipc/line-connection';
import { type Action, parsedAction, requestSession } from '../ipc/request-session';
import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';
import type { Guard } from './guard';
import type { ExecuteReply } from './protocol';
import { requestParsers as parse } from './request-parsers';
import type { ExecuteRequest } from './requests';

/**
 * Translates between the lines of guard.sock and the guard; a client's end touches nobody else, but for one that has asked
 * for the guard's end: then `ended` is called.
 */
export function serveGuard(guard: Guard, log: Log, ended: () => void = () => {}): ServeLines {
  const actions: [string, Action][] = [
    ['status', parsedAction(parse.status, async () => guard.view())],
    ['execute', parsedAction(parse.execute, (command, givenUp) => executeFor(guard, command, givenUp))],
    ['epoch', parsedAction(parse.epoch, async (entered) => ({ epoch: await guard.enterEpoch(entered) }))],
    ['locks', parsedAction(parse.locks, ({ locks }) => guard.lock(locks))],
    ['presence', parsedAction(parse.heartbeat, async ({ linkIsUp }) => guard.agentIsThere(linkIsUp))],
    ['outcomes', parsedAction(parse.outcomes, async ({ commandIds }) => guard.outcomesOf(commandIds))],
    ['presses', parsedAction(parse.presses, async (request) => guard.presses(request))],
    ['input', parsedAction(parse.input, async ({ input }) => ({ level: await guard.inputLevel(input) }))],
    [
      'configure',
      parsedAction(parse.configure, ({ changes, force, startBeforeMs }, givenUp) =>
        guard.configure(changes, force, () => guard.refuseLate(startBeforeMs, givenUp)),
      ),
    ],
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
    const end = parsedAction(parse.end, async ({ startBeforeMs }, givenUp) => {
      // The next line may say that nobody waits any more.
      await null;
      guard.refuseLate(startBeforeMs, givenUp);
      isToEnd = true;
      return { stuck: await guard.stopForGood() };
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

/** Withdraws a command of somebody at the device if they have given up, or if the agent that passed it on has gone. */
async function executeFor(guard: Guard, command: ExecuteRequest, givenUp: AbortSignal): Promise<ExecuteReply> {
  // Commands of the server go on without the agent: the next link asks what became of them, and a newer one drops them.
  if (command.epoch !== null) return guard.execute(command);
  const { commandId } = command;
  // The next line may say that nobody waits any more, and ending a pulse takes no time at all.
  await null;
  if (givenUp.aborted) return { commandId, outcome: 'expired' };
  const withdraw = (): void => guard.withdraw(commandId);
  givenUp.addEventListener('abort', withdraw);
  try {
    return await guard.execute(command);
  } finally {
    givenUp.removeEventListener('abort', withdraw);
  }
}
