import { DeviceRefusal } from '../ipc/device-refusal';
import type { ValuesOf } from '../locales/catalogue';
import { type CAUSES, causeText } from '../locales/en/causes';
import type { Cause, Reason } from './cause';

type Causes = ValuesOf<typeof CAUSES>;

/** A failure that this device has words for. Its message is in English, for the log. */
export class Failure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(causeText(reason), options);
    this.reason = reason;
  }
}

export function cause<Code extends keyof Causes>(code: Code, values: Causes[Code]): Reason {
  return { code, values };
}

export function failure<Code extends keyof Causes>(code: Code, values: Causes[Code], options?: ErrorOptions): Error {
  return new Failure(cause(code, values), options);
}

/** Why it failed, for a reader of any language. The system's errors have its own codes, such as ENOENT. */
export function causeOf(error: unknown): Cause {
  if (error instanceof Failure) return error.reason;
  const text = problemOf(error);
  if (error instanceof DeviceRefusal) return { ...error.reason, text };
  const code = codeOf(error);
  return /^E[A-Z0-9]+$/.test(code) ? { code, values: {}, text } : text;
}

/** What went wrong, as English text for a log line or an error's sentence. */
export function problemOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

/** The system's code of an error, such as ENOENT; empty if there is none. */
export function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && typeof error.code === 'string' ? error.code : '';
}
