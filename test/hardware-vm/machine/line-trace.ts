/**
 * What the emulated machine's kernel tells its GPIO chip to do, from the tracepoint gpio:gpio_value
 * (include/trace/events/gpio.h): every order with its time, however short a level lasts.
 */
import type { Level } from '@relaygate/shared';
import type { Shell } from './shell';

const TRACING = '/sys/kernel/tracing';
const CHIP_LABEL = 'pinctrl-bcm2835';
const ORDER = / (\d+\.\d+): gpio_value: (\d+) +set (\d)/g;

export interface LineOrder {
  /** BCM number. */
  pin: number;
  drive: Level;
  /** On the emulated machine's CLOCK_MONOTONIC. */
  atMs: number;
}

export class LineTrace {
  readonly #shell: Pick<Shell, 'run' | 'read'>;
  readonly #base: number;

  static async open(shell: Pick<Shell, 'run' | 'read'>): Promise<LineTrace> {
    const base = await shell.run(`
      mount -t tracefs tracefs ${TRACING}
      echo mono > ${TRACING}/trace_clock && echo 1 > ${TRACING}/events/gpio/gpio_value/enable || exit 1
      for chip in /sys/class/gpio/gpiochip*; do
        if grep -q ${CHIP_LABEL} $chip/label; then cat $chip/base; fi
      done`);
    return new LineTrace(shell, Number(base));
  }

  /** `base`: what the kernel counts its lines from. */
  private constructor(shell: Pick<Shell, 'run' | 'read'>, base: number) {
    this.#shell = shell;
    this.#base = base;
  }

  async forget(): Promise<void> {
    await this.#shell.run(`echo > ${TRACING}/trace`);
  }

  /** Since `forget`, without those that repeat the last one for their pin. */
  async orders(): Promise<LineOrder[]> {
    const text = await this.#shell.read(`${TRACING}/trace`);
    const last = new Map<number, Level>();
    return [...text.matchAll(ORDER)].flatMap(([, seconds, line, level]): LineOrder[] => {
      const pin = Number(line) - this.#base;
      const drive = level === '1' ? 'high' : 'low';
      if (last.get(pin) === drive) return [];
      last.set(pin, drive);
      return [{ pin, drive, atMs: Number(seconds) * 1000 }];
    });
  }
}
