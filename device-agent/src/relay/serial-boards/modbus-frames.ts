/**
 * Frames of Modbus RTU: address, function, data, CRC. Pure. Source: "MODBUS over Serial Line V1.02" and "MODBUS
 * Application Protocol V1.1b3" (modbus.org); bytes of the Waveshare board from its manual.
 */
import type { Level } from '@relaygate/shared/device';

const READ_COILS = 0x01;
export const READ_INPUTS = 0x02;
const WRITE_COIL = 0x05;
const WRITE_COILS = 0x0f;
/** Set in the function of an answer that is an exception. */
const EXCEPTION = 0x80;
/** The exception of a request for a coil or an input that the board does not have. */
export const NO_SUCH_ADDRESS = 2;
const CRC_BYTES = 2;
const EXCEPTION_BYTES = 5;
/** The head of a request for several coils, which is its answer too: address, function, first coil, count. */
const COILS_HEAD_BYTES = 6;
/** Start bit, 8 data bits, parity or not, stop bits. */
const BITS_PER_BYTE = 11;
/** The silence between frames, "MODBUS over Serial Line" 2.5.1.1. */
const GAP_BYTES = 3.5;
const MIN_GAP_MS = 2;
/** Waveshare: coil 0x0200 + n switches relay n on for a time. */
const FLASH_ON = 0x0200;
/** The unit that the board counts a flash in. */
export const FLASH_UNIT_MS = 100;
/** The longest time that the board counts. */
export const FLASH_MAX_UNITS = 0x7fff;

/** The answer that a request asks for. */
export interface Expected {
  address: number;
  function: number;
  /** The whole frame's length. */
  sizeBytes: number;
  /** The answer of a write, byte for byte, so that a late answer to another write does not pass for it. */
  echo?: Uint8Array;
}

export interface Request {
  bytes: Uint8Array;
  expected: Expected;
}

export type Reply =
  /** Bytes may still come. `hasBadFrame`: an answer's head stood there, with a CRC that does not fit. */
  | { kind: 'incomplete'; hasBadFrame: boolean }
  | { kind: 'answer'; frame: Uint8Array }
  | { kind: 'exception'; code: number };

export function writeCoil(address: number, coil: number, level: Level): Request {
  return write(address, coil, level === 'high' ? 0xff00 : 0x0000);
}

/** `units` of FLASH_UNIT_MS, 1 to FLASH_MAX_UNITS. */
export function flashOn(address: number, coil: number, units: number): Request {
  return write(address, FLASH_ON + coil, units);
}

/** `count` coils from `first` on are off. */
export function coilsOff(address: number, first: number, count: number): Request {
  const dataBytes = Math.ceil(count / 8);
  const head = [address, WRITE_COILS, first >> 8, first & 0xff, count >> 8, count & 0xff];
  const echo = framed(head);
  return {
    bytes: framed([...head, dataBytes, ...Array<number>(dataBytes).fill(0)]),
    expected: { address, function: WRITE_COILS, sizeBytes: COILS_HEAD_BYTES + CRC_BYTES, echo },
  };
}

/** Coils 0 to `count` - 1. */
export function readCoils(address: number, count: number): Request {
  return read(address, READ_COILS, count);
}

/** Discrete inputs 0 to `count` - 1. */
export function readInputs(address: number, count: number): Request {
  return read(address, READ_INPUTS, count);
}

export function levelsOf(frame: Uint8Array, count: number): Level[] {
  return Array.from({ length: count }, (_, coil) =>
    ((frame[3 + (coil >> 3)] ?? 0) >> (coil & 7)) & 1 ? 'high' : 'low',
  );
}

/**
 * Reads the answer, as far as it has come. Noise around a frame is ignored: its CRC shows what is a frame. Frames of
 * others, and answers to other questions, are noise too.
 */
export function readReply(bytes: Uint8Array, expected: Expected): Reply {
  let hasBadFrame = false;
  for (let start = 0; start + EXCEPTION_BYTES <= bytes.length; start += 1) {
    if (bytes[start] !== expected.address) continue;
    const exception = bytes.subarray(start, start + EXCEPTION_BYTES);
    if (bytes[start + 1] === (expected.function | EXCEPTION)) {
      if (isSound(exception)) return { kind: 'exception', code: exception[2] ?? 0 };
      hasBadFrame = true;
    }
    const frame = bytes.subarray(start, start + expected.sizeBytes);
    if (bytes[start + 1] !== expected.function || frame.length < expected.sizeBytes) continue;
    if (!isSound(frame)) hasBadFrame = true;
    else if (isAnswer(frame, expected)) return { kind: 'answer', frame };
  }
  return { kind: 'incomplete', hasBadFrame };
}

/** How long so many bytes take on the wire. */
export function wireMs(bytes: number, baud: number): number {
  return (bytes * BITS_PER_BYTE * 1_000) / baud;
}

/** The silence between frames. */
export function gapMs(baud: number): number {
  return Math.max(MIN_GAP_MS, wireMs(GAP_BYTES, baud));
}

function read(address: number, operation: number, count: number): Request {
  const sizeBytes = 3 + Math.ceil(count / 8) + CRC_BYTES;
  const bytes = framed([address, operation, 0, 0, count >> 8, count & 0xff]);
  return { bytes, expected: { address, function: operation, sizeBytes } };
}

/** CRC-16/MODBUS, low byte first. */
function crcOf(bytes: Uint8Array): [number, number] {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return [crc & 0xff, crc >> 8];
}

function write(address: number, coil: number, value: number): Request {
  const bytes = framed([address, WRITE_COIL, coil >> 8, coil & 0xff, value >> 8, value & 0xff]);
  return { bytes, expected: { address, function: WRITE_COIL, sizeBytes: bytes.length, echo: bytes } };
}

function framed(body: readonly number[]): Uint8Array {
  const bytes = Uint8Array.from(body);
  return Uint8Array.from([...bytes, ...crcOf(bytes)]);
}

function isSound(frame: Uint8Array): boolean {
  const [low, high] = crcOf(frame.subarray(0, -CRC_BYTES));
  return frame.at(-2) === low && frame.at(-1) === high;
}

function isAnswer(frame: Uint8Array, { echo, sizeBytes }: Expected): boolean {
  if (echo) return frame.every((byte, n) => byte === echo[n]);
  // The count of data bytes stands before them.
  return frame[2] === sizeBytes - 3 - CRC_BYTES;
}
