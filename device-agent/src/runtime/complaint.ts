import { RelaygateError } from '@relaygate/shared/relaygate-error';

/** Something on a command line. `cause`: what was found to be wrong with it. */
export function badUsage(message: string, cause?: unknown): RelaygateError {
  return new RelaygateError('bad-usage', message, { cause });
}

/** Something in a file of settings, or in a table of them. */
export function badSetting(message: string, cause?: unknown): RelaygateError {
  return new RelaygateError('bad-setting', message, { cause });
}
