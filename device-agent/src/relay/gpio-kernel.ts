/**
 * The calls on a GPIO character device, a port, so that the driver can be played over a kernel of the tests. They are
 * synchronous, a register write each, and fail with an error whose `code` is the kernel's word (EBUSY).
 */
export interface GpioKernel {
  /** The paths of /dev/gpiochip*; empty where there are none. */
  chips(): string[];
  /** The file descriptor, opened for reading and writing. */
  open(path: string): number;
  /** `argument` is what the kernel reads, and writes. */
  ioctl(fd: number, request: number, argument: Buffer): void;
  close(fd: number): void;
}
