import type { GpioKernel } from '../../relay/gpio-kernel';
import { type ChipInfo, IOCTL, newChipInfo, readChipInfo } from '../../relay/gpio-uapi';

/** All that the kernel has. Throws its error. */
export function chipsOf(kernel: GpioKernel): (ChipInfo & { path: string })[] {
  return kernel.chips().map((path) =>
    withChip(kernel, path, (fd) => {
      const info = newChipInfo();
      kernel.ioctl(fd, IOCTL.chipInfo, info);
      return { path, ...readChipInfo(info) };
    }),
  );
}

export function withChip<T>(kernel: GpioKernel, path: string, use: (fd: number) => T): T {
  const fd = kernel.open(path);
  try {
    return use(fd);
  } finally {
    kernel.close(fd);
  }
}
