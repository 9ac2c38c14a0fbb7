/** How far a long work is: a bar where somebody watches, plain lines elsewhere, JSON for programs. */
import { durationWords } from '@relaygate/device-agent/runtime/duration';

export type ProgressStyle = 'bar' | 'lines' | 'json';

export interface ProgressDeps {
  style: ProgressStyle;
  /** Raw text to the terminal. */
  write(text: string): void;
  nowMs(): number;
  /** Aborted: the work ends with its reason at the next step. */
  signal?: AbortSignal;
}

const BAR_CHARS = 24;
const BAR_EVERY_MS = 200;
/** Plain lines: one each tenth. */
const STEPS = 10;
const JSON_EVERY_MS = 1_000;
const MEGABYTE = 1_000_000;

/** One phase of a work, such as "copying". */
export class Progress {
  readonly #deps: ProgressDeps;
  readonly #phase: string;
  readonly #totalBytes: number;
  readonly #startMs: number;
  #doneBytes = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  #shownSteps = 0;

  constructor(deps: ProgressDeps, phase: string, totalBytes: number) {
    this.#deps = deps;
    this.#phase = phase;
    this.#totalBytes = totalBytes;
    this.#startMs = deps.nowMs();
  }

  /** Bytes in all so far. */
  at(doneBytes: number): void {
    this.#deps.signal?.throwIfAborted();
    this.#doneBytes = doneBytes;
    const nowMs = this.#deps.nowMs();
    const { style } = this.#deps;
    if (style === 'lines') {
      const steps = Math.floor(this.#share * STEPS);
      if (steps > this.#shownSteps && steps < STEPS) this.#deps.write(`${this.#phase}: ${this.#figures()}\n`);
      this.#shownSteps = steps;
      return;
    }
    if (nowMs - this.#shownMs < (style === 'bar' ? BAR_EVERY_MS : JSON_EVERY_MS)) return;
    this.#shownMs = nowMs;
    this.#deps.write(style === 'bar' ? `\r\x1b[K${this.#bar()}` : this.#json());
  }

  /** All is done. */
  end(): void {
    this.#doneBytes = this.#totalBytes;
    const tookMs = this.#deps.nowMs() - this.#startMs;
    if (this.#deps.style === 'json') this.#deps.write(this.#json());
    else {
      const clear = this.#deps.style === 'bar' ? '\r\x1b[K' : '';
      this.#deps.write(`${clear}${this.#phase}: done, ${sizeWords(this.#totalBytes)} in ${durationWords(tookMs)}\n`);
    }
  }

  get #share(): number {
    return this.#totalBytes === 0 ? 1 : Math.min(1, this.#doneBytes / this.#totalBytes);
  }

  #bar(): string {
    const full = Math.round(this.#share * BAR_CHARS);
    return `${this.#phase} [${'#'.repeat(full)}${'.'.repeat(BAR_CHARS - full)}] ${this.#figures()}`;
  }

  #figures(): string {
    const tookMs = Math.max(1, this.#deps.nowMs() - this.#startMs);
    const perSecond = (this.#doneBytes / tookMs) * 1_000;
    const left = perSecond > 0 ? durationWords(((this.#totalBytes - this.#doneBytes) / perSecond) * 1_000) : 'unknown';
    const percent = String(Math.floor((this.#doneBytes * 100) / Math.max(1, this.#totalBytes))).padStart(3);
    return `${percent} %, ${(perSecond / MEGABYTE).toFixed(1)} MB/s, ${left} left`;
  }

  #json(): string {
    const { nowMs } = this.#deps;
    const figures = { phase: this.#phase, doneBytes: this.#doneBytes, totalBytes: this.#totalBytes };
    return `${JSON.stringify({ ...figures, tookMs: Math.round(nowMs() - this.#startMs) })}\n`;
  }
}

/** "1.9 GB", "42 MB". */
export function sizeWords(bytes: number): string {
  if (bytes >= 1_000 * MEGABYTE) return `${(bytes / (1_000 * MEGABYTE)).toFixed(1)} GB`;
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
