/** `relaygate-flash label`: a label with what the device has said of itself. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { factsIn } from '@relaygate/device-agent/provisioning/site/device-facts';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import { STATUS_FILE } from '@relaygate/shared/site-settings';
import { factsOnLabel, labelSvg } from './label';
import { LABEL_FILE, writeWhole } from './site-delivery';

export interface CompletedLabel {
  file: string;
  fingerprint: string;
  webFingerprint: string | null;
}

/** `from`: the boot partition of the card, or a copy of its status file. Throws RelaygateError, and nothing was changed then. */
export async function completeLabel(folder: string, from: string): Promise<CompletedLabel> {
  const file = join(folder, LABEL_FILE);
  const label = factsOnLabel(await textOf(file));
  if (!label) throw new RelaygateError('bad-setting', `${file} is no label of relaygate-flash.`);
  const device = factsIn(await textOf(await statusFileOf(from)));
  if (!device)
    throw new RelaygateError('bad-setting', `${from} tells no fingerprint: let the device run until it is linked.`);
  const { productLogin, fingerprint, webFingerprint } = device;
  if (productLogin !== label.productLogin)
    throw new RelaygateError(
      'bad-setting',
      `The label is of product ${label.productLogin}, the card of ${productLogin}.`,
    );
  await writeWhole(file, labelSvg({ ...label, fingerprint, webFingerprint }));
  return { file, fingerprint, webFingerprint };
}

async function statusFileOf(from: string): Promise<string> {
  const isFolder = await stat(from).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isFolder ? join(from, STATUS_FILE) : from;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RelaygateError('bad-usage', `${file} cannot be read: ${problemOf(error)}.`, { cause: error });
  }
}
