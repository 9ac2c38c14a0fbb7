/** T4: the power goes while a device writes settings and state. What was not synced is lost (EXT4_IOC_SHUTDOWN). */
import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RelaygateError } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { SeededChance } from '../support/chance/seeded-chance';
import { outputsWith } from '../support/device/device';
import { Acknowledged, type Both, nextOf } from '../support/faults/acknowledged';
import { CardDevice } from '../support/faults/card-device';
import { Ext4Image, ext4ImageMissing } from '../support/faults/ext4-image';
import { elapsedMs, Fault, PLAY_LIMIT_MS, SHORT } from '../support/faults/fault';
import { Load } from '../support/faults/load';
import { describeWhere } from '../support/processes/needs';
import { pause } from '../support/time/waiting';

const AT_ONCE = 2;
/** Their states are remembered over a power cut. */
const RESTORED = [0, 1] as const;
/** Its pulse duration is changed all the time. */
const CHANGED = 3;
const ACTOR = 'relayctl as test';
const SETTINGS = { outputs: outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'restore' } }) };

async function play(device: CardDevice, chance: SeededChance): Promise<number> {
  await device.boot('first');
  const pulseMs = new Acknowledged(500);
  const areOn = new Acknowledged<Both>([false, false]);
  let isPowerGone = false;
  // Its disk fails what its programs still try.
  const isGone = (error: unknown): boolean => isPowerGone && error instanceof RelaygateError;
  const changing = new Load(async (turn) => {
    const wanted = 1_000 + turn;
    const change = { numOutput: CHANGED, change: { pulseMs: wanted }, force: false, actor: ACTOR };
    await pulseMs.write(wanted, async () => void (await device.change('output', change)));
  }, isGone);
  const switching = new Load(async () => {
    const { which, isOn, both } = nextOf(areOn.possible[0]);
    const order = { numOutput: RESTORED[which], state: isOn ? 1 : 0, actor: ACTOR };
    await areOn.write(both, async () => void (await device.change('set', order)));
  }, isGone);
  await Promise.all([changing.begun, switching.begun]);
  await pause(chance.between(0, 250));
  isPowerGone = true;
  await device.losePower();
  await Promise.all([changing.ended, switching.ended]);

  // I5, I8: the old one or the new one, never torn; and at least as new as what was acknowledged.
  expect(pulseMs.possible).toContain(JSON.parse(device.text('settings.json')).outputs[CHANGED].pulseMs);
  const { active } = JSON.parse(device.text('state.json'));
  // An output that was never switched has no state.
  const wereOn = RESTORED.map((numOutput): boolean => active[numOutput] ?? false);
  expect(areOn.possible).toContainEqual(wereOn);
  const startMs = monotonicNowMs();
  await device.boot('second');
  const bootedMs = elapsedMs(startMs);
  expect(device.complaints).toBe('');
  const { outputs } = (await device.ask('status', {})) as { outputs: { state: 0 | 1 }[] };
  expect(outputs).toHaveLength(4);
  expect(outputs.map(({ state }) => state)).toEqual(outputs.map((_, n) => Number(wereOn[n] ?? false)));
  expect(readdirSync(device.dataDir).filter((name) => name.includes('corrupt'))).toEqual([]);
  return bootedMs;
}

describeWhere(ext4ImageMissing())('the power goes while a device writes', () => {
  test(
    'T4: settings and state are the old ones or the new ones, what was acknowledged is there, and it starts (I5, I8)',
    () =>
      new Fault('T4', 'power loss while files are written', 'running again').playAlone(
        SHORT,
        AT_ONCE,
        async (chance) => {
          const device = new CardDevice(new Ext4Image(), { settings: SETTINGS });
          try {
            return await play(device, chance);
          } finally {
            await device.remove();
          }
        },
      ),
    PLAY_LIMIT_MS,
  );
});
