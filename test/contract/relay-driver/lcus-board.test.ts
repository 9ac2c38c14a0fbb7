/** LCUS boards: the driver over the machine's serial ports, scripted boards of each dialect behind socat. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import { nodeSerial } from '@relaygate/device-agent/platform/node-serial';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';
import type { DriveResult, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { LcusRelays } from '@relaygate/device-agent/relay/serial-boards/lcus-relays';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import type { SerialConnection } from '@relaygate/device-agent/serial/serial-port';
import type { Level } from '@relaygate/shared/device';
import { inEnglish } from '../../support/device/fault-texts';
import { LcusDevice, type LcusDialect } from '../../support/device/serial/lcus-device';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { repeat } from '../../support/time/excuse';
import { expectWithin, timed } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';
import { relayDriverContract } from './relay-driver.contract';

const RELAYS = 4;
const quiet = { lost: () => {}, back: () => {} };
/** On a busy machine, and less than any answer is waited for. */
const AT_ONCE_MS = 100;

/** A driver, how many bytes it has written, and how its process would be killed: its files close, and it hears no more. */
function newBoard(
  port: string,
  relays: number = RELAYS,
): { board: RelayDriver; sentBytes(): number; kill(): Promise<void> } {
  const open = nodeSerial();
  const connections: SerialConnection[] = [];
  let sentBytes = 0;
  let isKilled = false;
  const board = new SerialBoard({
    open: async (settings, listener) => {
      const connection = await open(settings, listener);
      connections.push(connection);
      return {
        write: async (bytes) => {
          await connection.write(bytes);
          if (!isKilled) sentBytes += bytes.length;
        },
        close: () => connection.close(),
      };
    },
    clock: preciseClock,
    settings: { path: port, baud: 9_600, parity: 'none' },
    protocol: new LcusRelays(relays),
  });
  return {
    board,
    sentBytes: () => sentBytes,
    kill: async () => {
      isKilled = true;
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

describeWhere(missingProgram('socat', 'socat'))('lcus', () => {
  for (const dialect of ['bytes', 'lines', 'silent'] as const) {
    relayDriverContract(`lcus, which answers in ${dialect}`, async () => {
      const device = new LcusDevice(dialect, RELAYS);
      await device.plug();
      const boards: ReturnType<typeof newBoard>[] = [];
      // A board that only hears has not moved yet when the driver is through.
      const hasHeard = (): Promise<void> =>
        eventually(() => device.heardBytes >= boards.reduce((sum, { sentBytes }) => sum + sentBytes(), 0));
      return {
        lines: RELAYS,
        newDriver() {
          const board = newBoard(device.port);
          boards.push(board);
          return board.board;
        },
        nowMs: () => preciseClock.nowMs(),
        levelOf: async (line) => {
          await hasHeard();
          return device.levels[line] === 1 ? 'high' : 'low';
        },
        edgeAtMs: async (line) => {
          await hasHeard();
          return device.edges.findLast(({ output }) => output === line)?.atMs ?? null;
        },
        readsBack: dialect !== 'silent',
        readsLines: true,
        ...(dialect === 'silent'
          ? {}
          : {
              drop: async (line: number) => {
                device.levels[line] = 0;
              },
            }),
        keepsLines: true,
        kill: async (driver) => {
          await hasHeard();
          await boards.find(({ board }) => board === driver)?.kill();
        },
        close: async () => {
          // One whose port was closed under it still looks for it.
          await Promise.all(boards.map(({ board }) => board.close()));
          await device.end();
        },
      };
    });
  }

  describe('the lcus board', () => {
    let device: LcusDevice;
    let board: RelayDriver;
    const heard: (string | readonly (Level | null)[])[] = [];
    const listener = {
      lost: (problem: Cause) => void heard.push(causeText(problem)),
      back: (levels: readonly (Level | null)[]) => void heard.push(levels),
    };
    async function end(): Promise<void> {
      await board.close();
      await device.end();
    }
    afterEach(end);

    async function start(dialect: LcusDialect, relays = RELAYS): Promise<void> {
      heard.length = 0;
      device = new LcusDevice(dialect, relays);
      await device.plug();
      board = newBoard(device.port, relays).board;
    }
    const drive = (line: number, level: Level, pulseMs?: number): Promise<DriveResult> =>
      board.drive({ line, level, notAfterMs: null, ...(pulseMs === undefined ? {} : { pulseMs }) });
    const failure = (pattern: RegExp) => ({ kind: 'failed', problem: expect.stringMatching(pattern) });

    test.each<[LcusDialect, (Level | null)[]]>([
      ['bytes', ['low', 'high', 'low', 'low']],
      ['lines', ['low', 'high', 'low', 'low']],
      ['silent', [null, null, null, null]],
    ])('finds a board that answers in %s, and its relays', async (dialect, levels) => {
      await start(dialect);
      device.levels[1] = 1;
      await board.open(listener);
      expect(heard).toEqual([levels]);
    });

    test.each([1, 2, 8])('speaks to a board of %i relays', async (relays) => {
      await start('lines', relays);
      await board.open(listener);
      expect(await drive(relays - 1, 'high')).toMatchObject({ kind: 'driven', readBack: 'high' });
      expect(device.edges).toMatchObject([{ output: relays - 1, level: 1 }]);
    });

    test('says of a board that only hears that nothing was read back', async () => {
      await start('silent');
      await board.open(quiet);
      expect(await drive(2, 'high')).toMatchObject({ kind: 'driven', readBack: null });
      await eventually(() => device.levels[2] === 1);
    });

    test.each([0, 1, 2, 3])('switches a board that only hears off, though byte %i of "off" is lost', async (lost) => {
      await start('silent');
      await board.open(quiet);
      await drive(0, 'high');
      await eventually(() => device.levels[0] === 1);
      let bytes = 0;
      device.hears = (heard) => heard.filter(() => bytes++ !== lost);
      expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: null });
      await eventually(() => device.levels[0] === 0);
    });

    test('sees that a board has not moved, though nothing tells it', async () => {
      await start('bytes');
      await board.open(quiet);
      // One bit on the way to it: the sum is wrong.
      device.hears = (bytes) => (bytes.length === 4 ? bytes.map((byte, n) => (n === 2 ? byte ^ 1 : byte)) : bytes);
      expect(await drive(0, 'high')).toMatchObject({ kind: 'driven', readBack: 'low' });
      expect(device.edges).toEqual([]);
    });

    test('does not wait for its proof where the pulse is too short for it', () =>
      repeat(async () => {
        await start('lines');
        await board.open(quiet);
        const { answer, ...times } = await timed(drive(0, 'high', 50));
        expect(answer).toMatchObject({ kind: 'driven', readBack: null });
        expectWithin(times, AT_ONCE_MS);
      }, end));

    test.each<[string, RegExp, (answer: Buffer) => Uint8Array]>([
      ['does not come', /^the board does not answer$/, () => Buffer.alloc(0)],
      ['is half', /^the answer of the board was not understood$/, (answer) => answer.subarray(0, answer.length / 2)],
      ['is twice there', /^the answer of the board was not understood$/, (answer) => Buffer.concat([answer, answer])],
      ['is noise', /^the answer of the board was not understood$/, (answer) => answer.map((byte) => byte ^ 0x5a)],
      [
        'has noise before it',
        /^the answer of the board was not understood$/,
        (answer) => Buffer.concat([Buffer.from([0x7f]), answer]),
      ],
    ])('fails an order whose answer %s, and works on', async (_what, problem, spoil) => {
      for (const dialect of ['bytes', 'lines'] as const) {
        await start(dialect);
        await board.open(quiet);
        device.spoil = (answer, send) => send(spoil(Buffer.from(answer)));
        expect(await inEnglish(drive(0, 'high'))).toEqual(failure(problem));
        device.spoil = (answer, send) => send(answer);
        expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
        if (dialect === 'bytes') await board.close().then(() => device.end());
      }
    });

    test('takes an answer that comes late for none', async () => {
      await start('bytes');
      await board.open(quiet);
      device.spoil = (answer, send) => setTimeout(() => send(answer), 400);
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(/^the board does not answer$/));
    });

    test('a garbled answer at the start is asked for again', async () => {
      await start('lines');
      let answers = 0;
      device.spoil = (answer, send) => {
        answers += 1;
        send(answers === 1 ? answer.subarray(3) : answer);
      };
      await board.open(listener);
      expect(heard).toEqual([['low', 'low', 'low', 'low']]);
    });

    test('one answer that is lost at the start does not make it a board that never answers', async () => {
      await start('bytes');
      let answers = 0;
      device.spoil = (answer, send) => {
        answers += 1;
        if (answers > 1) send(answer);
      };
      await board.open(listener);
      expect(heard).toEqual([['low', 'low', 'low', 'low']]);
    });

    test('reads back the usual pulse of half a second, also with eight relays', async () => {
      await start('lines', 8);
      await board.open(quiet);
      expect(await drive(7, 'high', 500)).toMatchObject({ kind: 'driven', readBack: 'high' });
    });

    test('what answers otherwise is no LCUS board', async () => {
      await start('lines', 2);
      board = newBoard(device.port, 8).board;
      await board.open(listener);
      await eventually(() => heard.length > 0);
      expect(heard[0]).toMatch(/does not answer as an LCUS board of 8 relays does/);
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(/LCUS board of 8/));
      expect(device.edges).toEqual([]);
    });

    test('unplugged, its orders fail at once; plugged in again, its relays are read and nothing moves', () =>
      repeat(async () => {
        await start('bytes');
        await board.open(listener);
        await drive(0, 'high');
        await device.unplug();
        await eventually(() => heard.length >= 2);
        const { answer, ...times } = await timed(drive(1, 'high'));
        expect(await inEnglish(Promise.resolve(answer))).toEqual(failure(/port: /));
        expectWithin(times, AT_ONCE_MS);
        await device.plug();
        await eventually(() => Array.isArray(heard.at(-1)), 10_000);
        expect(heard.at(-1)).toEqual(['high', 'low', 'low', 'low']);
        expect(device.edges).toHaveLength(1);
      }, end));

    test('a board that answered once and then is silent is not taken for one that never does', async () => {
      await start('bytes');
      await board.open(listener);
      await device.unplug();
      await eventually(() => heard.length >= 2);
      device.spoil = () => {};
      await device.plug();
      await eventually(() => /does not answer as/.test(String(heard.at(-1))), 10_000);
    });
  });
});
