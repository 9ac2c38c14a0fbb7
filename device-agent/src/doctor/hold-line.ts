/** The process that `doctor --test-line` kills while it drives a line. */
import type { Level } from '@relaygate/shared/device';
import { GpioLines } from '../relay/gpio-lines';
import { kernelGpio } from '../relay/kernel-gpio';

/** Drives the line of the chip with that label until this process ends. Throws RelaygateError or the kernel's error. */
export function holdLine(label: string, offset: number, level: Level): void {
  GpioLines.request({ kernel: kernelGpio(), chip: label, offsets: [offset] }).drive(0, level);
}
