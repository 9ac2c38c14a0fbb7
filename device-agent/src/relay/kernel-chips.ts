/** The chips that the kernel's GPIO character device has. Throws its errors. */
import type { GpioKernel } from './gpio-kernel';
import { type ChipInfo, IOCTL, newChipInfo, readChipInfo } from './gpio-uapi';

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
