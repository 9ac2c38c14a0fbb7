/** The chips of the kernel's GPIO character device, and the levels at their lines. Throws its errors. */
import type { Level } from '@relaygate/shared/device';
import type { GpioKernel } from './gpio-kernel';
import { type ChipInfo, IOCTL, newChipInfo, newLineValues, readChipInfo, readLevel } from './gpio-uapi';

export interface KernelChip extends ChipInfo {
  path: string;
}

export function chipsOf(kernel: GpioKernel): KernelChip[] {
  return kernel.chips().map((path) => chipAt(kernel, path));
}

export function chipAt(kernel: GpioKernel, path: string): KernelChip {
  return withChip(kernel, path, (fd) => {
    const info = newChipInfo();
    kernel.ioctl(fd, IOCTL.chipInfo, info);
    return { path, ...readChipInfo(info) };
  });
}

export function withChip<T>(kernel: GpioKernel, path: string, use: (fd: number) => T): T {
  const fd = kernel.open(path);
  try {
    return use(fd);
  } finally {
    kernel.close(fd);
  }
}

/** The level at one line of the request that was opened as `fd`. */
export function levelAt(kernel: GpioKernel, fd: number, line: number): Level {
  const values = newLineValues(line, 'low');
  kernel.ioctl(fd, IOCTL.getValues, values);
  return readLevel(values, line);
}
