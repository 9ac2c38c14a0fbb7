/** What is made for one site: an image or not, the settings file, the label. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '@relaygate/device-agent/files/json-text';
import { BOARD_CONFIG_FILE } from '@relaygate/device-agent/provisioning/boards/boot-config';
import { badUsage } from '@relaygate/device-agent/runtime/complaint';
import { parseSiteSettings, SITE_FILE, type SiteSettings, siteText } from '@relaygate/shared/site-settings';
import type { ImageSource } from '../image/image-source';
import { PART, prepareImage, siteTextOfImage } from '../image/prepared-image';
import type { ProgressDeps } from '../progress';
import { labelSvg } from './label';

export const LABEL_FILE = 'label.svg';
/** They hold an enrolment code, a passphrase, a PIN. */
const MODE = 0o600;
const FOLDER_MODE = 0o700;

export interface Delivery {
  /** The image to be; null: the settings alone. */
  image: string | null;
  /** Of the settings file, which can be put onto the boot partition of any card, and of the label. */
  folder: string;
  /** Without a PIN. */
  site: SiteSettings;
  /** Of BOARD_CONFIG_FILE. */
  boardConfig: string;
  productKey: string | null;
}

/** gate.img and gate/, with the settings and the label in it; with the settings alone `out` is the folder. */
export function placesOf(out: string, isSettingsOnly: boolean): Pick<Delivery, 'image' | 'folder'> {
  if (isSettingsOnly) return { image: null, folder: out };
  return { image: out, folder: out.endsWith('.img') ? out.slice(0, -'.img'.length) : `${out}.site` };
}

/** All that two sites must not have in common. */
export function pathsOf({ image, folder }: Pick<Delivery, 'image' | 'folder'>): string[] {
  return image === null ? [folder] : [folder, image, `${image}${PART}`];
}

/** Throws `bad-usage` where a folder stands in the place of the image, or a file in that of the folder. */
export async function refuseMisplaced({ image, folder }: Pick<Delivery, 'image' | 'folder'>): Promise<void> {
  const kindOf = async (path: string): Promise<'folder' | 'file' | null> => {
    const stats = await stat(path).catch(() => null);
    return stats && (stats.isDirectory() ? 'folder' : 'file');
  };
  if (image !== null && (await kindOf(image)) === 'folder')
    throw badUsage(`${image} is a folder: name the image itself, such as ${join(image, 'gate.img')}.`);
  if ((await kindOf(folder)) === 'file')
    throw badUsage(`${folder} is a file, but settings and label go into a folder of that name: take another name.`);
}

/** `done`: there is all of it, for this very site; `other`: something else stands there. */
export async function stateOf({ image, folder, site }: Delivery): Promise<'none' | 'done' | 'other'> {
  const settings = join(folder, SITE_FILE);
  const isThere = existsSync(image ?? settings);
  if (!isThere) return 'none';
  const text = image === null ? await readFile(settings, 'utf8') : await siteTextOfImage(image);
  const isSame = text !== null && withoutPin(text) === siteText(site);
  if (!isSame) return 'other';
  const hasLabel = existsSync(join(folder, LABEL_FILE));
  if (image === null) return hasLabel ? 'done' : 'none';
  // A run that was cut short has perhaps left settings and label of another PIN. Whoever has made the card may remove the settings.
  const beside = existsSync(settings) ? await readFile(settings, 'utf8') : text;
  return hasLabel && beside === text ? 'done' : 'other';
}

export interface DeliverDeps {
  source: ImageSource | null;
  progress: ProgressDeps;
  now: Date;
}

/** `site`: with its PIN. The label comes behind its settings and the image last: where it stands, all of it does. */
export async function deliver(
  { image, folder, boardConfig, productKey }: Delivery,
  { site, pin }: { site: SiteSettings; pin: string | null },
  { source, progress, now }: DeliverDeps,
): Promise<void> {
  const files = [
    { name: BOARD_CONFIG_FILE, text: boardConfig },
    { name: SITE_FILE, text: siteText(site) },
  ];
  const beside = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    const { productLogin, serverUrl: server } = site;
    await rm(join(folder, LABEL_FILE), { force: true });
    for (const { name, text } of files) await writeWhole(join(folder, name), text);
    const label = labelSvg({ productLogin, productKey, pin, server, fingerprint: null, webFingerprint: null });
    await writeWhole(join(folder, LABEL_FILE), label);
  };
  if (image === null) return beside();
  if (!source) throw badUsage('--image is missing: the image of a card, as it was downloaded.');
  await prepareImage({ source, out: image, files, now, progress, beside });
}

/** Others may not read it, and it is there whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const part = `${path}${PART}`;
  try {
    await writeFile(part, text, { mode: MODE, flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** What there is without what is made anew each time; empty for what is no site. */
function withoutPin(text: string): string {
  const parsed = parseSiteSettings(jsonIn(text));
  if (!parsed.ok) return '';
  const { pin: _, ...site } = parsed.value;
  return siteText(site);
}
