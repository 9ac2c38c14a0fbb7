/** Deliberate faults of the factory reset. */

import { GuardContact } from '@relaygate/device-agent/agent/commands/guard-contact';
import { FactoryReset } from '@relaygate/device-agent/files/factory-reset';
import * as resetMark from '@relaygate/device-agent/files/reset-mark';
import { SealableFiles } from '@relaygate/device-agent/files/sealable-files';
import { Guard } from '@relaygate/device-agent/guard/guard';
import { IDENTITY_PATH, PIN_PATH, RESET_MARK_PATH } from '../machines/card';
import { STATE_PATH } from '../ports/disk';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** Files of these names stay where they are. */
function keeping(...paths: readonly string[]): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      remove: async (path) => {
        if (!paths.includes(path)) await files.remove(path);
      },
    }),
  };
}

export const keepsTheKey = (): Sabotage => keeping(IDENTITY_PATH);
export const keepsThePin = (): Sabotage => keeping(PIN_PATH);
export const keepsTheState = (): Sabotage => keeping(STATE_PATH);

/** The device goes on with the key of before, whatever becomes of its file. */
export function remembersTheKey(): Sabotage {
  let key: string | null = null;
  return {
    agentFiles: (files) => ({
      ...files,
      read: async (path) => {
        const text = await files.read(path);
        if (path !== IDENTITY_PATH) return text;
        key = text ?? key;
        return key;
      },
    }),
  };
}

/** Says that everything is off, and has switched nothing. */
export function leavesOutputsOn(): Sabotage {
  return { inside: () => changed(Guard.prototype, 'stop', () => async () => []) };
}

/** Believes that the guard which it asked first still holds everything off when the disk has the mark. */
export function asksOneGuardOnly(): Sabotage {
  const asked = new WeakSet<GuardContact>();
  return {
    inside: () =>
      changed(GuardContact.prototype, 'switchOffForGood', (original) => {
        return async function switchOffForGood(this: GuardContact, life) {
          if (asked.has(this)) return [];
          const stuck = await original.call(this, life);
          asked.add(this);
          return stuck;
        };
      }),
  };
}

/** Whoever asked is told at once, and the files go later. */
export function saysItTooSoon(): Sabotage {
  return {
    inside: () =>
      changed(FactoryReset.prototype, 'finish', (original) => {
        return async function finish(this: FactoryReset) {
          void original.call(this).catch(() => {});
        };
      }),
  };
}

/** A guard starts on what is half gone. */
export function startsGuardsHalfWiped(): Sabotage {
  return { inside: () => changed(resetMark, 'refuseHalfReset', () => async () => {}) };
}

/** What was begun and cut short is not finished. */
export function forgetsThatItWasBegun(): Sabotage {
  return { inside: () => changed(FactoryReset.prototype, 'isBegun', () => async () => false) };
}

/** The files go before anything says that they will. */
export function marksNothing(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      replace: async (path, text, options) => {
        if (path !== RESET_MARK_PATH) await files.replace(path, text, options);
      },
    }),
  };
}

/** Whoever asks once more, while the agent that has wiped is about to end, is taken for the first. */
export function beginsAnew(): Sabotage {
  return {
    inside: () =>
      changed(SealableFiles.prototype, 'refuseIfSealed', (original) => {
        return function refuseIfSealed(this: SealableFiles, so) {
          if (so !== 'no-reset') original.call(this, so);
        };
      }),
  };
}
