/** The bytes are those that a C program makes with linux/gpio.h (its structs, on x86-64). */
import { describe, expect, test } from '@jest/globals';
import { EVENT_BYTES, newInputRequest, readEvent } from '@relaygate/device-agent/relay/gpio-input-uapi';
import {
  IOCTL,
  newChipInfo,
  newLineRequest,
  newLineValues,
  newOutputConfig,
  readChipInfo,
  readLevel,
  readRequestFd,
} from '@relaygate/device-agent/relay/gpio-uapi';
import { newLineInfo, readHolder } from '@relaygate/device-agent/relay/line-holder';

/** A struct of the C program: its size, and the bytes that are not zero. */
function struct(
  sizeBytes: number,
  bytes: Readonly<Record<number, number>>,
  texts: Readonly<Record<number, string>> = {},
) {
  const whole = Buffer.alloc(sizeBytes);
  for (const [at, byte] of Object.entries(bytes)) whole.writeUInt8(byte, Number(at));
  for (const [at, text] of Object.entries(texts)) whole.write(text, Number(at), 'ascii');
  return whole;
}

describe('the requests to the kernel', () => {
  test('have the codes of linux/gpio.h', () => {
    expect(IOCTL).toEqual({
      chipInfo: 0x8044b401,
      lineInfo: 0xc100b405,
      requestLines: 0xc250b407,
      setConfig: 0xc110b40d,
      getValues: 0xc010b40e,
      setValues: 0xc010b40f,
    });
  });

  test('ask for lines as they are: no flag is set', () => {
    const offsets = { 0: 26, 4: 20, 8: 21, 12: 0x2c, 13: 0x01 };
    expect(newLineRequest([26, 20, 21, 300], 'relaygate')).toEqual(
      struct(592, { ...offsets, 560: 4 }, { 256: 'relaygate' }),
    );
  });

  test('ask for inputs, each with its resistor: one attribute for each kind of it', () => {
    const inputs = [
      { line: 26, bias: 'pull-up' },
      { line: 20 },
      { line: 300, bias: 'disabled' },
      { line: 21, bias: 'pull-up' },
    ] as const;
    const offsets = { 0: 26, 4: 20, 8: 0x2c, 9: 0x01, 12: 21 };
    const pulledUp = { 320: 1, 328: 0x04, 329: 0x01, 336: 0x09 };
    const disabled = { 344: 1, 352: 0x04, 353: 0x04, 360: 0x04 };
    expect(newInputRequest(inputs, 'relaygate')).toEqual(
      struct(592, { ...offsets, 288: 4, 296: 2, ...pulledUp, ...disabled, 560: 4 }, { 256: 'relaygate' }),
    );
  });

  test('ask for the edges of an input as well, and for a buffer of 256', () => {
    const pulledDown = { 296: 1, 320: 1, 328: 0x34, 329: 0x02, 336: 0x01 };
    expect(newInputRequest([{ line: 26, bias: 'pull-down' }], 'relaygate', 'edges')).toEqual(
      struct(592, { 0: 26, 288: 0x34, ...pulledDown, 560: 1, 565: 0x01 }, { 256: 'relaygate' }),
    );
    expect(newInputRequest([{ line: 26 }], 'relaygate', 'edges')).toEqual(
      struct(592, { 0: 26, 288: 0x34, 560: 1, 565: 0x01 }, { 256: 'relaygate' }),
    );
  });

  test('leave room for the zero behind a long name', () => {
    expect(newLineRequest([0], 'x'.repeat(40)).subarray(256, 289)).toEqual(
      Buffer.from(`${'x'.repeat(31)}\0\0`, 'ascii'),
    );
  });

  test.each([
    ['that is low', 'low', undefined, {}],
    ['that is high', 'high', undefined, { 68: 0x02 }],
    ['with the resistor that pulls it high', 'low', 'high', { 41: 0x01 }],
    ['with the resistor that pulls it low', 'low', 'low', { 41: 0x02 }],
  ] as const)('make line 33 an output %s, and say nothing of the others', (_what, level, pull, more) => {
    const flags = { 32: 1, 40: 8, 52: 2 };
    const values = { 56: 2, 76: 2 };
    expect(newOutputConfig(33, level, pull)).toEqual(struct(272, { 8: 2, ...flags, ...values, ...more }));
  });

  test('set the last of 64 lines', () => {
    expect(newLineValues(63, 'high')).toEqual(struct(16, { 7: 0x80, 15: 0x80 }));
    expect(newLineValues(63, 'low')).toEqual(struct(16, { 15: 0x80 }));
  });

  test('ask for a line by its offset', () => {
    expect(newLineInfo(26)).toEqual(struct(256, { 64: 26 }));
  });
});

describe('the answers of the kernel', () => {
  test('tell label and size of a chip', () => {
    const answer = struct(68, { 64: 54 }, { 0: 'gpiochip0', 32: 'pinctrl-bcm2835' });
    expect(newChipInfo()).toHaveLength(answer.length);
    expect(readChipInfo(answer)).toEqual({ label: 'pinctrl-bcm2835', lines: 54 });
  });

  test('tell an edge with its time', () => {
    // 2^40 + 2^20 ns.
    const time = { 5: 0x01, 2: 0x10 };
    expect(EVENT_BYTES).toBe(48);
    expect(readEvent(struct(48, { ...time, 8: 1, 12: 26, 16: 7, 20: 7 }))).toEqual({
      level: 'high',
      atMs: 1_099_512.676352,
    });
    expect(readEvent(struct(48, { ...time, 8: 2, 12: 26 })).level).toBe('low');
  });

  test('tell who holds a line', () => {
    const names = { 0: 'GPIO26', 32: 'sysfs' };
    expect(readHolder(struct(256, { 64: 26, 72: 0x09 }, names))).toBe('sysfs');
    expect(readHolder(struct(256, { 64: 26, 72: 0x09 }, { 0: 'GPIO26' }))).toBe('');
    expect(readHolder(struct(256, { 64: 26, 72: 0x08 }, names))).toBeNull();
  });

  test('tell the file of the lines', () => {
    expect(readRequestFd(struct(592, { 588: 0x11 }))).toBe(17);
  });

  test('tell the level of each line by its own bit', () => {
    const answer = struct(16, { 4: 0x02 });
    expect(readLevel(answer, 33)).toBe('high');
    expect(readLevel(answer, 32)).toBe('low');
  });
});
