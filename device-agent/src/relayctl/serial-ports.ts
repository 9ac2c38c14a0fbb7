/** The serial adapters that are plugged in, and by which path each is best named in the settings. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BoardProfile } from '@relaygate/shared/device';
import { orElse } from '../runtime/or-else';

export interface SerialPortFound {
  /** For `board use --port`. */
  path: string;
  /** Vendor and product, as `lsusb` shows them. */
  usb: string;
  /**
   * True: the path means this adapter in any socket. False: the path means the socket, because the adapter looks like
   * others of its make.
   */
  isLasting: boolean;
  /** Boards whose adapter has the same ids; other adapters of that make have them too. */
  profiles: string[];
}

/** Lists USB adapters only. `root` stands before /sys and /dev, for tests. */
export function serialPorts(profiles: readonly BoardProfile[], root = ''): SerialPortFound[] {
  const links = [linksIn(root, 'by-id'), linksIn(root, 'by-path')] as const;
  const found = entriesOf(`${root}/sys/class/tty`).flatMap((tty) => {
    const usb = usbOf(`${root}/sys/class/tty/${tty}/device`);
    return usb === null ? [] : [{ tty, ...usb }];
  });
  return found.map(({ tty, id, serial }) => {
    const isAlone = found.filter((other) => other.id === id && other.serial === serial).length === 1;
    // Without a serial number two adapters of a make have one name, and the last one gets it.
    const byId = isAlone && serial !== '' ? links[0].get(tty) : undefined;
    return {
      path: byId ?? links[1].get(tty) ?? `/dev/${tty}`,
      usb: id,
      isLasting: byId !== undefined,
      profiles: profiles.flatMap((profile) => (profile.kind === 'lcus' && profile.usb === id ? [profile.name] : [])),
    };
  });
}

/** The USB device above a tty; null: it is none of USB. */
function usbOf(device: string): { id: string; serial: string } | null {
  for (let folder = orElse(() => realpathSync(device), '/'); folder !== '/'; folder = dirname(folder)) {
    const vendor = textOf(join(folder, 'idVendor'));
    if (vendor !== '')
      return { id: `${vendor}:${textOf(join(folder, 'idProduct'))}`, serial: textOf(join(folder, 'serial')) };
  }
  return null;
}

/** tty -> the link that udev has made to it. */
function linksIn(root: string, kind: string): Map<string, string> {
  const folder = `/dev/serial/${kind}`;
  return new Map(
    entriesOf(`${root}${folder}`).map((name) => {
      const target = readlinkSync(`${root}${folder}/${name}`);
      return [target.slice(target.lastIndexOf('/') + 1), `${folder}/${name}`];
    }),
  );
}

function entriesOf(folder: string): string[] {
  return orElse(() => readdirSync(folder).sort(), []);
}

function textOf(file: string): string {
  return orElse(() => readFileSync(file, 'utf8').trim(), '');
}
