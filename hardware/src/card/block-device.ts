/** What Linux says of a card reader's device (lsblk), and whether it may be written. */
import { isDeepStrictEqual } from 'node:util';
import { parserOf, RelaygateError, type Static, Type } from '@relaygate/shared';
import { sizeWords } from '../progress';

const Text = Type.Union([Type.String(), Type.Null()]);
const members = {
  name: Type.String(),
  path: Type.String(),
  type: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  ro: Type.Boolean(),
  model: Type.Optional(Text),
  vendor: Type.Optional(Text),
  serial: Type.Optional(Text),
  rm: Type.Boolean(),
  hotplug: Type.Boolean(),
  tran: Type.Optional(Text),
  mountpoints: Type.Array(Text),
};
const Leaf = Type.Object(members);
/** lsblk nests what lies on each other: partitions, and what was made of them. */
interface BlockDevice extends Static<typeof Leaf> {
  children?: BlockDevice[];
}
const parseLeaf = parserOf(Leaf);
const parseList = parserOf(Type.Object({ blockdevices: Type.Array(Type.Object({})) }));
const parseChildren = parserOf(Type.Object({ children: Type.Array(Type.Object({})) }));

/** Whole disks, card readers among them, and what tests put in their place. */
const WHOLE: readonly string[] = ['disk', 'loop'];

const COLUMNS = 'NAME,PATH,TYPE,SIZE,RO,MODEL,VENDOR,SERIAL,RM,HOTPLUG,TRAN,MOUNTPOINTS';
export const LSBLK = ['--json', '--bytes', '--output', COLUMNS] as const;

export interface Card {
  /** sdb, mmcblk0: what has to be typed to confirm. */
  name: string;
  path: string;
  sizeBytes: number;
  /** "Generic STORAGE DEVICE, 31.9 GB". */
  words: string;
  /** Of the reader, mostly; null: it has none. */
  serial: string | null;
}

export interface CardNeeds {
  imageBytes: number;
  /** Also a disk that cannot be taken out, such as one that is built in. */
  allowFixed: boolean;
}

/** Throws `card-unusable`. `lsblk`: what it printed for that device; `used`: paths in use, of /proc/mounts and /proc/swaps. */
export function cardOf(lsblk: unknown, used: readonly string[], needs: CardNeeds): Card {
  const list = parseList(lsblk);
  const device = readDevice(list.ok ? list.value.blockdevices[0] : undefined);
  const { name, path, type, size, ro } = device;
  const refuse = (why: string): RelaygateError =>
    new RelaygateError('card-unusable', `${path} is not written: ${why}.`);
  if (!WHOLE.includes(type)) throw refuse(`it is a ${type} and no whole disk, such as /dev/sdb or /dev/mmcblk0`);
  const all = allOf(device);
  const mounted = all.find(({ mountpoints }) => mountpoints.some((point) => point !== null));
  if (mounted) {
    const point = mounted.mountpoints.find((one) => one !== null) ?? '';
    const isSystem = ['/', '/boot', '/boot/efi', '/boot/firmware', '/usr', '/var', '/home', '[SWAP]'].includes(point);
    throw refuse(
      isSystem ? `${point} of this machine is on it` : `${mounted.path} is mounted at ${point}: unmount it first`,
    );
  }
  const busy = all.find((one) => used.includes(one.path));
  if (busy) throw refuse(`${busy.path} is in use by this machine`);
  const built = all.find((one) => one !== device && one.type !== 'part');
  if (built) throw refuse(`it is part of ${built.path} (${built.type})`);
  if (ro) throw refuse('it is read-only; some cards have a small slider at their side');
  if (!needs.allowFixed && !isTakenOut(device))
    throw refuse('it is neither a card nor a disk that can be taken out; --allow-fixed writes it all the same');
  const { imageBytes } = needs;
  if (size < imageBytes) throw refuse(`it has ${sizeWords(size)}, and the image takes ${sizeWords(imageBytes)}`);
  const maker = [device.vendor, device.model].flatMap((text) => text?.trim() || []).join(' ') || 'unknown model';
  return { name, path, sizeBytes: size, words: `${maker}, ${sizeWords(size)}`, serial: device.serial?.trim() || null };
}

/** Whether both looks were at the same card: a reader keeps its name when its card is changed. */
export function isSameCard(one: Card, other: Card): boolean {
  return isDeepStrictEqual(one, other);
}

/** Readers on USB say so by `rm` or `hotplug`; those on the board have a bus of their own. */
function isTakenOut({ name, rm, hotplug, tran }: BlockDevice): boolean {
  return rm || hotplug || tran === 'mmc' || name.startsWith('mmcblk');
}

function readDevice(value: unknown): BlockDevice {
  const leaf = parseLeaf(value);
  if (!leaf.ok) throw new RelaygateError('card-unusable', `lsblk cannot be understood: ${leaf.problem}.`);
  const nested = parseChildren(value);
  return nested.ok ? { ...leaf.value, children: nested.value.children.map(readDevice) } : leaf.value;
}

function allOf(device: BlockDevice): BlockDevice[] {
  return [device, ...(device.children ?? []).flatMap(allOf)];
}
