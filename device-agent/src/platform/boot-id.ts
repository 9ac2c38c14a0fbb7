import { readFile } from 'node:fs/promises';
import { RelaygateError } from '@relaygate/shared/relaygate-error';

export const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/** The kernel's id of this boot: what distinguishes a restart of the guard from a power cut. */
export async function readBootId(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new RelaygateError('bad-setting', `${file} cannot be read; the device programs need Linux.`, {
      cause: error,
    });
  }
  const bootId = text.trim();
  if (!/^[0-9a-zA-Z-]{1,64}$/.test(bootId)) throw new RelaygateError('bad-setting', `${file} holds no boot id.`);
  return bootId;
}
