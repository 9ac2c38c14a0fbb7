/** The guard over a GPIO chip: what its lines do when it starts, is killed and starts again (I4, I5). */
import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { GpioBoard } from '@relaygate/device-agent/relay/gpio-board';
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import type { Level, OutputSettings } from '@relaygate/shared/device';
import { FakeGpioKernel } from '../../../support/device/fake-gpio-kernel';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const LABEL = 'pinctrl-bcm2835';
const OFFSET = 26;
const INPUT = 17;
const LEVELS = ['high', 'low'] as const;

function newWorld(activeLevel: Level, pull: Level, keepsOutputs: boolean, policy: Partial<OutputSettings> = {}) {
  const clock = new VirtualClock();
  const files = new MemoryFiles();
  const pulls = Array.from({ length: 28 }, () => pull);
  const kernel = new FakeGpioKernel({
    chips: [{ path: '/dev/gpiochip0', label: LABEL, pulls }],
    nowMs: () => clock.nowMs(),
    keepsOutputs,
  });
  const output: OutputSettings = { name: 'Gate', mode: 'on-off', pulseMs: 500, activeLevel, powerOn: 'off', ...policy };
  const startGuard = async () => {
    const process = kernel.newProcess();
    const inputs = [{ line: INPUT, bias: 'pull-down' } as const];
    const driver = new GpioBoard({ kernel: process.kernel, clock, chip: undefined, offsets: [OFFSET], inputs });
    const ports = { clock, driver, files, log: quietLog(), statePath: '/state.json', journalPath: '/journal.jsonl' };
    const guard = await openGuard([output], { ...ports, bootId: 'boot-1', checkWritable: async () => {} });
    return { guard, kill: process.kill };
  };
  let commands = 0;
  return {
    clock,
    kernel,
    startGuard,
    command: (state: 0 | 1) => {
      commands += 1;
      const command = { action: 'set', state } as const;
      return { commandId: `c${commands}`, numOutput: 0, command, startBeforeMs: clock.nowMs() + 4_500, epoch: null };
    },
    isActive: () => kernel.levelOf(LABEL, OFFSET) === activeLevel,
    /** The line's levels since the last call, true = active. */
    edges: () =>
      kernel.edges
        .splice(0)
        .filter(({ offset }) => offset === OFFSET)
        .map(({ level }) => level === activeLevel),
  };
}

describe.each(LEVELS)('a relay that closes on %s', (activeLevel) => {
  const inactive = oppositeLevel(activeLevel);

  test('that is to be restored stays closed through a restart, without opening for a moment', async () => {
    const world = newWorld(activeLevel, inactive, true, { powerOn: 'restore' });
    const killed = await world.startGuard();
    await killed.guard.execute(world.command(1));
    await settled();
    killed.kill();
    await world.startGuard();
    expect(world.isActive()).toBe(true);
    expect(world.edges()).toEqual([true]);
  });

  test('is unproven while its feedback input does not show it, on a line of the same chip (I3)', async () => {
    const policy = { feedbackInput: 0, feedbackActiveLevel: 'high', feedbackMs: 300 } as const;
    const world = newWorld(activeLevel, inactive, true, policy);
    const { guard } = await world.startGuard();
    const outcome = async (connected: Level): Promise<unknown> => {
      const command = guard.execute(world.command(1));
      await world.clock.advance(50);
      world.kernel.connect(LABEL, INPUT, connected);
      await world.clock.advance(300);
      return command;
    };
    expect(await outcome('low')).toMatchObject({ outcome: 'unproven', reason: 'feedback-missing' });
    expect(world.isActive()).toBe(true);
    expect(await outcome('high')).toMatchObject({ outcome: 'already-set' });
    expect(world.edges()).toEqual([true]);
  });

  test('is left open by a guard that is told to stop', async () => {
    const world = newWorld(activeLevel, inactive, true);
    const { guard } = await world.startGuard();
    await guard.execute(world.command(1));
    expect(await guard.stop()).toEqual([]);
    expect(world.isActive()).toBe(false);
    expect(world.edges()).toEqual([true, false]);
  });
});
