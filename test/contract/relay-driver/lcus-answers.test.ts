/** What a guard makes of the answers of LCUS boards, right and wrong: scripted boards of both dialects behind socat. */
import { afterEach, expect, test } from '@jest/globals';

import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { GuardConfirmation } from '@relaygate/device-agent/guard/protocol';
import { nodeSerial } from '@relaygate/device-agent/platform/node-serial';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';
import { LcusRelays } from '@relaygate/device-agent/relay/serial-boards/lcus-relays';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import { DEMO_OUTPUTS } from '../../support/device/device';
import { JOURNAL, OFF, ON, PULSE, STATE } from '../../support/device/guard-in-memory';
import { MemoryFiles } from '../../support/device/memory-files';
import { quietLog } from '../../support/device/quiet-log';
import { LcusDevice, type LcusDialect } from '../../support/device/serial/lcus-device';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { eventually } from '../../support/time/waiting';

const RELAYS = 4;
const GATE = 0;
const PULSED = 2;
const ANSWERING = ['bytes', 'lines'] as const;

type Answer = (device: LcusDevice, answer: Buffer) => Uint8Array;

/** What the board would say if its relays were so. */
const said = (device: LcusDevice, levels: readonly (0 | 1)[]): Buffer =>
  device.dialect === 'bytes'
    ? Buffer.from(levels)
    : Buffer.from(levels.map((level, n) => `CH${n + 1}: ${level === 1 ? 'ON ' : 'OFF'}\r\n`).join(''));

const WRONG_ANSWERS: [string, Answer][] = [
  [
    'says the opposite of its relay',
    (device) =>
      said(
        device,
        device.levels.map((level) => (level === 1 ? 0 : 1)),
      ),
  ],
  ['is half', (_device, answer) => answer.subarray(0, answer.length / 2)],
  ['is garbage', (_device, answer) => answer.map((byte) => byte ^ 0x5a)],
  ['does not come', () => Buffer.alloc(0)],
  ['is that of a board with more relays', (device) => said(device, [...device.levels, 0, 0, 0, 0])],
  ['is the echo of the order to the relay', () => Buffer.from([0xa0, 1, 1, 0xa2])],
  ['comes behind the echo of the question', (_device, answer) => Buffer.concat([Buffer.from([0xff]), answer])],
  ['is the line of another relay alone', () => Buffer.from('CH2: OFF\r\n')],
];

describeWhere(missingProgram('socat', 'socat'))('a guard whose LCUS board answers wrongly', () => {
  let device: LcusDevice;
  let board: SerialBoard;
  let guard: Guard;
  let commands = 0;

  afterEach(async () => {
    answersWell();
    await guard.stop();
    await device.end();
  });

  async function start(dialect: LcusDialect): Promise<void> {
    device = new LcusDevice(dialect, RELAYS);
    await device.plug();
    board = new SerialBoard({
      open: nodeSerial(),
      clock: preciseClock,
      settings: { path: device.port, baud: 9_600, parity: 'none' },
      protocol: new LcusRelays(RELAYS),
    });
    guard = await openGuard(DEMO_OUTPUTS, {
      clock: preciseClock,
      driver: board,
      files: new MemoryFiles(),
      log: quietLog(),
      bootId: 'boot-1',
      board: { kind: 'lcus', port: device.port, relays: RELAYS },
      statePath: STATE,
      journalPath: JOURNAL,
      checkWritable: async () => {},
    });
  }

  async function execute(
    numOutput: number,
    command: typeof ON | typeof OFF | typeof PULSE,
  ): Promise<GuardConfirmation | null> {
    commands += 1;
    const startBeforeMs = preciseClock.nowMs() + 4_500;
    return guard.execute({ commandId: `c${commands}`, numOutput, command, startBeforeMs, epoch: null });
  }

  const answers = (how: Answer): void => {
    device.spoil = (answer, send) => send(how(device, Buffer.from(answer)));
  };
  const answersWell = (): void => {
    device.spoil = (answer, send) => send(answer);
  };
  const wasMoved = (output: number): boolean => device.edges.some((edge) => edge.output === output);

  for (const dialect of ANSWERING) {
    test.each(WRONG_ANSWERS)(
      `${dialect}: calls nothing executed whose answer %s, and lets the relay go (I3, I4)`,
      async (_what, how) => {
        await start(dialect);
        answers(how);
        expect(await execute(GATE, ON)).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
        expect(wasMoved(GATE)).toBe(true);
        await eventually(() => device.levels[GATE] === 0);
        answersWell();
        // As long as the board says that it is on, a command finds it so.
        await eventually(() => guard.outputs[GATE]?.state === 0);
        expect(await execute(GATE, ON)).toMatchObject({ outcome: 'executed' });
        expect(device.levels[GATE]).toBe(1);
      },
    );

    test.each(WRONG_ANSWERS)(
      `${dialect}: calls no relay off or already on whose answer %s (I3)`,
      async (_what, how) => {
        await start(dialect);
        expect(await execute(GATE, ON)).toMatchObject({ outcome: 'executed' });
        answers(how);
        expect(await execute(GATE, OFF)).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
        answersWell();
        await eventually(() => guard.outputs[GATE]?.state === 0);
        expect(await execute(GATE, OFF)).toMatchObject({ outcome: 'already-set' });
        expect(device.levels[GATE]).toBe(0);
        expect(await execute(GATE, ON)).toMatchObject({ outcome: 'executed' });
        answers(how);
        expect((await execute(GATE, ON))?.outcome).not.toBe('already-set');
      },
    );

    test(`${dialect}: moves a relay once only whose first answer is late and comes with the second (I1, I3)`, async () => {
      await start(dialect);
      const late: Uint8Array[] = [];
      device.spoil = (answer) => void late.push(answer);
      expect(await execute(PULSED, PULSE)).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
      device.spoil = (answer, send) => send(Buffer.concat([...late.splice(0), answer]));
      await eventually(() => guard.outputs[PULSED]?.state === 0);
      expect(device.edges.filter(({ output, level }) => output === PULSED && level === 1)).toHaveLength(1);
      expect(device.levels[PULSED]).toBe(0);
    });
  }

  test('a board that begins to answer garbage at its start moves nothing (I14)', async () => {
    await start('silent');
    await guard.stop();
    await device.end();
    device = new LcusDevice('lines', RELAYS);
    answers((_device, answer) => answer.map((byte) => byte ^ 0x5a));
    await device.plug();
    board = new SerialBoard({
      open: nodeSerial(),
      clock: preciseClock,
      settings: { path: device.port, baud: 9_600, parity: 'none' },
      protocol: new LcusRelays(RELAYS),
    });
    await board.open({ lost: () => {}, back: () => {} });
    expect(await board.drive({ line: GATE, level: 'high', notAfterMs: null })).toMatchObject({ kind: 'failed' });
    expect(device.edges).toEqual([]);
    await board.close();
  });
});
