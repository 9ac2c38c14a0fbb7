/** Deliberate faults of the PIN that the technician's page and the serial console ask for. */
import { PinGate } from '@relaygate/device-agent/agent/technician/pin/pin-gate';
import { WrongTries } from '@relaygate/device-agent/agent/technician/pin/wrong-tries';
import { Sessions } from '@relaygate/device-agent/agent/technician/web/sessions';
import { PIN_PATH } from '../machines/card';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** Two that are made within this are made at once. */
const AT_ONCE_MS = 300;

/** Whatever is shown is the PIN. */
export function letsAnybodyIn(): Sabotage {
  return {
    inside: () =>
      changed(PinGate.prototype, 'check', (original) => {
        return async function check(this: PinGate, ...asked) {
          const verdict = await original.apply(this, asked);
          return !verdict.ok && verdict.problem === 'wrong' ? { ok: true, browserToken: '' } : verdict;
        };
      }),
  };
}

/** Whoever guesses may go on. */
export function countsNoWrongPins(): Sabotage {
  return { inside: () => changed(WrongTries.prototype, 'add', () => () => {}) };
}

/** Who was let in by the PIN of before stays. */
export function keepsOldSessions(): Sabotage {
  return {
    inside: () => {
      const own = Object.getOwnPropertyDescriptor(PinGate.prototype, 'id') ?? {};
      const get = function get(this: PinGate): string | null {
        return own.get?.call(this) === null ? null : 'the PIN';
      };
      Object.defineProperty(PinGate.prototype, 'id', { ...own, get });
      return () => void Object.defineProperty(PinGate.prototype, 'id', own);
    },
  };
}

/** The page asks for the PIN, and not for the session. */
export function asksForNoSession(): Sabotage {
  return {
    inside: () =>
      changed(Sessions.prototype, 'use', (original) => {
        return function use(this: Sessions, token) {
          return original.call(this, token) ?? { actor: 'page', csrfToken: 'none' };
        };
      }),
  };
}

/** The console's wrong PINs are counted in memory only. */
export function forgetsWrongPinsAtRestarts(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      read: async (path) => {
        const text = await files.read(path);
        return text !== null && path === PIN_PATH ? withoutCount(text) : text;
      },
    }),
  };
}

/** An agent that finds itself in another boot takes the first PIN for the right one. */
export function trustsAfterPowerLoss(): Sabotage {
  const boots = new Set<string>();
  let trusts = false;
  return {
    bootId: (bootId) => {
      trusts ||= !boots.has(bootId) && !bootId.endsWith('-boot-1');
      boots.add(bootId);
      return bootId;
    },
    inside: () =>
      changed(PinGate.prototype, 'check', (original) => {
        return async function check(this: PinGate, ...asked) {
          const verdict = await original.apply(this, asked);
          if (verdict.ok || !trusts) return verdict;
          trusts = false;
          return { ok: true, browserToken: '' };
        };
      }),
  };
}

/** Of two that are made at once the second is in force, and told; the first is what the card keeps. */
export function keepsTheFirstOfTwo(): Sabotage {
  let keptMs = Number.NEGATIVE_INFINITY;
  return {
    agentFiles: (files, { scheduler }) => ({
      ...files,
      replace: async (path, ...written) => {
        const isSecond = path === PIN_PATH && scheduler.nowMs - keptMs < AT_ONCE_MS;
        if (!isSecond) await files.replace(path, ...written);
        if (path === PIN_PATH) keptMs = scheduler.nowMs;
      },
    }),
  };
}

function withoutCount(text: string): string {
  const { wrongAtConsole: _count, ...record } = JSON.parse(text);
  return JSON.stringify(record);
}
