/** How fast Modbus boards are off once their guard was killed (I4): outputs-off over a bus as slow as a real one. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { relayBoard } from '@relaygate/device-agent/relay/relay-boards';
import { monotonicNowMs } from '@relaygate/shared/system';
import { type PacedBoard, PacedBus } from '../../support/device/serial/paced-bus';
import { TestDevice } from '../../support/device/test-device';
import { folderForEach } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';
import { repeat } from '../../support/time/excuse';
import { expectWithin, machine } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';

const SCRIPT = join(ROOT, 'hardware/package/files/usr/lib/relaygate/bin/outputs-off');
const EIGHT = Array.from({ length: 8 }, (_, n) => ({ address: n + 1, relays: 8, answersAfterMs: 10 }));

/** Scripts that switched off; the boards are in this process, which is watched anyway. */
const scripts: number[] = [];

/** As systemd does it. */
async function run(file: string): Promise<{ exitCode: number; complaint: string }> {
  const script = spawn(SCRIPT, [file], { stdio: ['ignore', 'inherit', 'pipe'] });
  let complaint = '';
  script.stderr.on('data', (text) => {
    complaint += text;
  });
  machine.watch(script.pid ?? process.pid);
  scripts.push(script.pid ?? process.pid);
  const exitCode = await new Promise<number>((resolve) => script.once('close', resolve));
  return { exitCode, complaint };
}

const folder = folderForEach('rg-off-');
let bus: PacedBus;

describeWhere(missingProgram('socat', 'socat') ?? missingProgram('perl', 'perl-base'))('Modbus boards', () => {
  afterEach(() => bus.unplug());

  /** Plugs the boards in with all relays on, and switches them off as systemd does; the relays went off so late, in ms. */
  async function switchOff(
    boards: readonly PacedBoard[],
    { baud = 9_600, urgent = [], collides = false }: { baud?: number; urgent?: number[]; collides?: boolean } = {},
  ): Promise<{ offMs: Map<string, number>; killedMs: number; exitCode: number; complaint: string }> {
    const port = join(folder, 'port');
    bus = new PacedBus(boards, baud, { collides });
    await bus.plug(port);
    bus.allOn();
    const units = boards.map(({ address, relays }) => ({ address, relays }));
    const file = join(folder, 'off-orders');
    writeFileSync(file, relayBoard({ kind: 'modbus', port, baud, units, answerMs: 400 }).offOrders([], urgent));
    const killedMs = monotonicNowMs();
    const { exitCode, complaint } = await run(file);
    const offMs = new Map(bus.offs.map(({ relay, atMs }): [string, number] => [relay, atMs]));
    return { offMs, killedMs, exitCode, complaint };
  }

  /** All of them, beside what the machine lost. */
  function expectOffWithin(offMs: Iterable<number>, killedMs: number, limitMs: number): void {
    const lastMs = Math.max(...offMs);
    expectWithin({ sentMs: killedMs, answeredMs: lastMs, tookMs: lastMs - killedMs }, limitMs, scripts);
  }

  test.each([
    ['answer after 10 ms', EIGHT],
    ['answer as late as they may', EIGHT.map((board) => ({ ...board, answersAfterMs: 55 }))],
    ['are silent but for the last', EIGHT.map((board, n) => ({ ...board, answersAfterMs: n < 7 ? null : 10 }))],
  ])('of eight at 9,600 baud with 64 relays that %s all are off within 1 s', (_how, boards) =>
    repeat(
      async () => {
        const { offMs, killedMs } = await switchOff(boards);
        const there = boards.filter(({ answersAfterMs }) => answersAfterMs !== null);
        expect(offMs.size).toBe(8 * there.length);
        expectOffWithin(offMs.values(), killedMs, 1_000);
      },
      () => bus.unplug(),
    ),
  );

  test('are off a board at a time, that of a pulse first', async () => {
    await switchOff(EIGHT, { urgent: [8 * 5 + 3, 8 * 2] });
    // On a busy machine an answer may be late, and its board is asked again.
    expect(new Set(bus.requests).size).toBe(8);
    expect(bus.offs.filter((_off, n) => n % 8 === 0).map(({ relay }) => relay)).toEqual(
      [6, 3, 1, 2, 4, 5, 7, 8].map((address) => `${address}/0`),
    );
  });

  test('one that only knows a frame a relay is off too', async () => {
    const boards = EIGHT.slice(0, 2).map((board, n) => ({ ...board, knowsCoils: n === 1 }));
    const { offMs, exitCode } = await switchOff(boards);
    expect(offMs.size).toBe(16);
    expect(exitCode).toBe(0);
  });

  test('all of which only know a frame a relay are told so as soon as each has said it', () =>
    repeat(
      async () => {
        const boards = EIGHT.map((board) => ({ ...board, knowsCoils: false }));
        const { offMs, killedMs, exitCode } = await switchOff(boards);
        expect(offMs.size).toBe(64);
        expect(exitCode).toBe(0);
        // Not 400 ms for each of the eight boards besides.
        expect(bus.requests.filter((request) => request.slice(2, 4) === '0f')).toHaveLength(8);
        expectOffWithin(offMs.values(), killedMs, 3_000);
      },
      () => bus.unplug(),
    ));

  test('are told with the gap between frames that they need to tell one from the next', async () => {
    // A gap of 32 ms, so that what holds this process up is small beside it.
    const boards = EIGHT.slice(0, 4).map((board) => ({ ...board, relays: 2 }));
    const { offMs } = await switchOff(boards, { baud: 1_200, collides: true });
    expect(offMs.size).toBe(8);
  });

  test('one that answers too late is asked again', async () => {
    const boards = EIGHT.slice(0, 3).map((board, n) => ({ ...board, answersAfterMs: n === 0 ? 75 : 10 }));
    const { offMs, exitCode } = await switchOff(boards);
    expect(offMs.size).toBe(24);
    expect(exitCode).toBe(0);
    expect(bus.requests.filter((request) => request.startsWith('010f')).length).toBeGreaterThan(1);
  });

  test('one that is silent is named', async () => {
    const boards = EIGHT.slice(0, 2).map((board, n) => ({ ...board, answersAfterMs: n === 0 ? null : 10 }));
    const { exitCode, complaint } = await switchOff(boards);
    expect(exitCode).toBe(1);
    expect(complaint).toMatch(/010f000000080100fe95 was not answered: its relays may still be on/);
  });

  test('are off a frame each when their guard starts, and when it was killed: that of its pulse, that of what is on, the others', () =>
    repeat(
      async () => {
        const port = join(folder, 'port');
        bus = new PacedBus(EIGHT, 9_600);
        await bus.plug(port);
        bus.allOn();
        const units = EIGHT.map(({ address, relays }) => ({ address, relays }));
        const outputs = Array.from({ length: 64 }, (_, n) => ({
          name: `Relay ${n}`,
          mode: n % 8 < 4 ? ('on-off' as const) : ('impulse' as const),
          pulseMs: 60_000,
          activeLevel: 'high' as const,
          powerOn: 'off' as const,
        }));
        const device = new TestDevice();
        try {
          await device.start({ board: { kind: 'modbus', port, units, answerMs: 400 }, outputs });
          await eventually(() => bus.on.size === 0);
          // Other requests ask only. On a quiet machine it is one a board.
          expect(bus.requests.filter((request) => request.slice(2, 4) !== '01').length).toBeLessThan(64);
          bus.offs.length = 0;
          await device.relayctl('set', '17', 'on');
          await device.relayctl('pulse', '63');
          expect([...bus.on].sort()).toEqual(['3/1', '8/7']);
          const killedMs = monotonicNowMs();
          device.guard.kill('SIGKILL');
          await device.guard.ended;
          bus.requests.length = 0;
          await run(join(device.runDir, 'off-orders'));
          expect([...new Set(bus.requests.map((request) => request.slice(0, 4)))]).toEqual(
            [8, 3, 1, 2, 4, 5, 6, 7].map((address) => `0${address}0f`),
          );
          expect(bus.offs.map(({ relay }) => relay)).toEqual(['8/7', '3/1']);
          expectOffWithin(
            bus.offs.map(({ atMs }) => atMs),
            killedMs,
            1_000,
          );
        } finally {
          await device.stop();
        }
      },
      () => bus.unplug(),
    ));

  test('of which there are many on a slow bus are off one after the other, however long it takes', async () => {
    const boards = Array.from({ length: 48 }, (_, n) => ({ address: n + 1, relays: 1, answersAfterMs: 10 }));
    const { offMs } = await switchOff(boards, { baud: 1_200 });
    expect(offMs.size).toBe(48);
  });

  test('one with 64 relays at 1,200 baud', () =>
    repeat(
      async () => {
        const { offMs, killedMs } = await switchOff([{ address: 1, relays: 64, answersAfterMs: 10 }], { baud: 1_200 });
        expect(offMs.size).toBe(64);
        expectOffWithin(offMs.values(), killedMs, 1_000);
      },
      () => bus.unplug(),
    ));
});
