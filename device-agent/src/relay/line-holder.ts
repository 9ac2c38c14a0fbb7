/** Who holds a line of a GPIO chip: asked when something is wrong, so no guard that works loads it. */
import type { GpioKernel } from './gpio-kernel';
import { IOCTL, textAt } from './gpio-uapi';

/** struct gpio_v2_line_info: name, consumer, offset, num_attrs, flags, attrs, padding. */
const LINE_INFO = { consumer: 32, offset: 64, flags: 72, bytes: 256 };
const FLAG_USED = 1n << 0n;

/** The holder's own name, empty if it has none; null: nobody holds it. Throws the kernel's error. */
export function holderOf(kernel: GpioKernel, chip: number, offset: number): string | null {
  const info = newLineInfo(offset);
  kernel.ioctl(chip, IOCTL.lineInfo, info);
  return readHolder(info);
}

export function newLineInfo(offset: number): Buffer {
  const bytes = Buffer.alloc(LINE_INFO.bytes);
  bytes.writeUInt32LE(offset, LINE_INFO.offset);
  return bytes;
}

export function readHolder(bytes: Buffer): string | null {
  const isUsed = (bytes.readBigUInt64LE(LINE_INFO.flags) & FLAG_USED) !== 0n;
  return isUsed ? textAt(bytes, LINE_INFO.consumer) : null;
}
