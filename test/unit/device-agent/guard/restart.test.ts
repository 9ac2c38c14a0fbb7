import { describe, expect, test } from '@jest/globals';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { command, JOURNAL, type OFF, ON, ON_OFF, portsOf, STATE } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { mortalPorts } from '../../../support/device/mortal-ports';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

/** Guards of one boot, one after the other; lines stay driven when one is killed. */
class Boot {
  readonly clock = new VirtualClock();
  readonly files = new MemoryFiles();
  readonly board: FakeBoard;
  #outputs: readonly OutputSettings[];
  #kill: () => void = () => {};

  constructor(outputs: readonly OutputSettings[]) {
    this.#outputs = outputs;
    this.board = new FakeBoard(this.clock, outputs.length);
  }

  /** Kills the guard that is there and starts another one. */
  async restart(bootId = 'boot-1'): Promise<Guard> {
    this.#kill();
    const { ports, kill } = mortalPorts({ ...portsOf(this), bootId });
    this.#kill = kill;
    return openGuard(this.#outputs, ports);
  }

  /** Output 0, of this guard and of those behind it. */
  async configure(guard: Guard, settings: OutputSettings): Promise<void> {
    await guard.configure([{ numOutput: 0, settings }], false);
    this.#outputs = [settings, ...this.#outputs.slice(1)];
  }

  async switch(guard: Guard, numOutput: number, order: typeof ON | typeof OFF): Promise<unknown> {
    return guard.execute(command({ ...this, guard }, numOutput, order));
  }
}

/** The moments of all edges of output 0, from `sinceMs` on. */
function edgesOf({ board }: Boot, sinceMs: number): [string, number][] {
  return board.edges.filter(({ line }) => line === 0).map(({ level, atMs }) => [level, atMs - sinceMs]);
}

describe('an output that is restored and may be on for a time only', () => {
  const RESTORED = { ...ON_OFF, powerOn: 'restore' } as const;

  test('has no more of it where nothing can be saved', async () => {
    const boot = new Boot([{ ...RESTORED, maxOnMs: 3_000 }]);
    await boot.switch(await boot.restart(), 0, ON);
    boot.files.failing.set(STATE, 'ENOSPC');
    const atMs = boot.clock.nowMs();
    for (let restarts = 0; restarts < 5; restarts += 1) {
      await boot.restart('boot-2');
      await boot.clock.advance(2_900);
    }
    expect(edgesOf(boot, atMs).slice(1)).toEqual([['low', 3_000]]);
  });

  test('has its whole time again where the board could not put it on, and a command does', async () => {
    const boot = new Boot([{ ...RESTORED, maxOnMs: 10_000 }]);
    await boot.switch(await boot.restart(), 0, ON);
    await boot.clock.advance(9_000);
    boot.board.answer = () => new Promise(() => {});
    const restarting = boot.restart();
    await boot.clock.advance(1_000);
    boot.board.answer = () => null;
    await boot.clock.advance(2_000);
    await boot.switch(await restarting, 0, ON);
    const atMs = boot.clock.nowMs();
    await boot.clock.advance(20_000);
    expect(edgesOf(boot, atMs).slice(-2)).toEqual([
      ['high', 0],
      ['low', 10_000],
    ]);
  });

  test('is not put on where a restart would know nothing of it', async () => {
    const boot = new Boot([{ ...RESTORED, maxOnMs: 3_000 }, RESTORED]);
    const guard = await boot.restart();
    for (const numOutput of [0, 1]) await boot.switch(guard, numOutput, ON);
    for (const path of [STATE, JOURNAL]) boot.files.failing.set(path, 'ENOSPC');
    await boot.restart('boot-2');
    expect(boot.board.levels).toEqual(['low', 'high']);
  });

  test('goes off at its time while its next guard waits for a disk', async () => {
    const boot = new Boot([{ ...RESTORED, maxOnMs: 3_000 }]);
    const atMs = boot.clock.nowMs();
    await boot.switch(await boot.restart(), 0, ON);
    boot.files.slow.set(JOURNAL, new Promise(() => {}));
    void boot.restart();
    await boot.clock.advance(5_000);
    expect(edgesOf(boot, atMs).slice(1)).toEqual([['low', 3_000]]);
  });

  test('is remembered as off where its time ends while its next guard waits for a board (I5)', async () => {
    const capped = { ...RESTORED, maxOnMs: 3_000, interlock: 'motor' };
    const boot = new Boot([capped, { ...RESTORED, interlock: 'motor' }]);
    const guard = await boot.restart();
    await boot.clock.advance(1_000);
    await boot.switch(guard, 0, ON);
    await boot.clock.advance(2_500);
    const finish = boot.board.hold('low');
    const started = boot.restart();
    await boot.clock.advance(500);
    boot.board.answer = () => null;
    finish();
    await started;
    await settled();
    expect(edgesOf(boot, 0).at(-1)).toEqual(['low', boot.clock.nowMs()]);
    expect(JSON.parse(boot.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: false } });
  });

  describe.each<[string, Partial<OutputSettings>]>([
    ['maxOnMs', { maxOnMs: 10_000 }],
    ['onLinkLoss', { onLinkLoss: 'off', linkLossMs: 10_000 }],
    ['onAgentLoss', { onAgentLoss: 'off', agentLossMs: 10_000 }],
  ])('by %s', (_name, limit) => {
    test.each<[string, OutputSettings]>([
      ['it is to be restored', { ...ON_OFF, ...limit }],
      ['it has that limit', RESTORED],
    ])('is restored by a guard that comes right after the change by which %s', async (_what, before) => {
      const boot = new Boot([before]);
      const guard = await boot.restart();
      guard.agentIsThere(true);
      await boot.configure(guard, { ...RESTORED, ...limit });
      const atMs = boot.clock.nowMs();
      await boot.switch(guard, 0, ON);
      await boot.clock.advance(500);
      await boot.restart();
      expect(boot.board.levels[0]).toBe('high');
      await boot.clock.advance(20_000);
      expect(edgesOf(boot, atMs)).toEqual([
        ['high', 0],
        ['low', 10_000],
      ]);
    });
  });

  describe('on already, and changed so', () => {
    const CHANGED = { ...RESTORED, maxOnMs: 10_000 };

    test.each<[string, OutputSettings]>([
      ['it is to be restored', { ...ON_OFF, maxOnMs: 10_000 }],
      ['it has a limit', RESTORED],
    ])('is restored by a guard that comes right behind the answer to the change by which %s', async (_what, before) => {
      const boot = new Boot([before]);
      const guard = await boot.restart();
      guard.agentIsThere(true);
      await boot.switch(guard, 0, ON);
      boot.files.slow.set(JOURNAL, new Promise((resolve) => void boot.clock.after(300, resolve)));
      const restarted = boot.configure(guard, CHANGED).then(() => boot.restart());
      await boot.clock.advance(300);
      await restarted;
      expect(boot.board.levels[0]).toBe('high');
    });

    test.each<[string, number, (files: MemoryFiles) => void]>([
      ['hangs', 500, (files) => void files.slow.set(JOURNAL, new Promise(() => {}))],
      ['fails', 0, (files) => void files.failing.set(JOURNAL, 'ENOSPC')],
    ])('is soon changed where the journal %s', async (_what, withinMs, breakJournal) => {
      const boot = new Boot([RESTORED]);
      const guard = await boot.restart();
      await boot.switch(guard, 0, ON);
      breakJournal(boot.files);
      let isAnswered = false;
      void boot.configure(guard, CHANGED).then(() => {
        isAnswered = true;
      });
      await boot.clock.advance(withinMs);
      expect(isAnswered).toBe(true);
      expect(guard.view().outputs[0]).toMatchObject({ settings: CHANGED, state: 1 });
    });
  });

  test('has the signs of life that came while it was not to be restored', async () => {
    const limited = { ...ON_OFF, onAgentLoss: 'off', agentLossMs: 3_000 } as const;
    const boot = new Boot([{ ...limited, powerOn: 'restore' }]);
    const guard = await boot.restart();
    await boot.configure(guard, limited);
    await boot.switch(guard, 0, ON);
    for (let beats = 0; beats < 10; beats += 1) {
      guard.agentIsThere(true);
      await boot.clock.advance(1_000);
    }
    await boot.configure(guard, { ...limited, powerOn: 'restore' });
    await boot.restart();
    expect(boot.board.levels[0]).toBe('high');
  });

  test('goes on after an orderly restart of the guard, with what is left', async () => {
    const boot = new Boot([{ ...RESTORED, maxOnMs: 3_000 }]);
    const guard = await boot.restart();
    const atMs = boot.clock.nowMs();
    await boot.switch(guard, 0, ON);
    await boot.clock.advance(1_000);
    await guard.stop();
    await boot.restart();
    await boot.clock.advance(5_000);
    expect(edgesOf(boot, atMs)).toEqual([
      ['high', 0],
      ['low', 1_000],
      ['high', 1_000],
      ['low', 3_000],
    ]);
  });
});

describe('an interlock over a restart', () => {
  const LOCKED = { ...ON_OFF, powerOn: 'restore', interlock: 'motor', interlockDelayMs: 300 } as const;

  test('that keeps an output off does not make it forget', async () => {
    const boot = new Boot([LOCKED, LOCKED]);
    const guard = await boot.restart();
    await boot.clock.advance(1_000);
    await boot.switch(guard, 0, ON);
    boot.board.answer = ({ line }) => (line === 1 ? { kind: 'failed', problem: 'no power' } : null);
    await boot.restart();
    await settled();
    expect(boot.board.levels).toEqual(['low', 'low']);
    boot.board.answer = () => null;
    await boot.restart();
    await boot.clock.advance(500);
    expect(boot.board.levels).toEqual(['high', 'low']);
  });
});
