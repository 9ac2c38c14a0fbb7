import { RelaygateError } from '@relaygate/shared';
import { noSuchOutput } from '../../../runtime/refused';
import type { RequestLife } from '../../commands/late-request';
import { type Happened, happened } from '../../history/happened';
import { type LockReply, LockRequest, type UnlockReply, UnlockRequest } from '../local-messages/locks';
import type { ActionDeps } from './action-deps';
import { timelyAction } from './timely-action';

/** Keeping the server from outputs that somebody works at. */
export function lockActions({ locks, settings, events, files, clock }: ActionDeps) {
  /** Logs a lock that is saved only: it holds with the next guard. */
  function notedIfSaved(what: Happened): (error: unknown) => never {
    return (error) => {
      const isSaved = error instanceof RelaygateError && error.code === 'guard-unreachable';
      if (isSaved) events.report('lock', what);
      throw error;
    };
  }

  async function lock(request: LockRequest, life: RequestLife): Promise<LockReply> {
    const { numOutput, forMs, actor } = request;
    const count = settings.settings.outputs.length;
    if (numOutput >= count) throw noSuchOutput(numOutput, count);
    // The guard would take the lock, but ends with this agent.
    files.refuseIfSealed('no-lock');
    const locked = { numOutput, forMs, actor, isWaiting: false, unsaved: null };
    const waiting = happened('locked', { ...locked, isWaiting: true });
    const unsaved = await locks.lock(request, life).catch(notedIfSaved(waiting));
    events.report('lock', happened('locked', { ...locked, unsaved }));
    return { numOutput, forMs, ...(unsaved === null ? {} : { unsaved }) };
  }

  async function unlock(request: UnlockRequest, life: RequestLife): Promise<UnlockReply> {
    const { numOutput, actor } = request;
    const unlocked = { numOutput, actor, isWaiting: false };
    const waiting = happened('unlocked', { ...unlocked, isWaiting: true });
    const wasLocked = await locks.unlock(request, life).catch(notedIfSaved(waiting));
    events.report('lock', happened('unlocked', unlocked));
    return { numOutput, wasLocked };
  }

  return {
    lock: timelyAction(clock, LockRequest, lock),
    unlock: timelyAction(clock, UnlockRequest, unlock),
  };
}
