/** `relaygate-flash label`: a label with what the device has said of itself. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { factsIn } from '@relaygate/device-agent/provisioning/site/device-facts';
import { badSetting, badUsage } from '@relaygate/device-agent/runtime/complaint';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
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
  if (!label) throw badSetting(`${file} is no label of relaygate-flash.`);
  const device = factsIn(await textOf(await statusFileOf(from)));
  if (!device) throw badSetting(`${from} tells no fingerprint: let the device run until it is linked.`);
  const { productLogin, fingerprint, webFingerprint } = device;
  if (productLogin !== label.productLogin)
    throw badSetting(`The label is of product ${label.productLogin}, the card of ${productLogin}.`);
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
    throw badUsage(`${file} cannot be read: ${problemOf(error)}.`, error);
  }
}
