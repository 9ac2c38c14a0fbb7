import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { codeOf } from '../runtime/problem';
import type { GpioKernel } from './gpio-kernel';

const FOLDER = '/dev';
const CHIP = /^gpiochip\d+$/;
/** asm-generic/ioctls.h: whether reading waits. */
const FIONBIO = 0x5421;
const YES = Buffer.from(Int32Array.of(1).buffer);

/** The machine's own GPIO chips. koffi is loaded here and not before: no other board needs it. */
export function kernelGpio(): GpioKernel {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const koffi: typeof import('koffi') = require('koffi');
  // A function of the C library that Node itself runs on. The third argument is variadic in C; on Linux it is passed like
  // any other.
  const ioctl = koffi.load(null).func('int ioctl(int fd, unsigned long request, _Inout_ uint8_t *argument)');
  const names = new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name]));
  const call: GpioKernel['ioctl'] = (fd, request, argument) => {
    if (ioctl(fd, request, argument) >= 0) return;
    const errno = koffi.errno();
    const code = names.get(errno) ?? `errno ${errno}`;
    throw Object.assign(new Error(`${code}: ioctl 0x${request.toString(16)}`), { code, errno });
  };
  return {
    // Links are other names for the same chip: Raspberry Pi OS makes some on a Pi 5.
    chips: () =>
      readdirSync(FOLDER, { withFileTypes: true })
        .filter((entry) => CHIP.test(entry.name) && entry.isCharacterDevice())
        .map(({ name }) => `${FOLDER}/${name}`)
        .sort(),
    open: (path) => openSync(path, 'r+'),
    ioctl: call,
    read(fd, bytes) {
      try {
        return readSync(fd, bytes);
      } catch (error) {
        if (codeOf(error) === 'EAGAIN') return 0;
        throw error;
      }
    },
    watch(fd, ready) {
      call(fd, FIONBIO, YES);
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { whileReadable }: typeof import('./readable-file') = require('./readable-file');
      return whileReadable(fd, ready);
    },
    close: (fd) => closeSync(fd),
  };
}
