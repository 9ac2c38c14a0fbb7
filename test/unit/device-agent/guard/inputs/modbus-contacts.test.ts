/** Contacts of one Modbus board, with the times that their questions take on the wire. */
import { expect, test } from '@jest/globals';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { ModbusUnits } from '@relaygate/device-agent/relay/serial-boards/modbus-units';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import type { InputSettings } from '@relaygate/shared/device';
import { DEBOUNCE_MS } from '@relaygate/shared/device-limits';
import { FakeBoard } from '../../../../support/device/fake-board';
import { ON_OFF, portsOf } from '../../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../../support/device/memory-files';
import { MemoryModbus } from '../../../../support/device/serial/memory-modbus';
import { MemoryPort } from '../../../../support/device/serial/memory-port';
import { VirtualClock } from '../../../../support/time/virtual-clock';

const BAUD = 9_600;
const BITS = 11;
const POLL_MS = 50;
/** The board's time to answer with the gap. */
const ANSWER_MS = 12;

test.each([4, 8, 16])('%i are known within 1 s of the start, and in time when all change at once', async (count) => {
  const clock = new VirtualClock();
  const port = new MemoryPort(clock);
  const boards = new MemoryModbus();
  port.answers = boards.answer;
  port.byteMs = (BITS * 1_000) / BAUD;
  const inputs: InputSettings[] = Array.from({ length: count }, (_, numInput) => ({
    kind: 'contact',
    numInput,
    name: `Contact ${numInput}`,
  }));
  const units = [{ address: 1, relays: 1, flashOn: false, inputs: count }];
  const driver = new SerialBoard({
    clock,
    settings: { path: '/dev/port', baud: BAUD, parity: 'none' },
    protocol: new ModbusUnits({ clock, baud: BAUD, units, answerMs: 150 }),
    open: port.open,
    polls: { watched: inputs.map(({ numInput }) => numInput), everyMs: POLL_MS, clock },
  });
  const board = new FakeBoard(clock, 1);
  const opening = openGuard([ON_OFF], { ...portsOf({ clock, files: new MemoryFiles(), board }), driver, inputs });
  const guard: Guard = (await Promise.all([opening, clock.advance(200)]))[0];
  const shown = () => guard.view().inputs?.map(({ isActive }) => isActive);

  await clock.advance(800);
  expect(shown()).toEqual(Array(count).fill(true));

  for (const { numInput } of inputs) boards.setInput(1, numInput, true);
  const questionMs = (13 + Math.ceil(count / 8)) * port.byteMs + ANSWER_MS;
  await clock.advance(POLL_MS + questionMs + DEBOUNCE_MS + 2 * questionMs);
  expect(shown()).toEqual(Array(count).fill(false));
});
