/** Cards as Linux has them: looked at by util-linux. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { badUsage } from '@relaygate/device-agent/runtime/complaint';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import { type Card, type CardNeeds, cardOf, LSBLK } from './block-device';

const run = promisify(execFile);

/** The card at that path, if it may be written. Throws `card-unusable`. */
export async function lookAtCard(path: string, needs: CardNeeds): Promise<Card> {
  if (process.platform !== 'linux')
    throw badUsage(
      'Cards are written on Linux only; elsewhere "prepare" the image and write it with Raspberry Pi Imager.',
    );
  refuseNoDevice(path);
  try {
    const { stdout } = await run('lsblk', [...LSBLK, path]);
    return cardOf(JSON.parse(stdout), usedPaths(), needs);
  } catch (error) {
    if (error instanceof RelaygateError) throw error;
    throw new RelaygateError('card-unusable', `lsblk does not know ${path}: ${problemOf(error)}.`, { cause: error });
  }
}

/** BLKFLSBUF: the buffers of a device are dropped, so that the next reading is from the card. */
export async function forgetBuffers(path: string): Promise<void> {
  await run('blockdev', ['--flushbufs', path]);
}

function refuseNoDevice(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    throw new RelaygateError('card-unusable', `There is no ${path}; "lsblk" shows the disks of this machine.`);
  if (!stats.isBlockDevice()) throw new RelaygateError('card-unusable', `${path} is no disk.`);
}

/** First words of each line: a device, or something that is none. */
function usedPaths(): string[] {
  return ['/proc/mounts', '/proc/swaps'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(/\s/)[0] ?? ''),
  );
}
