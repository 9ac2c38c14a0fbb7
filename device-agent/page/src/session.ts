/** Logging in and out. */
import type { PageSession } from '../../src/agent/technician/web/page-session';
import { Refusal, send } from './http';

const TIMEOUT_MS = 10_000;
const PATH = '/api/session';

export type Session = PageSession;

/** The session after a reload. Rejects with Refusal if there is none. */
export function currentSession(): Promise<Session> {
  return send({ method: 'GET', path: PATH, timeoutMs: TIMEOUT_MS });
}

export function logIn(pin: string, name: string): Promise<Session> {
  return send({ method: 'POST', path: PATH, body: { pin, ...(name ? { name } : {}) }, timeoutMs: TIMEOUT_MS });
}

/** Resolves once there is no such session. Rejects with Refusal or NoAnswer. */
export async function logOut({ csrfToken }: Session): Promise<void> {
  try {
    await send({ method: 'DELETE', path: PATH, csrfToken, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'not-logged-in')) throw error;
  }
}
