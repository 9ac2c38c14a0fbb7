import { type Clock, RelaygateError } from '@relaygate/shared';
import { type Action, action } from '../../local/request-session';
import { durationWords } from '../../program/duration';
import type { Log } from '../../program/log';
import type { EventLog } from '../event-log';
import { type LockReply, LockRequest, type UnlockReply, UnlockRequest } from '../local-messages/locks';
import type { LockKeeper } from '../lock-keeper';
import type { SettingsKeeper } from '../settings-keeper';

export interface LockActionParts {
  locks: LockKeeper;
  settings: SettingsKeeper;
  events: EventLog;
  clock: Clock;
  log: Log;
}

/** Keeping the server from outputs that somebody works at. */
export function lockActions({ locks, settings, events, clock, log }: LockActionParts): [string, Action][] {
  const note = (text: string): void => {
    events.add('lock', text);
    log.info(text);
  };

  /** What is saved holds, with this guard or with the next one. */
  async function noted(change: Promise<void>, words: string): Promise<void> {
    try {
      await change;
      note(words);
    } catch (error) {
      const isSaved = error instanceof RelaygateError && error.code === 'guard-unreachable';
      if (isSaved) note(`${words}, in force once the guard answers`);
      throw error;
    }
  }

  async function lock({ numOutput, forMs, actor }: LockRequest): Promise<LockReply> {
    const last = settings.settings.outputs.length - 1;
    if (numOutput > last)
      throw new RelaygateError('output-not-found', `There is no output ${numOutput}; this device has 0 to ${last}.`);
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
