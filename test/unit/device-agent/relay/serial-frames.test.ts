/** The frames of serial boards, byte for byte, and their parsers against everything that a wire may bring. */
import { describe, expect, test } from '@jest/globals';
import { readStatus, switchFrame } from '@relaygate/device-agent/relay/serial-boards/lcus-frames';
import {
  coilsOff,
  type Expected,
  flashOn,
  levelsOf,
  readCoils,
  readInputs,
  readReply,
  writeCoil,
} from '@relaygate/device-agent/relay/serial-boards/modbus-frames';
import type { Level } from '@relaygate/shared/device';
import fc from 'fast-check';
import { generatedRounds } from '../../../support/chance/generated-rounds';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const anyBytes = fc.uint8Array({ maxLength: 64 });
const anyLevels = fc.array(fc.constantFrom<Level>('high', 'low'), { minLength: 1, maxLength: 8 });

describe('Modbus frames are those of the makers manual', () => {
  // Waveshare Modbus RTU Relay, 8 channels.
  test.each([
    ['relay 1 on', writeCoil(1, 0, 'high'), '01 05 00 00 FF 00 8C 3A'],
    ['relay 1 off', writeCoil(1, 0, 'low'), '01 05 00 00 00 00 CD CA'],
    ['8 off', coilsOff(1, 0, 8), '01 0F 00 00 00 08 01 00 FE 95'],
    ['read 8', readCoils(1, 8), '01 01 00 00 00 08 3D CC'],
    ['read 8 inputs', readInputs(1, 8), '01 02 00 00 00 08 79 CC'],
    ['relay 1 on for 500 ms', flashOn(1, 0, 5), '01 05 02 00 00 05 0C 71'],
    ['relay 1 on for 700 ms', flashOn(1, 0, 7), '01 05 02 00 00 07 8D B0'],
  ])('%s', (_what, request, frame) => {
    expect(request.bytes).toEqual(bytes(frame));
  });
});

describe('the Modbus parser', () => {
  const request = writeCoil(1, 3, 'high');
  const expected: Expected = request.expected;

  test('finds the answer in any noise before and behind it that does not hold another', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (before, behind) => {
        const reply = readReply(Uint8Array.from([...before, ...request.bytes, ...behind]), expected);
        // By chance the noise is a sound exception: 1 in 2^32.
        expect(reply.kind).toBe('answer');
      }),
      generatedRounds(100, 1_000),
    );
  });

  test('is not decided before the last byte, whatever comes in which parts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: request.bytes.length - 1 }), (length) => {
        expect(readReply(request.bytes.subarray(0, length), expected).kind).toBe('incomplete');
      }),
      generatedRounds(100, 1_000),
    );
  });

  test('takes no frame with a flipped bit for an answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 * request.bytes.length - 1 }), (bit) => {
        const spoilt = request.bytes.map((byte, n) => (n === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(readReply(spoilt, expected).kind).toBe('incomplete');
      }),
      generatedRounds(100, 1_000),
    );
  });

  test('takes no answer to another order for this one', () => {
    for (const other of [writeCoil(1, 3, 'low'), writeCoil(1, 4, 'high'), writeCoil(2, 3, 'high'), flashOn(1, 3, 5)])
      expect(readReply(other.bytes, expected).kind).toBe('incomplete');
    expect(readReply(readCoils(1, 8).bytes, readCoils(1, 8).expected).kind).toBe('incomplete');
  });

  test('tells an exception, and a bad CRC', () => {
    expect(readReply(bytes('01 85 02 C3 51'), expected)).toEqual({ kind: 'exception', code: 2 });
    expect(readReply(bytes('01 85 02 C3 52'), expected)).toEqual({ kind: 'incomplete', hasBadFrame: true });
  });

  test('reads coils in their order', () => {
    expect(levelsOf(bytes('01 01 01 05 91 8B'), 4)).toEqual(['high', 'low', 'high', 'low']);
    expect(levelsOf(bytes('01 01 02 00 02 00 00'), 10)).toEqual([...Array(9).fill('low'), 'high']);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(anyBytes, (noise) => void readReply(noise, expected)),
      generatedRounds(100, 1_000),
    );
  });
});

describe('LCUS frames', () => {
  test.each<[string, number, Level, string]>([
    ['relay 1 on', 0, 'high', 'A0 01 01 A2'],
    ['relay 1 off', 0, 'low', 'A0 01 00 A1'],
    ['relay 8 on', 7, 'high', 'A0 08 01 A9'],
  ])('%s', (_what, line, level, frame) => {
    expect(switchFrame(line, level)).toEqual(bytes(frame));
  });

  const inBytes = (levels: readonly Level[]): Uint8Array =>
    Uint8Array.from(levels.map((level) => (level === 'high' ? 1 : 0)));
  const inLines = (levels: readonly Level[], end = '\r\n'): Uint8Array =>
    Buffer.from(levels.map((level, n) => `CH${n + 1}:${level === 'high' ? 'ON' : 'OFF'}${end}`).join(''));

  test('both dialects are read', () => {
    fc.assert(
      fc.property(anyLevels, fc.constantFrom('\r\n', '\n', ' \r\n', '\r\n\0'), (levels, end) => {
        const { length } = levels;
        expect(readStatus(inBytes(levels), length)).toEqual({ kind: 'read', dialect: 'bytes', levels });
        expect(readStatus(inLines(levels, end), length)).toEqual({ kind: 'read', dialect: 'lines', levels });
      }),
      generatedRounds(100, 1_000),
    );
  });

  test('what is missing, doubled or from a board of another size is garbled', () => {
    fc.assert(
      fc.property(anyLevels, fc.nat(), (levels, cut) => {
        const { length } = levels;
        for (const answer of [inBytes(levels), inLines(levels)]) {
          expect(readStatus(Uint8Array.from([...answer, ...answer]), length).kind).toBe('garbled');
          expect(readStatus(answer, length + 1).kind).toBe('garbled');
        }
        const half = inBytes(levels).subarray(0, cut % length);
        expect(readStatus(half, length).kind).toBe(half.length === 0 ? 'silent' : 'garbled');
      }),
      generatedRounds(100, 1_000),
    );
  });

  test('nothing that a wire brings throws, or reads as other than a level for each relay', () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 1, max: 8 }), (noise, relays) => {
        const status = readStatus(noise, relays);
        if (status.kind === 'read') expect(status.levels).toHaveLength(relays);
      }),
      generatedRounds(100, 1_000),
    );
  });
});
