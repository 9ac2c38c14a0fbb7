/** The machines that QEMU plays. */
import type { VmImage } from '../image/vm-image';

/** Where what is plugged into the PC goes. */
export const USB_BUS = 'usb';

export interface MachineKind {
  program: string;
  networkCard: string;
  kernelArguments: readonly string[];
  options(image: VmImage): string[];
  /** The label of the GPIO chip that guards of the tests use there. */
  chip: string;
  /** The numbers of the system calls epoll_pwait and epoll_wait, as far as there are both. */
  epollCalls: readonly number[];
}

export const RASPBERRY_PI_3: MachineKind = {
  program: 'qemu-system-aarch64',
  networkCard: 'usb-net',
  // QEMU gives each processor turns of 100 ms: with one for all programs, Linux decides who goes first.
  kernelArguments: ['console=ttyS1,115200', 'isolcpus=1-3'],
  options: ({ deviceTree }) => [
    ...['-M', 'raspi3b', '-accel', 'tcg,thread=single', '-dtb', deviceTree],
    // ttyS1, because Bluetooth has the board's first serial line.
    ...['-serial', 'null', '-serial', 'stdio'],
  ],
  chip: 'pinctrl-bcm2835',
  epollCalls: [22],
};

export const PC_WITH_GPIO_SIM: MachineKind = {
  program: 'qemu-system-x86_64',
  networkCard: 'virtio-net-pci',
  kernelArguments: ['console=ttyS0'],
  // Not KVM: where this machine is a virtual one itself, /dev/kvm may be there and not work.
  options: () => [
    ...['-M', 'q35', '-m', '1024', '-accel', 'tcg', '-cpu', 'max', '-serial', 'stdio'],
    ...['-device', `qemu-xhci,id=${USB_BUS}`],
  ],
  chip: 'relaygate-test',
  epollCalls: [281, 232],
};
