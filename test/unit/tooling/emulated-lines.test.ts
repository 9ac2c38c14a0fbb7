/** The two witnesses of test/hardware-vm: what they make of registers and of the kernel's trace. */
import { expect, test } from '@jest/globals';
import { LineTrace } from '../../hardware-vm/machine/line-trace';
import { Pins, widthOf } from '../../hardware-vm/machine/pins';

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

test('orders are read from the trace with their pin and time; reads, and orders that move nothing, are left out', async () => {
  const trace = await LineTrace.open({
    run: async () => '512\n',
    read: async () => `# tracer: nop
            node-123     [000] .....    84.100000: gpio_value: 529 set 1
            node-123     [000] .....    84.100100: gpio_value: 529 get 1
            node-123     [000] .....    84.100200: gpio_value: 529 set 1
            node-123     [000] .....    84.200000: gpio_value: 539 set 0
            node-123     [000] .....    84.600500: gpio_value: 529 set 0
`,
  });
  expect(await trace.orders()).toEqual([
    { pin: 17, drive: 'high', atMs: 84_100 },
    { pin: 27, drive: 'low', atMs: 84_200 },
    { pin: 17, drive: 'low', atMs: 84_600.5 },
  ]);
});
