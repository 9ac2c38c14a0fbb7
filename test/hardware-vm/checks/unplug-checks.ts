/** A relay board whose USB adapter is unplugged and plugged in again, while the guard runs on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pulsesOf, spansOf } from '../../support/device/device';
import type { Edge } from '../../support/device/edge-log';
import { repeat } from '../../support/time/excuse';
import { expectInTime, expectWithin, timed } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';
import { beginOf } from '../../support/time/windows';
import type { EmulatedDevice } from '../machine/emulated-device';
import { report } from './report';
import { DOOR, GATE, LIGHT, type Move, PULSE_MS, PUMP, UnpluggedBoards } from './unplugged-boards';

/** Far from the 5 s after which the server would answer by itself. */
const AT_ONCE_MS = 1_000;
/** Frames pass QEMU, two pseudo-terminals and three processes of this machine. */
const WIRE_MS = 250;
/** Of a pulse that the board times by itself. */
const [EARLY_MS, LATE_MS] = [1, 50];
/** Behind the address: one coil is written. */
const WRITE_COIL = 5;
const PULSES = [
  ['by the board', GATE],
  ['by the guard', DOOR],
] as const;
/** What is cut, whether the board has heard of it, and what its relays did. */
const COMMANDS_CUT: [string, boolean, Move[]][] = [
  ['heard', false, []],
  [
    'answered',
    true,
    [
      [LIGHT, 1],
      [LIGHT, 0],
    ],
  ],
];

/** Guard and agent do not run; they are left running. */
export function describeUnplugging(device: () => EmulatedDevice): void {
  describe('a Modbus board on a USB adapter', () => {
    const api = () => device().companion;
    let boards: UnpluggedBoards;
    beforeAll(async () => {
      boards = await UnpluggedBoards.make(device());
    });
    afterAll(() => boards?.end());

    /** Reading from what was unplugged ends, instead of failing on and on. */
    const expectIdle = async (): Promise<void> => {
      const percent = await device().guardLoad(2);
      report(`the guard used ${percent.toFixed(0)} % of a processor meanwhile`);
      expect(percent).toBeLessThan(50);
    };

    test('is found by the guard; nothing moves on the way', async () => {
      const path = await boards.adapter.plug();
      await boards.pointPortTo(path);
      report(`the adapter is ${path}`);
      await device().startAll();
      await boards.until([0, 0, 0, 0]);
      expect(await boards.faults()).toEqual([]);
      expect(boards.edges()).toEqual([]);
    });

    describe('once the guard runs', () => {
      beforeEach(() => boards.settle());

      test('set, already set and toggle move their relay and no other', async () => {
        const moves = await boards.moves(async () => {
          expect((await api().set(LIGHT, 1)).text).toBe('OK');
          expect((await api().set(LIGHT, 1)).json).toEqual({ already_set: true });
          expect((await api().toggle(LIGHT)).text).toBe('OK');
        });
        expect(moves).toEqual([
          [LIGHT, 1],
          [LIGHT, 0],
        ]);
      });

      test.each(PULSES)('a pulse that is ended %s has its length at the board', async (who, numOutput) => {
        await repeat(async () => {
          const before = boards.edges().length;
          expect((await api().set(numOutput, 1)).text).toBe('OK');
          await boards.until([0, 0, 0, 0]);
          await eventually(() => boards.edges().length === before + 2);
          expectPulse(device(), boards.edges().slice(before), numOutput, who);
        });
      });

      test('unplugged while nothing is to do: commands are refused at once; plugged in again, outputs follow their policy and nothing pulses', async () => {
        for (const numOutput of [LIGHT, PUMP]) expect((await api().set(numOutput, 1)).text).toBe('OK');
        const away = await boards.moves(async () => {
          await boards.unplug();
          await boards.until([null, null, null, null]);
          const commands = [() => api().set(LIGHT, 0), () => api().toggle(PUMP), () => api().set(GATE, 1)];
          for (const command of commands) {
            await repeat(async () => {
              const { answer, ...times } = await timed(command());
              expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
              expect(await api().outcomeOf(answer)).toMatchObject({ outcome: 'refused', reason: 'board-away' });
              report(`refused after ${times.tookMs.toFixed(0)} ms`);
              expectWithin(times, AT_ONCE_MS, [device().pid]);
            });
          }
          await expectIdle();
          const { stdout } = await device().relayctl('status');
          report(`relayctl status: ${stdout.split('\n').find((line) => /away/.test(line)) ?? stdout}`);
          expect(stdout).toMatch(/The relay board is away: /);
          expect(stdout).toMatch(/^0 +unknown/m);
        });
        expect(away).toEqual([]);
        const back = await boards.moves(async () => {
          await boards.adapter.plug();
          await boards.until([0, 1, 0, 0]);
        });
        expect(back).toEqual([[LIGHT, 0]]);
        expect(await boards.faults()).toEqual([]);
      });

      test('unplugged in a pulse: the board ends its own in time, the other as soon as the guard reaches it; neither comes again', async () => {
        const before = boards.edges().length;
        for (const numOutput of [GATE, DOOR]) expect((await api().set(numOutput, 1)).text).toBe('OK');
        await boards.adapter.unplug();
        const pulses = () => boards.edges().slice(before);
        expect(pulses().filter(({ level }) => level === 0)).toEqual([]);
        await boards.untilAway();
        await eventually(() => pulses().length === 3);
        expectPulse(device(), pulses(), GATE, 'by the board, unplugged');
        // Nobody can reach it.
        expect(pulsesOf(pulses(), DOOR)).toEqual([]);
        const back = await boards.moves(async () => {
          await boards.adapter.plug();
          await boards.until([0, 0, 0, 0]);
        });
        expect(back).toEqual([[DOOR, 0]]);
        report(`by the guard, unplugged: ${PULSE_MS} ms were ${pulsesOf(pulses(), DOOR)[0]?.toFixed(0)} ms`);
      });

      test.each(COMMANDS_CUT)(
        'unplugged before the board has %s a command: it is refused, is not sent again, and what it has moved is undone',
        async (_what, isHeard, expected) => {
          const { bus, adapter } = boards;
          let unplugging: Promise<void> | undefined;
          bus.towardsBoards = (bytes) => {
            if (bytes[1] !== WRITE_COIL) return bytes;
            bus.towardsBoards = (later) => later;
            unplugging = adapter.unplug();
            return isHeard ? bytes : new Uint8Array();
          };
          const moves = await boards.moves(async () => {
            const answer = await api().set(LIGHT, 1);
            expect(answer.status).toBe(504);
            expect(await api().outcomeOf(answer)).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
            await unplugging;
            await boards.untilAway();
            await adapter.plug();
            await boards.until([0, 0, 0, 0]);
          });
          expect(moves).toEqual(expected);
        },
      );

      test('back under another name, for somebody holds the old one: found by the link to it, and not before', async () => {
        const holder = '/run/holder.pid';
        await device().shell.run(`
          sleep 600 < /dev/ttyUSB0 > /dev/null 2>&1 &
          echo $! > ${holder}
          n=0; until ls -l /proc/$!/fd/0 | grep -q ttyUSB0; do n=$((n + 1)); [ $n -lt 500 ] || exit 1; usleep 20000; done`);
        const moves = await boards
          .moves(async () => {
            await boards.unplug();
            expect(await boards.adapter.plug()).toBe('/dev/ttyUSB1');
            const answer = await api().set(LIGHT, 1);
            expect(await api().outcomeOf(answer)).toMatchObject({ outcome: 'refused', reason: 'board-away' });
            await boards.pointPortTo('/dev/ttyUSB1');
            await boards.until([0, 0, 0, 0]);
            expect((await api().set(LIGHT, 1)).text).toBe('OK');
          })
          .finally(() => device().shell.run(`kill $(cat ${holder})`));
        expect(moves).toEqual([[LIGHT, 1]]);
      });
    });
  });
}

/** I4, at the board. What holds up the first frame of a pulse that the guard ends makes it shorter. */
function expectPulse(device: EmulatedDevice, edges: readonly Edge[], numOutput: number, what: string): void {
  const [pulse, ...more] = spansOf(edges, numOutput);
  if (!pulse || more.length > 0) throw new Error(`${what}: not one pulse: ${JSON.stringify(edges)}`);
  const { onMs, offMs } = pulse;
  const says = `${what}: ${PULSE_MS} ms were ${(offMs - onMs).toFixed(1)} ms`;
  report(says);
  const [earlyMs, lateMs] = numOutput === DOOR ? [WIRE_MS, WIRE_MS] : [EARLY_MS, LATE_MS];
  const dueMs = onMs + PULSE_MS;
  expectInTime('pulse', dueMs - earlyMs - offMs, () => device.lostOutsideMs(beginOf(pulse)), says);
  expectInTime('pulse', offMs - dueMs - lateMs, () => device.lostOutsideMs({ fromMs: dueMs, toMs: offMs }), says);
}
