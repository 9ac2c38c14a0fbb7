/** The data partition takes a write and says nothing any more. */
import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  JOURNAL,
  OFF,
  ON,
  ON_OFF,
  portsOf,
  RESTORED,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { VirtualClock } from '../../../support/time/virtual-clock';

const SILENT = expect.stringContaining('the disk does not answer');
/** What a start or a change may take, whatever the disk does. */
const SOON_MS = 3_000;

function hang(files: MemoryFiles, path = STATE): () => void {
  let end = (): void => {};
  files.slow.set(path, new Promise((resolve) => (end = resolve)));
  return () => {
    files.slow.delete(path);
    end();
  };
}

/** "Off" of an output that is to be restored, from a client. */
async function restoredOff() {
  const world = await startGuard([RESTORED]);
  await world.guard.execute(command(world, 0, ON));
  const order = () => world.guard.execute(command(world, 0, OFF, { startBeforeMs: world.clock.nowMs() + 4_500 }));
  return { world, order, saved: (): unknown => JSON.parse(world.files.texts.get(STATE) ?? '').active[0] };
}

/** Within SOON_MS. */
async function startOnHangingDisk(outputs: readonly OutputSettings[]): Promise<World & { end(): void }> {
  const clock = new VirtualClock();
  const world = { clock, files: new MemoryFiles(), board: new FakeBoard(clock, outputs.length) };
  const end = hang(world.files);
  let guard: World['guard'] | null = null;
  void openGuard(outputs, portsOf(world)).then((opened) => {
    guard = opened;
  });
  await clock.advance(SOON_MS);
  if (!guard) throw new Error('the guard has not started');
  return { ...world, guard, end };
}

describe('a disk that hangs', () => {
  test('keeps no guard from starting: what may not be on without its record stays off (I5)', async () => {
    const world = await startOnHangingDisk([ON_OFF, { ...ON_OFF, powerOn: 'on' }, RESTORED]);
    expect(world.board.levels).toEqual(['low', 'low', 'low']);
    expect(textsOf(world.guard.view().faults)).toEqual([SILENT]);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
    world.end();
    await world.clock.advance(100);
    expect(world.guard.view().faults).toEqual([]);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ bootId: 'boot-1' });
  });

  test('keeps no change of settings from being answered', async () => {
    const world = await startGuard([RESTORED, ON_OFF]);
    const end = hang(world.files);
    let isApplied = false;
    void world.guard.configure([{ numOutput: 1, settings: RESTORED }], false).then(() => {
      isApplied = true;
    });
    await world.clock.advance(SOON_MS);
    expect(isApplied).toBe(true);
    expect(textsOf(world.guard.view().faults)).toEqual([SILENT]);
    end();
    await world.clock.advance(100);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: false, 1: false } });
  });

  test('leaves an output on that is to go off for a forced change, and remembered as on', async () => {
    const world = await startGuard([RESTORED]);
    await world.guard.execute(command(world, 0, ON));
    const end = hang(world.files);
    const changed = expect(
      world.guard.configure([{ numOutput: 0, settings: { ...RESTORED, activeLevel: 'low' } }], true),
    ).rejects.toMatchObject({ code: 'refused' });
    await world.clock.advance(SOON_MS);
    await changed;
    expect(world.board.levels).toEqual(['high']);
    end();
    await world.clock.advance(100);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: true } });
  });
});

describe('a journal that hangs', () => {
  test('lets no "off" of an output that is to be restored come ahead of its disk (I5)', async () => {
    const { world, order, saved } = await restoredOff();
    const endJournal = hang(world.files, JOURNAL);
    const endDisk = hang(world.files);
    const reply = order();
    await world.clock.advance(1_500);
    endJournal();
    await world.clock.advance(100);
    expect(world.board.levels).toEqual(['high']);
    endDisk();
    await world.clock.advance(100);
    expect(world.board.levels).toEqual(['low']);
    expect(saved()).toBe(false);
    expect(await reply).toMatchObject({ outcome: 'executed' });
  });

  test('leaves time for the edge when the disk hangs behind it', async () => {
    const { world, order } = await restoredOff();
    const endJournal = hang(world.files, JOURNAL);
    const endDisk = hang(world.files);
    const reply = order();
    await world.clock.advance(3_500);
    endJournal();
    await world.clock.advance(600);
    expect(world.board.levels).toEqual(['low']);
    expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'state-not-saved' });
    endDisk();
  });

  test('has the command expire in time, and its output remembered as on', async () => {
    const { world, order, saved } = await restoredOff();
    const endJournal = hang(world.files, JOURNAL);
    const reply = order();
    await world.clock.advance(4_500);
    expect(await reply).toMatchObject({ outcome: 'expired', state: 1 });
    endJournal();
    await world.clock.advance(1_000);
    expect(world.board.levels).toEqual(['high']);
    expect(saved()).toBe(true);
  });
});
