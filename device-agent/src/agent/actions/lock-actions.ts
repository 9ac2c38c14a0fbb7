import { type Clock, RelaygateError } from '@relaygate/shared';
import { type Action, action } from '../../local/request-session';
import { durationWords } from '../../program/duration';
import { noSuchOutput } from '../../program/no-such-output';
import type { EventLog } from '../event-log';
import { type LockReply, LockRequest, type UnlockReply, UnlockRequest } from '../local-messages/locks';
import type { LockKeeper } from '../lock-keeper';
import type { SettingsKeeper } from '../settings-keeper';

export interface LockActionParts {
  locks: LockKeeper;
  settings: SettingsKeeper;
  events: EventLog;
  clock: Clock;
}

/** Keeping the server from outputs that somebody works at. */
export function lockActions({ locks, settings, events, clock }: LockActionParts): [string, Action][] {
  /** What is saved holds, with this guard or with the next one. */
  async function noted(change: Promise<void>, words: string): Promise<void> {
    try {
      await change;
      events.tell('lock', words);
    } catch (error) {
      const isSaved = error instanceof RelaygateError && error.code === 'guard-unreachable';
      if (isSaved) events.tell('lock', `${words}, in force once the guard answers`);
      throw error;
    }
  }

  async function lock({ numOutput, forMs, actor }: LockRequest): Promise<LockReply> {
    const count = settings.settings.outputs.length;
    if (numOutput >= count) throw noSuchOutput(numOutput, count);
    const lock = { numOutput, untilMs: clock.nowMs() + forMs, by: actor };
    await noted(locks.lock(lock), `output ${numOutput} locked for ${durationWords(forMs)} by ${actor}`);
    return { numOutput, forMs };
  }

  async function unlock({ numOutput, actor }: UnlockRequest): Promise<UnlockReply> {
    const wasLocked = locks.locks.some((kept) => kept.numOutput === numOutput);
    await noted(locks.unlock(numOutput), `output ${numOutput} unlocked by ${actor}`);
    return { numOutput, wasLocked };
  }

  return [
    ['lock', action(LockRequest, lock)],
    ['unlock', action(UnlockRequest, unlock)],
  ];
}
