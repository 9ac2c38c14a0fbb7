/** The bytes of inputs in the GPIO character device's interface (gpio-uapi.ts). Pure. */
import type { GpioBias, GpioInput, Level } from '@relaygate/shared/device';
import { ATTRIBUTE_FLAGS, LINE_REQUEST, maskOf, newLineRequest, PULL_FLAGS, writeAttributes } from './gpio-uapi';

/** struct gpio_v2_line_event: timestamp_ns, id, offset, seqno, line_seqno, padding. */
const LINE_EVENT = { id: 8, bytes: 48 };
export const EVENT_BYTES = LINE_EVENT.bytes;
const EVENT_RISING = 1;
/** How many edges the kernel keeps of a watched input; then the oldest goes. */
const BUFFERED_EDGES = 256;
const NANOSECONDS_PER_MS = 1e6;

const FLAG_INPUT = 1n << 2n;
const FLAGS_EDGES = (1n << 4n) | (1n << 5n);
const BIAS_FLAGS: readonly (readonly [GpioBias, bigint])[] = [
  ['pull-up', PULL_FLAGS.high],
  ['pull-down', PULL_FLAGS.low],
  ['disabled', 1n << 10n],
];

/**
 * Asks for lines as inputs, each with its resistor, in one step. A chip without resistors ignores them. At most 64 lines.
 * `edges`: the kernel keeps the lines' edges to be read, with CLOCK_MONOTONIC as their time.
 */
export function newInputRequest(inputs: readonly GpioInput[], consumer: string, edges?: 'edges'): Buffer {
  const offsets = inputs.map(({ line }) => line);
  const bytes = newLineRequest(offsets, consumer);
  const flags = edges ? FLAG_INPUT | FLAGS_EDGES : FLAG_INPUT;
  const attributes = BIAS_FLAGS.map(([bias, flag]) => ({
    id: ATTRIBUTE_FLAGS,
    value: flags | flag,
    mask: inputs.reduce((mask, input, n) => (input.bias === bias ? mask | maskOf(n) : mask), 0n),
  }));
  bytes.writeBigUInt64LE(flags, LINE_REQUEST.config);
  if (edges) bytes.writeUInt32LE(BUFFERED_EDGES, LINE_REQUEST.bufferSize);
  writeAttributes(
    bytes.subarray(LINE_REQUEST.config),
    attributes.filter(({ mask }) => mask !== 0n),
  );
  return bytes;
}

/** The edge at the beginning of the bytes. The kernel reads its level after its time. */
export function readEvent(bytes: Buffer): { level: Level; atMs: number } {
  const level = bytes.readUInt32LE(LINE_EVENT.id) === EVENT_RISING ? 'high' : 'low';
  return { level, atMs: Number(bytes.readBigUInt64LE()) / NANOSECONDS_PER_MS };
}
