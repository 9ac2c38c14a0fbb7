/** The two witnesses of test/hardware-vm: what they make of registers and of the kernel's trace. */
import { describe, expect, test } from '@jest/globals';
import { expectAfter } from '../../hardware-vm/checks/watched';
import { LineTrace } from '../../hardware-vm/machine/line-trace';
import { RASPBERRY_PI_3 } from '../../hardware-vm/machine/machine-kinds';
import { Pins, widthOf } from '../../hardware-vm/machine/pins';
import { Inconclusive } from '../../support/time/excuse';
import type { Window } from '../../support/time/stall-record';

// What is only played here is no excuse of this suite.
delete process.env.RELAYGATE_EXCUSES;

/** GPFSEL0 to GPLEV0 of a BCM2837; `functions`: three bits a pin, ten pins a word. */
function registers(functions: Record<number, number>, levels: number): { words(): Promise<number[]> } {
  const words = new Array<number>(14).fill(0);
  for (const [pin, code] of Object.entries(functions)) {
    const word = Math.floor(Number(pin) / 10);
    words[word] = (words[word] ?? 0) | (code << ((Number(pin) % 10) * 3));
  }
  words[13] = levels;
  return { words: async () => words };
}

test('a pin is driven only where it is an output; the level of an input tells nothing', async () => {
  const pins = new Pins(registers({ 4: 0, 9: 1, 14: 4, 17: 1, 27: 1 }, (1 << 4) | (1 << 14) | (1 << 27)));
  expect(await pins.look(4, 9, 14, 17, 27)).toEqual(['input', 'low', 'other', 'low', 'high']);
});

test('two edges leave room for the time between the looks', () => {
  const rise = { pin: 17, drive: 'high', afterMs: 10, beforeMs: 12 } as const;
  const fall = { pin: 17, drive: 'low', afterMs: 509, beforeMs: 515 } as const;
  expect(widthOf(rise, fall)).toEqual({ minMs: 497, maxMs: 505 });
});

const TRACE = `# tracer: nop
            node-123     [000] .....    84.000100: sys_exit: NR 22 = 1
            node-123     [000] .....    84.100000: gpio_value: 529 set 1
            node-123     [000] .....    84.100100: gpio_value: 529 get 1
            node-123     [000] .....    84.100200: gpio_value: 529 set 1
            node-123     [000] .....    84.200000: gpio_value: 539 set 0
            node-123     [000] .....    84.600500: gpio_value: 529 set 0
`;

function openTrace(): Promise<LineTrace> {
  return LineTrace.open({ run: async () => '512\n', read: async () => TRACE }, RASPBERRY_PI_3);
}

test('orders are read from the trace with their pin and time, and the guard that wakes up; reads are left out', async () => {
  expect(await (await openTrace()).read()).toEqual({
    orders: [
      { pin: 17, drive: 'high', atMs: 84_100 },
      { pin: 17, drive: 'high', atMs: 84_100.2 },
      { pin: 27, drive: 'low', atMs: 84_200 },
      { pin: 17, drive: 'low', atMs: 84_600.5 },
    ],
    wakesMs: [84_000.1],
  });
});

test('orders that move nothing can be left out', async () => {
  expect(await (await openTrace()).orders()).toMatchObject([
    { pin: 17, drive: 'high', atMs: 84_100 },
    { pin: 27, drive: 'low' },
    { pin: 17, drive: 'low' },
  ]);
});

describe('an order that follows another', () => {
  /** The machine lost that before the second order, as far as it was after the order was due. */
  const seen = (endMs: number, lostMs = 0) => ({
    orders: [{ pin: 17, drive: 'high', atMs: 1_004 } as const, { pin: 17, drive: 'low', atMs: endMs } as const],
    wakesMs: [900, 1_000, 1_400],
    lostMs: ({ fromMs, toMs }: Window) => Math.max(0, Math.min(lostMs, toMs - fromMs)),
  });
  const judge = (all: ReturnType<typeof seen>) => () => expectAfter(all, all.orders, 500);

  test('is in time when the guard can have read its clock so long before it', () => {
    // The first order was held up for up to 4 ms after the guard woke up.
    expect(judge(seen(1_500))).not.toThrow();
    expect(judge(seen(1_499.9))).toThrow();
  });

  test('may be as late as emulation makes it, and by what the machine lost, up to its cap', () => {
    expect(judge(seen(1_554))).not.toThrow();
    expect(judge(seen(1_555))).toThrow('too late');
    expect(judge(seen(1_575, 21))).not.toThrow();
    expect(judge(seen(1_575, 20))).toThrow('too late');
    expect(judge(seen(1_605, 50))).toThrow('too late');
    expect(judge(seen(1_605, 51))).toThrow(Inconclusive);
  });
});
