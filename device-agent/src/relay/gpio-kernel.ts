import type { Cancel } from '@relaygate/shared';

/**
 * The calls on a GPIO character device, a port, so that the driver can be played over a kernel of the tests. They are
 * synchronous, a register write each, and fail with an error whose `code` is the kernel's word (EBUSY).
 */
export interface GpioKernel {
  /** The paths of /dev/gpiochip*; empty if there are none. */
  chips(): string[];
  /** Opens it for reading and writing; returns the file descriptor. */
  open(path: string): number;
  /** `argument` is what the kernel reads, and writes. */
  ioctl(fd: number, request: number, argument: Buffer): void;
  /** Reads what has come to the file descriptor; returns the number of bytes. Never waits: 0 says that nothing is there. */
  read(fd: number, bytes: Buffer): number;
  /**
   * Calls `ready` while there is something to read, or reading would fail: once a turn of the event loop, and in turn
   * with others that are watched. Cancelled before the file descriptor is closed.
   */
  watch(fd: number, ready: () => void): Cancel;
  close(fd: number): void;
}
