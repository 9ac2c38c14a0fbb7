/** While this file is there, a factory reset was begun and not finished: nothing starts but its end. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Files } from './files';

export function resetMarkIn(folder: string): string {
  return `${folder}/reset-begun.json`;
}

export async function isResetBegun(files: Pick<Files, 'read'>, folder: string): Promise<boolean> {
  return (await files.read(resetMarkIn(folder))) !== null;
}

/** Throws for a program that must not work on a device that is half wiped. */
export async function refuseHalfReset(files: Pick<Files, 'read'>, folder: string): Promise<void> {
  if (!(await isResetBegun(files, folder))) return;
  throw new RelaygateError(
    'bad-setting',
    'A factory reset was begun here and is not finished: start relaygate-agent, which finishes it.',
  );
}
