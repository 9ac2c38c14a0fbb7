/** T27: settings.json is torn or exchanged beside programs that run: they go on with what they have, and lose nothing of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { edgeLogOf, readEdges, relayctl, run } from '../../support/device/device';
import { deviceForEach } from '../../support/device/test-device';

const device = deviceForEach();

test.each<[string, (text: string) => string, RegExp]>([
  ['torn', (text) => text.slice(0, text.length / 2), /settings\.json is not JSON/],
  ['wrong', (text) => text.replaceAll('"pulseMs": 500', '"pulseMs": 20'), /pulseMs .* 50 to 3600000/],
])(
  'settings that are %s: relays obey, a change is refused, the file stays, and a start says what is wrong',
  async (_what, spoil, problem) => {
    const { runDir, dataDir } = device;
    const file = join(dataDir, 'settings.json');
    const spoilt = spoil(readFileSync(file, 'utf8'));
    writeFileSync(file, spoilt);
    expect(await relayctl(runDir, 'set', '0', 'on')).toMatchObject({ code: 0 });
    expect(readEdges(edgeLogOf(dataDir))).toMatchObject([{ output: 0, level: 1 }]);
    const change = await relayctl(runDir, 'output', '0', '--pulse-ms', '700');
    expect(change.code).toBe(5);
    expect(change.stderr).toContain('was edited since the agent started');
    await device.stopPrograms();
    const started = await run('relaygate-guard', ['--data', dataDir, '--run', runDir]);
    expect(started.code).toBe(1);
    expect(started.stderr).toMatch(problem);
    expect(readFileSync(file, 'utf8')).toBe(spoilt);
  },
);
