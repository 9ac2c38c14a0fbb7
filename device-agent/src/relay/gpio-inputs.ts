/** The inputs of a board, held through the kernel's GPIO character device. */

import type { Cancel } from '@relaygate/shared';
import type { GpioInput, Level } from '@relaygate/shared/device';
import { EVENT_BYTES, newInputRequest, readEvent } from './gpio-input-uapi';
import type { GpioKernel } from './gpio-kernel';
import { levelAt } from './kernel-chips';
import type { InputEdge } from './relay-driver';

/** Edges that are read at once; the guard's other work comes in between. */
const MAX_EVENTS = 16;

export interface EdgeListener {
  edges(edges: readonly InputEdge[]): void;
  /** The inputs can no longer be read. */
  failed(): void;
}

/** Sends a request to the chip; the file descriptor of its lines. */
export type RequestLines = (bytes: Buffer) => number;

/** The request that an input belongs to, and which of its lines it is. */
interface Place {
  fd: number;
  line: number;
}

/**
 * Inputs that are watched have a request each: the kernel keeps its latest edges, so an input that flaps makes no other
 * lose one. All others are in one request.
 */
export class GpioInputs {
  readonly #kernel: GpioKernel;
  /** By the input's number. */
  readonly #places = new Map<number, Place>();
  readonly #watched: readonly number[];
  readonly #cancels: Cancel[] = [];

  /** Requests them. Throws the kernel's error, and holds nothing then. */
  constructor(
    kernel: GpioKernel,
    request: RequestLines,
    inputs: readonly GpioInput[],
    watched: readonly number[],
    consumer: string,
  ) {
    this.#kernel = kernel;
    this.#watched = [...inputs.keys()].filter((input) => watched.includes(input));
    const others = [...inputs.keys()].filter((input) => !watched.includes(input));
    try {
      if (others.length > 0) this.#hold(others, request(newInputRequest(chosen(inputs, others), consumer)));
      for (const input of this.#watched) {
        this.#hold([input], request(newInputRequest(chosen(inputs, [input]), consumer, 'edges')));
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The level at an input, by its number. Throws the kernel's error. */
  read(input: number): Level {
    const { fd, line } = this.#placeOf(input);
    return levelAt(this.#kernel, fd, line);
  }

  /** Watches from now on, until it is closed or has failed. */
  watch(listener: EdgeListener): void {
    for (const input of this.#watched) {
      const { fd } = this.#placeOf(input);
      this.#cancels.push(this.#kernel.watch(fd, () => this.#report(input, fd, listener)));
    }
  }

  /** Never throws. */
  close(): void {
    closeEach(this.#cancels.splice(0));
    const fds = new Set([...this.#places.values()].map(({ fd }) => fd));
    this.#places.clear();
    closeEach([...fds].map((fd) => () => this.#kernel.close(fd)));
  }

  #placeOf(input: number): Place {
    const place = this.#places.get(input);
    if (place === undefined) throw new RangeError(`no input ${input} was requested`);
    return place;
  }

  #hold(inputs: readonly number[], fd: number): void {
    for (const [line, input] of inputs.entries()) this.#places.set(input, { fd, line });
  }

  #report(input: number, fd: number, listener: EdgeListener): void {
    const bytes = Buffer.alloc(MAX_EVENTS * EVENT_BYTES);
    let sizeBytes: number;
    try {
      sizeBytes = this.#kernel.read(fd, bytes);
    } catch {
      // If it went on, this would be said at each turn of the event loop.
      return listener.failed();
    }
    const edges: InputEdge[] = [];
    for (let at = 0; at < sizeBytes; at += EVENT_BYTES) edges.push({ input, ...readEvent(bytes.subarray(at)) });
    if (edges.length > 0) listener.edges(edges);
  }
}

/** Closes each by itself: a failure leaves no other open, whose lines nobody could request again. */
function closeEach(closings: readonly (() => void)[]): void {
  for (const close of closings) {
    try {
      close();
    } catch {
      // If it cannot be closed, it is closed already.
    }
  }
}

function chosen(inputs: readonly GpioInput[], numbers: readonly number[]): GpioInput[] {
  return inputs.filter((_input, n) => numbers.includes(n));
}
