import type { ErrorCode } from './api-types';
import type { Fetch } from './platform';
import { RelaygateError } from './relaygate-error';

/** Of any server or proxy. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Fails with `network`. Follows no redirect: a browser would repeat a command as a GET. */
export async function ask(send: Fetch, url: string, init: RequestInit): Promise<Answer> {
  let status: number | undefined;
  try {
    const response = await send(url, { ...init, redirect: 'manual', credentials: 'omit', cache: 'no-store' });
    status = response.status;
    return { status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    throw new RelaygateError('network', { status, mayHaveMoved: !isUnsent(cause), cause });
  }
}

/** The members of a JSON object; of anything else none. */
export function membersOf({ text }: Answer): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

export const commandIdOf = ({ headers }: Answer): string | undefined => headers.get('Command-Id') ?? undefined;

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** What an answer without success means. */
export function errorOf(answer: Answer): RelaygateError {
  const { status, headers } = answer;
  const code = codeOf(answer);
  const seconds = headers.get('Retry-After') ?? '';
  return new RelaygateError(code, {
    status,
    commandId: commandIdOf(answer),
    // Whoever has not heard of Relaygate may also name a date.
    retryAfterMs: /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1_000 : undefined,
    // The server answers `unknown` only if the command did not reach the device.
    mayHaveMoved: isGateway(status) && code !== 'unknown',
  });
}

function codeOf(answer: Answer): RelaygateError['code'] {
  const { error } = membersOf(answer);
  if (typeof error === 'string' && /^[a-z-]+$/.test(error)) return error as ErrorCode;
  if (answer.status === 429) return 'too-many-requests';
  return isGateway(answer.status) ? 'network' : 'unexpected-answer';
}

/** A proxy may have passed the request on before it said so. */
function isGateway(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Node says so where no connection came about; a browser never does. */
function isUnsent(cause: unknown): boolean {
  const { code } = Object(Object(cause).cause);
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
