/**
 * The GPIO pins of a BCM2837 as they are, read from its registers by QEMU's monitor (BCM2835 ARM Peripherals,
 * chapter 6). QEMU knows no pull resistors, so an input has no level worth telling.
 */
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Monitor } from './monitor';

const REGISTERS = 0x3f200000;
/** From GPFSEL0 to GPLEV0, in one look. */
const WORDS = 14;
const LEVEL_WORD = 13;
const PINS_A_FUNCTION_WORD = 10;
const FUNCTION_BITS = 3;
/** Each look stops the emulated machine for a moment: a look a millisecond makes it several times slower. */
const SAMPLE_MS = 20;

/** What the chip does with a pin; `other`: another function of the chip has it. */
export type Drive = 'high' | 'low' | 'input' | 'other';

/** The pin changed after `afterMs` and before `beforeMs`, on this machine's CLOCK_MONOTONIC. */
export interface PinEdge {
  pin: number;
  drive: Drive;
  afterMs: number;
  beforeMs: number;
}

export class Pins {
  readonly #monitor: Pick<Monitor, 'words'>;

  constructor(monitor: Pick<Monitor, 'words'>) {
    this.#monitor = monitor;
  }

  /** `pins`: BCM numbers, 0 to 31. */
  async look(...pins: number[]): Promise<Drive[]> {
    const words = await this.#monitor.words(REGISTERS, WORDS);
    return pins.map((pin) => driveOf(words, pin));
  }

  /** Watches pins until `stop`, about every `sampleMs`. */
  watch(pins: readonly number[], sampleMs = SAMPLE_MS): PinWatch {
    return new PinWatch(() => this.look(...pins), pins, sampleMs);
  }
}

export class PinWatch {
  readonly #edges: PinEdge[] = [];
  readonly #look: () => Promise<Drive[]>;
  readonly #pins: readonly number[];
  readonly #sampleMs: number;
  readonly #watching: Promise<void>;
  #isStopped = false;
  #longestGapMs = 0;

  constructor(look: () => Promise<Drive[]>, pins: readonly number[], sampleMs: number) {
    this.#look = look;
    this.#pins = pins;
    this.#sampleMs = sampleMs;
    this.#watching = this.#watch();
    // Whoever awaits hears of it.
    this.#watching.catch(() => {});
  }

  /** For how long, at most, nobody looked: the machine under this one stood still for about so long. */
  get longestGapMs(): number {
    return this.#longestGapMs;
  }

  /** Resolves as soon as there are `count` edges; rejects when there are fewer within `timeoutMs`. */
  async until(count: number, timeoutMs: number): Promise<void> {
    const giveUpMs = monotonicNowMs() + timeoutMs;
    while (this.#edges.length < count) {
      if (monotonicNowMs() > giveUpMs) throw new Error(`not ${count} edges: ${JSON.stringify(this.#edges)}`);
      await nextSample(this.#sampleMs);
    }
  }

  /** Gives every edge that it has seen. */
  async stop(): Promise<readonly PinEdge[]> {
    this.#isStopped = true;
    await this.#watching;
    return this.#edges;
  }

  async #watch(): Promise<void> {
    let afterMs = monotonicNowMs();
    let before = await this.#look();
    while (!this.#isStopped) {
      await nextSample(this.#sampleMs);
      const askedMs = monotonicNowMs();
      const now = await this.#look();
      const beforeMs = monotonicNowMs();
      for (const [n, drive] of now.entries()) {
        const pin = this.#pins[n];
        if (pin !== undefined && drive !== before[n]) this.#edges.push({ pin, drive, afterMs, beforeMs });
      }
      this.#longestGapMs = Math.max(this.#longestGapMs, beforeMs - afterMs);
      afterMs = askedMs;
      before = now;
    }
  }
}

/** What two edges allow for the time between them. */
export interface Width {
  minMs: number;
  maxMs: number;
}

export function widthOf(first: PinEdge, second: PinEdge): Width {
  return { minMs: second.afterMs - first.beforeMs, maxMs: second.beforeMs - first.afterMs };
}

function driveOf(words: readonly number[], pin: number): Drive {
  const functions = words[Math.floor(pin / PINS_A_FUNCTION_WORD)] ?? 0;
  const code = (functions >>> ((pin % PINS_A_FUNCTION_WORD) * FUNCTION_BITS)) & 7;
  if (code !== 1) return code === 0 ? 'input' : 'other';
  return ((words[LEVEL_WORD] ?? 0) >>> pin) & 1 ? 'high' : 'low';
}

function nextSample(sampleMs: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, sampleMs));
}
