/**
 * The GPIO pins of a BCM2837 as they are, read from its registers by QEMU's monitor (BCM2835 ARM Peripherals,
 * chapter 6). QEMU knows no pull resistors: a pin that is an input has no level of its own.
 */
import type { Level } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Monitor } from './monitor';

const FUNCTION_SELECT = 0x3f200000;
const PIN_LEVEL = 0x3f200034;
const PINS_A_FUNCTION_WORD = 10;
const FUNCTION_BITS = 3;
const SAMPLE_MS = 1;

export interface Pin {
  direction: 'in' | 'out' | 'other';
  level: Level;
}

/** The pin changed after `afterMs` and before `beforeMs`, on this machine's CLOCK_MONOTONIC. */
export interface PinEdge {
  pin: number;
  level: Level;
  afterMs: number;
  beforeMs: number;
}

export class Pins {
  readonly #monitor: Monitor;

  constructor(monitor: Monitor) {
    this.#monitor = monitor;
  }

  /** `pin`: BCM number, 0 to 31. */
  async look(pin: number): Promise<Pin> {
    const functions = await this.#monitor.word(FUNCTION_SELECT + 4 * Math.floor(pin / PINS_A_FUNCTION_WORD));
    const levels = await this.#monitor.word(PIN_LEVEL);
    const code = (functions >>> ((pin % PINS_A_FUNCTION_WORD) * FUNCTION_BITS)) & 7;
    return { direction: code === 0 ? 'in' : code === 1 ? 'out' : 'other', level: levelIn(levels, pin) };
  }

  /** Watches pins until `stop`, which gives every edge that a look about each millisecond can see. */
  watch(pins: readonly number[]): PinWatch {
    return new PinWatch(this.#monitor, pins);
  }
}

export class PinWatch {
  readonly #edges: PinEdge[] = [];
  readonly #pins: readonly number[];
  readonly #watching: Promise<void>;
  #isStopped = false;

  constructor(monitor: Monitor, pins: readonly number[]) {
    this.#pins = pins;
    this.#watching = this.#watch(monitor);
    // Whoever awaits hears of it.
    this.#watching.catch(() => {});
  }

  /** So far. */
  get edges(): readonly PinEdge[] {
    return this.#edges;
  }

  /** The edges, as soon as there are `count`; rejects when there are fewer within `timeoutMs`. */
  async until(count: number, timeoutMs: number): Promise<readonly PinEdge[]> {
    const giveUpMs = monotonicNowMs() + timeoutMs;
    while (this.#edges.length < count) {
      if (monotonicNowMs() > giveUpMs) throw new Error(`not ${count} edges: ${JSON.stringify(this.#edges)}`);
      await nextSample();
    }
    return this.#edges;
  }

  async stop(): Promise<readonly PinEdge[]> {
    this.#isStopped = true;
    await this.#watching;
    return this.#edges;
  }

  async #watch(monitor: Monitor): Promise<void> {
    let afterMs = monotonicNowMs();
    let before = await monitor.word(PIN_LEVEL);
    while (!this.#isStopped) {
      await nextSample();
      const askedMs = monotonicNowMs();
      const levels = await monitor.word(PIN_LEVEL);
      const beforeMs = monotonicNowMs();
      for (const pin of this.#pins) {
        const level = levelIn(levels, pin);
        if (level !== levelIn(before, pin)) this.#edges.push({ pin, level, afterMs, beforeMs });
      }
      afterMs = askedMs;
      before = levels;
    }
  }
}

/** What the edges allow for the time from one to the next: the shortest and the longest, in ms. */
export function widthOf(first: PinEdge, second: PinEdge): { minMs: number; maxMs: number } {
  return { minMs: second.afterMs - first.beforeMs, maxMs: second.beforeMs - first.afterMs };
}

function levelIn(levels: number, pin: number): Level {
  return (levels >>> pin) & 1 ? 'high' : 'low';
}

function nextSample(): Promise<void> {
  return new Promise((resume) => setTimeout(resume, SAMPLE_MS));
}
