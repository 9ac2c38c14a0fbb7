/** Deliberate faults of the PIN that the technician's page asks for. */
import { PinGate } from '@relaygate/device-agent/agent/pin/pin-gate';
import { WrongTries } from '@relaygate/device-agent/agent/pin/wrong-tries';
import { Sessions } from '@relaygate/device-agent/agent/web/sessions';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

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
