/**
 * The bytes of the GPIO character device's interface, version 2 (Linux 5.10 and newer), little-endian as every machine
 * that Node runs on here. Pure. Source: include/uapi/linux/gpio.h.
 */
import type { Level } from '@relaygate/shared/device';

/** Request codes of ioctl: direction, size of the argument, 0xB4, number. */
export const IOCTL = {
  /** GPIO_GET_CHIPINFO_IOCTL, on the chip. */
  chipInfo: 0x8044b401,
  /** GPIO_V2_GET_LINEINFO_IOCTL, on the chip. */
  lineInfo: 0xc100b405,
  /** GPIO_V2_GET_LINE_IOCTL, on the chip. */
  requestLines: 0xc250b407,
  /** GPIO_V2_LINE_SET_CONFIG_IOCTL, on the request. */
  setConfig: 0xc110b40d,
  /** GPIO_V2_LINE_GET_VALUES_IOCTL, on the request. */
  getValues: 0xc010b40e,
  /** GPIO_V2_LINE_SET_VALUES_IOCTL, on the request. */
  setValues: 0xc010b40f,
} as const;

/** GPIO_MAX_NAME_SIZE, the closing zero included. */
const NAME_BYTES = 32;

/** struct gpiochip_info: name, label, lines. */
const CHIP_INFO = { label: 32, lines: 64, bytes: 68 };
/** struct gpio_v2_line_request: offsets, consumer, config, num_lines, event_buffer_size, padding, fd. */
export const LINE_REQUEST = { consumer: 256, config: 288, numLines: 560, bufferSize: 564, fd: 588, bytes: 592 };
/** struct gpio_v2_line_config: flags, num_attrs, padding, attrs of struct gpio_v2_line_config_attribute. */
const LINE_CONFIG = { numAttrs: 8, attrs: 32, bytes: 272 };
/** struct gpio_v2_line_config_attribute: id, padding, value, mask of lines. */
const ATTRIBUTE = { value: 8, mask: 16, bytes: 24 };
/** struct gpio_v2_line_values: bits, mask. */
const LINE_VALUES = { mask: 8, bytes: 16 };

const FLAG_OUTPUT = 1n << 3n;
/** Where a resistor pulls. */
export const PULL_FLAGS = { high: 1n << 8n, low: 1n << 9n } as const satisfies Record<Level, bigint>;
/** The attribute that holds flags of lines. */
export const ATTRIBUTE_FLAGS = 1;
const ATTRIBUTE_OUTPUT_VALUES = 2;

export interface ChipInfo {
  label: string;
  lines: number;
}

export const newChipInfo = (): Buffer => Buffer.alloc(CHIP_INFO.bytes);

export function readChipInfo(bytes: Buffer): ChipInfo {
  return { label: textAt(bytes, CHIP_INFO.label), lines: bytes.readUInt32LE(CHIP_INFO.lines) };
}

/** Asks for lines as they are: no flag, so neither direction nor level changes. At most 64 lines. */
export function newLineRequest(offsets: readonly number[], consumer: string): Buffer {
  const bytes = Buffer.alloc(LINE_REQUEST.bytes);
  for (const [n, offset] of offsets.entries()) bytes.writeUInt32LE(offset, n * 4);
  bytes.write(consumer, LINE_REQUEST.consumer, NAME_BYTES - 1, 'ascii');
  bytes.writeUInt32LE(offsets.length, LINE_REQUEST.numLines);
  return bytes;
}

/** The file descriptor of the lines, once the kernel has answered. */
export function readRequestFd(bytes: Buffer): number {
  return bytes.readInt32LE(LINE_REQUEST.fd);
}

/**
 * Makes one line of the request an output at this level, in one step. The other lines have no direction in it, so they stay
 * as they are. `pull`: where the chip's resistor is to pull it; undefined: unchanged.
 */
export function newOutputConfig(line: number, level: Level, pull?: Level): Buffer {
  const bytes = Buffer.alloc(LINE_CONFIG.bytes);
  const mask = maskOf(line);
  writeAttributes(bytes, [
    { id: ATTRIBUTE_FLAGS, value: FLAG_OUTPUT | (pull ? PULL_FLAGS[pull] : 0n), mask },
    { id: ATTRIBUTE_OUTPUT_VALUES, value: level === 'high' ? mask : 0n, mask },
  ]);
  return bytes;
}

/** `mask`: the lines that the attribute is for. */
interface Attribute {
  id: number;
  value: bigint;
  mask: bigint;
}

/** Writes them into a struct gpio_v2_line_config; at most 10. */
export function writeAttributes(config: Buffer, attributes: readonly Attribute[]): void {
  config.writeUInt32LE(attributes.length, LINE_CONFIG.numAttrs);
  for (const [n, { id, value, mask }] of attributes.entries()) {
    const at = LINE_CONFIG.attrs + n * ATTRIBUTE.bytes;
    config.writeUInt32LE(id, at);
    config.writeBigUInt64LE(value, at + ATTRIBUTE.value);
    config.writeBigUInt64LE(mask, at + ATTRIBUTE.mask);
  }
}

/** The level of one line of the request, to be set. If it is asked for, the level does not matter. */
export function newLineValues(line: number, level: Level): Buffer {
  const bytes = Buffer.alloc(LINE_VALUES.bytes);
  const mask = maskOf(line);
  bytes.writeBigUInt64LE(level === 'high' ? mask : 0n);
  bytes.writeBigUInt64LE(mask, LINE_VALUES.mask);
  return bytes;
}

export function readLevel(bytes: Buffer, line: number): Level {
  return (bytes.readBigUInt64LE() & maskOf(line)) === 0n ? 'low' : 'high';
}

export function maskOf(line: number): bigint {
  return 1n << BigInt(line);
}

/** A name within a struct. */
export function textAt(bytes: Buffer, at: number): string {
  const field = bytes.subarray(at, at + NAME_BYTES);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? NAME_BYTES : end);
}
