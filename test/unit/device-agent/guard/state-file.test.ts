import { describe, expect, test } from '@jest/globals';
import { StateFile } from '@relaygate/device-agent/guard/state-file';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import { MemoryFiles } from '../../../support/device/memory-files';
import { SAVE_PATIENCE_MS } from '../../../support/time/promised-times';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const PATH = '/data/state.json';

const errno = (code: string): Cause => ({ code, values: {}, text: code });

function openState(files = new MemoryFiles()) {
  const clock = new VirtualClock();
  const faults: (string | null)[] = [];
  const stateFile = new StateFile({
    files,
    clock,
    path: PATH,
    onFault: (problem) => faults.push(problem && causeText(problem)),
  });
  return { files, clock, faults, stateFile };
}

describe('the state file', () => {
  test('remembers boot and outputs', async () => {
    const { files, stateFile } = openState();
    await stateFile.saveBoot('boot-1');
    await stateFile.saveOutput(2, true);
    const loaded = await openState(files).stateFile.load();
    expect(loaded.remembered).toEqual({ bootId: 'boot-1', active: new Map([[2, true]]) });
  });

  test('that a guard has found is believed to outlast a power cut only once it is synced (I8)', async () => {
    const { files, stateFile } = openState();
    await stateFile.saveOutput(0, false);
    files.log.length = 0;
    const next = openState(files).stateFile;
    await next.load();
    expect(files.synced).toEqual([]);
    files.failing.set(PATH, 'EIO');
    await expect(next.saveOutput(0, false)).rejects.toThrow('EIO');
    // What a failed fsync has left nobody knows.
    files.failing.delete(PATH);
    await next.saveOutput(0, false);
    expect([files.synced, files.log]).toEqual([[], [`replace ${PATH}`]]);
    const third = openState(files).stateFile;
    await third.load();
    await third.saveOutput(0, false);
    await third.saveOutput(0, false);
    expect([files.synced, files.log]).toEqual([[PATH], [`replace ${PATH}`]]);
  });

  test('keeps no guard of a boot that it names already waiting for its sync', async () => {
    const { files, stateFile } = openState();
    await stateFile.saveBoot('boot-1');
    const next = openState(files).stateFile;
    await next.load();
    files.slow.set(PATH, new Promise(() => {}));
    await next.saveBoot('boot-1');
  });

  test('that can neither be read nor kept aside counts as corrupt (I4)', async () => {
    const { files, stateFile } = openState();
    files.unreadable.set(PATH, 'EIO');
    files.failing.set(PATH, 'EROFS');
    const corruption = { problem: errno('EIO'), kept: { keptAs: '', keepProblem: errno('EROFS') } };
    expect(await stateFile.load()).toEqual({ remembered: null, corruption });
  });

  test.each(['01', '', '1000', 'one'])(
    'that somebody has edited to name an output "%s" is set aside (I5)',
    async (name) => {
      const { files, stateFile } = openState();
      files.texts.set(PATH, JSON.stringify({ bootId: 'boot-1', active: { 0: true, [name]: true } }));
      const kept = { keptAs: `${PATH}.corrupt-1`, keepProblem: '' };
      expect(await stateFile.load()).toEqual({ remembered: null, corruption: { problem: null, kept } });
    },
  );

  test('keeps nobody waiting for a disk that hangs, and is saved once that takes it', async () => {
    const { files, clock, faults, stateFile } = openState();
    let end = (): void => {};
    files.slow.set(PATH, new Promise((resolve) => (end = resolve)));
    const saved = expect(stateFile.saveOutput(0, true)).rejects.toThrow('the disk does not answer');
    await clock.advance(SAVE_PATIENCE_MS);
    await saved;
    expect(faults).toEqual(['the disk does not answer']);
    // Each would have to wait for the same write.
    for (let n = 0; n < 100; n += 1) await expect(stateFile.saveOutput(1, n % 2 === 0)).rejects.toThrow();
    await expect(stateFile.saveOutput(2, true)).rejects.toThrow('the disk does not answer');
    files.log.length = 0;
    end();
    await settled();
    expect(JSON.parse(files.texts.get(PATH) ?? '')).toMatchObject({ active: { 0: true, 1: false, 2: true } });
    expect(files.log).toHaveLength(2);
    expect(faults.at(-1)).toBeNull();
    await stateFile.saveOutput(2, false);
  });

  test('tries what the disk has refused once more at its end, and then no more', async () => {
    const { files, stateFile } = openState();
    await stateFile.saveOutput(0, true);
    files.failing.set(PATH, 'EIO');
    await expect(stateFile.saveOutput(0, false)).rejects.toThrow();
    files.failing.delete(PATH);
    await stateFile.close();
    expect(JSON.parse(files.texts.get(PATH) ?? '')).toMatchObject({ active: { 0: false } });
    await expect(stateFile.saveOutput(0, true)).rejects.toThrow('about to end');
  });
});
