/**
 * I4's real bounds, as design and package promise them: nothing is excused here. It runs alone, after everything else, on a
 * machine that has nothing else to do; where this machine itself loses time, the repetition is inconclusive.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { unixDial } from '@relaygate/device-agent/platform/unix-dial';
import { requestChange } from '@relaygate/device-agent/relayctl/ask-agent';
import { systemClock } from '@relaygate/shared/system';
import type { StatusLoad } from '../bench/load/agent-status';
import { LoadProcess } from '../bench/load/load-process';
import {
  DEMO_OUTPUTS,
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  readEdges,
  spansOf,
  startAgentWithGuard,
  stopDevice,
  waitForEdges,
  writeDeviceSettings,
} from '../support/device/device';
import { PacedBus } from '../support/device/serial/paced-bus';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';
import type { Program } from '../support/processes/program';
import { repeat } from '../support/time/excuse';
import { expectInTime, expectPulse, machine } from '../support/time/timed';
import { eventually } from '../support/time/waiting';
import { GuardService, shippedUnit } from './guard-service';

const LONGER_MS = 5;
const SHORTER_MS = 1;
const KILLED_OFF_MS = 1_000;
const HUNG_OFF_MS = 3_000;
const LONG_MS = 60_000;
/** An output each; how often in all. */
const PULSES = [
  { output: 0, pulseMs: 50, times: 60 },
  { output: 1, pulseMs: 500, times: 30 },
  { output: 2, pulseMs: 5_000, times: 3 },
];
const KILLS = 10;
const HANGS = 3;
const LIMIT_MS = 5 * 60_000;
const BOARDS = ['simulated', 'modbus'] as const;

describeWhere(missingProgram('socat', 'socat') ?? missingProgram('perl', 'perl-base'))(
  'I4, beside nothing else',
  () => {
    let folders: DeviceFolders & { remove(): void };
    let guard: GuardService | undefined;
    let agent: Program | undefined;
    let bus: PacedBus | undefined;
    beforeEach(() => {
      folders = makeDeviceFolders();
    });
    afterEach(async () => {
      await stopDevice([agent]);
      await guard?.stop();
      [agent, guard] = [undefined, undefined];
      await bus?.unplug();
      bus = undefined;
      folders.remove();
    });

    /** Refused ones are tried again: a guard that has just started is looked for. */
    const pulse = (numOutput: number): Promise<void> =>
      eventually(async () => {
        const ports = { dial: unixDial, clock: systemClock, t: RELAYCTL, onInterrupt: () => () => {} };
        const asked = { numOutput, actor: 'quiet' };
        const reply = requestChange(ports, join(folders.runDir, 'agent.sock'), 'pulse', asked);
        return ((await reply.catch(() => ({}))) as { outcome?: string }).outcome === 'executed';
      });

    test(
      `pulses beside a busy agent are ${SHORTER_MS} ms too short at most, and ${LONGER_MS} ms too long`,
      async () => {
        const outputs = DEMO_OUTPUTS.map((output, n) => ({
          ...output,
          mode: 'impulse' as const,
          pulseMs: PULSES[n]?.pulseMs ?? 500,
        }));
        writeDeviceSettings(folders.dataDir, { outputs });
        guard = await GuardService.start(folders);
        agent = await startAgentWithGuard(folders);
        const load = new LoadProcess<StatusLoad, true>('agent-status');
        try {
          await load.ask({ agentSocket: join(folders.runDir, 'agent.sock') });
          const log = edgeLogOf(folders.dataDir);
          const play = async ({ output, pulseMs }: (typeof PULSES)[number]): Promise<void> => {
            const before = spansOf(readEdges(log), output).length;
            await pulse(output);
            const edges = await waitForEdges(log, (all) => spansOf(all, output).length === before + 1);
            const [last] = spansOf(edges, output).slice(before);
            if (last) expectPulse(last, pulseMs, { earlyMs: SHORTER_MS, lateMs: LONGER_MS }, 'quiet');
          };
          const playAll = async (pulses: (typeof PULSES)[number]): Promise<void> => {
            for (let n = 0; n < pulses.times; n += 1) await repeat(() => play(pulses));
          };
          await Promise.all(PULSES.map(playAll));
        } finally {
          await load.stop();
        }
      },
      LIMIT_MS,
    );

    describe.each(BOARDS)('on a %s board', (kind) => {
      async function start(): Promise<GuardService> {
        const outputs = Array.from({ length: kind === 'modbus' ? 64 : 2 }, (_, n) => ({
          name: `Relay ${n}`,
          mode: 'impulse' as const,
          pulseMs: LONG_MS,
          activeLevel: 'high' as const,
          powerOn: 'off' as const,
        }));
        if (kind === 'simulated') writeDeviceSettings(folders.dataDir, { outputs });
        else {
          const port = join(folders.runDir, 'port');
          const units = Array.from({ length: 8 }, (_, n) => ({ address: n + 1, relays: 8 }));
          bus = new PacedBus(
            units.map((unit) => ({ ...unit, answersAfterMs: 10 })),
            9_600,
          );
          await bus.plug(port);
          writeDeviceSettings(folders.dataDir, { board: { kind: 'modbus', port, units, answerMs: 400 }, outputs });
        }
        guard = await GuardService.start(folders);
        agent = await startAgentWithGuard(folders);
        return guard;
      }

      const offs = (): number[] =>
        bus
          ? bus.offs.map(({ atMs }) => atMs)
          : spansOf(readEdges(edgeLogOf(folders.dataDir)), 0).map(({ offMs }) => offMs);

      /** Resolves with how long after the guard was told so the relay was off. */
      async function offAfter(service: GuardService, signal: NodeJS.Signals, limitMs: number): Promise<number> {
        await pulse(0);
        const before = offs().length;
        const replaced = service.replaced();
        const sentMs = service.signal(signal);
        await eventually(() => offs().length > before);
        const offMs = offs()[before] ?? Number.NaN;
        await replaced;
        const lostMs = (): number => machine.lostMs({ fromMs: sentMs, toMs: offMs }, [process.pid, ...service.pids]);
        expectInTime(
          'quiet',
          offMs - sentMs - limitMs,
          lostMs,
          `off ${(offMs - sentMs).toFixed(0)} ms after ${signal}`,
        );
        return offMs - sentMs;
      }

      test.each([
        ['killed', 'SIGKILL', KILLED_OFF_MS, KILLS],
        ['that hangs', 'SIGSTOP', HUNG_OFF_MS, HANGS],
      ] as const)(
        'a guard %s: off within the package’s bound, and not pulsed again',
        async (how, signal, limitMs, times) => {
          const service = await start();
          const tookMs: number[] = [];
          for (let n = 0; n < times; n += 1) tookMs.push(await repeat(() => offAfter(service, signal, limitMs)));
          const [least, most] = [Math.min(...tookMs), Math.max(...tookMs)].map((ms) => ms.toFixed(0));
          process.stderr.write(`  ${kind}, guard ${how}: off ${least} to ${most} ms later, ${limitMs} ms at most\n`);
          expect(bus ? bus.on.size : readEdges(edgeLogOf(folders.dataDir)).at(-1)?.level).toBe(0);
        },
        LIMIT_MS,
      );
    });
  },
);

test('these bounds are judged by the watchdog that is shipped', () => {
  expect(shippedUnit()).toEqual({ watchdogMs: 2_000, watchdogSignal: 'SIGKILL', restartMs: 100, nice: '-20' });
  expect(() => shippedUnit('[Service]\nWatchdogSec=60\n')).toThrow('has no');
});
