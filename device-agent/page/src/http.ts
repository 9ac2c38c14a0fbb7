/** Requests to the agent that served this page. */

/** The agent has refused, in the reader's language. */
export class Refusal extends Error {
  readonly code: string;
  /** Whole seconds to wait before the next try; 0: none. */
  readonly waitS: number;

  constructor(code: string, message: string, waitS: number) {
    super(message);
    this.code = code;
    this.waitS = waitS;
  }
}

/** No answer came: what was asked for may have happened. */
export class NoAnswer extends Error {
  constructor(cause: unknown) {
    super('no answer', { cause });
  }
}

interface Request {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  csrfToken?: string;
  timeoutMs: number;
}

/** Rejects with Refusal or NoAnswer. Answers are not checked, because page and agent are of one version. */
export async function send<T>({ method, path, body, csrfToken, timeoutMs }: Request): Promise<T> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        // Refusals are shown in the agent's words.
        'Accept-Language': document.documentElement.lang,
        ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    answer = text === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new NoAnswer(error);
  }
  if (response.ok) return answer as T;
  const { code, message, waitS } = (answer as { error?: Partial<Refusal> }).error ?? {};
  throw new Refusal(code ?? 'unknown', message ?? '', waitS ?? 0);
}
