import { expect, test } from '@jest/globals';
import { consoleOutput, MAX_UNREAD_CHARS } from '@relaygate/device-agent/agent/technician/console/console-output';
import { settled } from '../../../../../support/time/virtual-clock';

/** A port that takes the next bytes when it is told to. */
class SlowPort {
  readonly taken: string[] = [];
  #take = (): void => {};

  write(bytes: Uint8Array): Promise<void> {
    this.taken.push(Buffer.from(bytes).toString());
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  }

  async close(): Promise<void> {}

  async read(): Promise<void> {
    this.#take();
    await settled();
  }
}

test('what does not fit while nobody reads is dropped, and the next text says so', async () => {
  const port = new SlowPort();
  const write = consoleOutput(port);
  for (let turn = 0; turn < 1_000; turn += 1) write('x'.repeat(100));
  await port.read();
  expect(port.taken.map(({ length }) => length)).toEqual([100, MAX_UNREAD_CHARS - (MAX_UNREAD_CHARS % 100)]);
  await port.read();
  write('y');
  expect(port.taken[2]).toBe('\r\n[...]\r\ny');
  await port.read();
  write('z');
  expect(port.taken[3]).toBe('z');
});

test('texts keep their order, and a port that refuses them is no fault of the console', async () => {
  const taken: string[] = [];
  const write = consoleOutput({
    write: async (bytes) => {
      taken.push(Buffer.from(bytes).toString());
      if (taken.length === 2) throw new Error('it was unplugged');
    },
    close: async () => {},
  });
  write('é');
  write('2');
  await settled();
  write('3');
  await settled();
  expect(taken).toEqual(['é', '2', '3']);
});
