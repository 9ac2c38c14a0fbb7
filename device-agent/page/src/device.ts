/** The device's status: asked for once a second while the page is looked at. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { DeviceStatus } from '../../src/agent/technician/local-messages/device';
import type { ActionName, Reply, Request } from '../../src/agent/technician/local-messages/local-actions';
import { NoAnswer, Refusal, send } from './http';
import type { Language } from './language';
import type { Session } from './session';

const POLL_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** Longer than any command may take in the guard. */
const ACTION_TIMEOUT_MS = 15_000;
/** How long after the end of a pulse the status is asked for, so that it shows the end. */
const PULSE_END_MS = 60;

export interface Seen {
  status: DeviceStatus;
  /** On the browser's monotonic clock. */
  atMs: number;
}

export type Ask = <Name extends ActionName>(
  type: Name,
  body?: Request<Name>,
  timeoutMs?: number,
) => Promise<Reply<Name>>;

export interface Device {
  /** The last answer; null: none yet. */
  seen: Seen | null;
  /** On the browser's monotonic clock; null: the last question was answered. */
  lostSinceMs: number | null;
  ask: Ask;
  /** Asks now, and not only with the next second. */
  refresh(): void;
}

/** `onOver`: the session has ended. */
export function useDevice(session: Session, language: Language, onOver: () => void): Device {
  const [seen, setSeen] = useState<Seen | null>(null);
  const [lostSinceMs, setLostSinceMs] = useState<number | null>(null);
  /** The agent's clock minus the browser's, at the least: an answer's way here counts as no time. */
  const aheadMs = useRef(0);
  const poll = useRef<() => void>(() => {});

  const ask = useCallback<Ask>(
    async (type, asked = {}, timeoutMs = ACTION_TIMEOUT_MS) => {
      const { csrfToken, limits } = session;
      const path = `/api/actions/${type}`;
      const notAfterMs = performance.now() + aheadMs.current + limits.commandMs;
      // Requests that change nothing ignore `notAfterMs`.
      const body = { ...asked, notAfterMs };
      try {
        return (await send<{ value: never }>({ method: 'POST', path, body, csrfToken, timeoutMs })).value;
      } catch (error) {
        if (error instanceof Refusal && error.code === 'not-logged-in') onOver();
        throw error;
      }
    },
    [session, onOver],
  );

  useEffect(() => {
    let timer = 0;
    let asked = 0;
    let isEnded = false;
    const next = (delayMs: number): void => {
      clearTimeout(timer);
      if (!isEnded && !document.hidden) timer = window.setTimeout(look, delayMs);
    };
    const look = async (): Promise<void> => {
      clearTimeout(timer);
      asked += 1;
      const mine = asked;
      const isLatest = (): boolean => !isEnded && mine === asked;
      try {
        const status = await ask('status', { language }, TIMEOUT_MS);
        if (!isLatest()) return;
        const atMs = performance.now();
        aheadMs.current = status.nowMs - atMs;
        setSeen({ status, atMs });
        setLostSinceMs(null);
        next(untilNextLook(status));
      } catch (error) {
        if (!isLatest()) return;
        if (error instanceof NoAnswer) setLostSinceMs((since) => since ?? performance.now());
        next(POLL_MS);
      }
    };
    poll.current = () => void look();
    const onVisible = (): void => (document.hidden ? clearTimeout(timer) : poll.current());
    document.addEventListener('visibilitychange', onVisible);
    poll.current();
    return () => {
      isEnded = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [ask, language]);

  const refresh = useCallback(() => poll.current(), []);
  return { seen, lostSinceMs, ask, refresh };
}

function untilNextLook({ outputs }: DeviceStatus): number {
  const left = outputs.map(({ pulseLeftMs }) => (pulseLeftMs ?? POLL_MS) + PULSE_END_MS);
  return Math.min(POLL_MS, ...left);
}

/** How long the page stays on; zero or less: it has gone off. */
export function closesInMs({ status, atMs }: Seen, nowMs: number): number {
  return status.webLeftMs === null ? 0 : status.webLeftMs - (nowMs - atMs);
}
