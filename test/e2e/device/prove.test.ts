/** The proof of the wiring by relayctl, beside guard and agent as they are started. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pulsesOf, spansOf } from '../../support/device/device';
import { TestDevice } from '../../support/device/test-device';
import { ROOT } from '../../support/processes/program';
import { repeat } from '../../support/time/excuse';
import { expectEnd } from '../../support/time/timed';

/** A click, and how much longer it may be beside everything else that runs. */
const CLICK_MS = 300;
const CLICK_SLACK_MS = 200;

const device = new TestDevice();
const start = (): Promise<void> => device.start({ requireProof: true });
const stop = (): Promise<void> => device.stop();
beforeEach(start);
afterEach(stop);

const inData = (name: string): string => join(device.dataDir, name);

test('a wrong polarity is corrected, and the second round proves the wiring', () =>
  repeat(
    async () => {
      const answers = (isOn: boolean) => {
        const lines = [1, 2, 3, 4].map((relay) => JSON.stringify({ relay, isOn: isOn && relay === 2 }));
        writeFileSync(inData('answers'), lines.join('\n'));
        return device.relayctl('prove', '--by', 'Ada', '--answers', inData('answers'));
      };
      const first = await answers(true);
      expect([first.stderr, first.code]).toEqual(['', 0]);
      expect(first.stdout).toMatch(/output 1: active level high -> low$.*once more/ms);
      expect(existsSync(inData('proof.json'))).toBe(false);
      expect((await device.relayctl('status')).stdout).toContain('The wiring is not proven');

      const second = await answers(false);
      expect(second.stdout).toMatch(/^proven by Ada at 2/);
      expect(JSON.parse(readFileSync(inData('proof.json'), 'utf8'))).toMatchObject({
        by: 'Ada',
        wiring: { kind: 'simulated', activeLevels: ['high', 'low', 'high', 'high'] },
      });
      expect((await device.relayctl('status')).stdout).not.toContain('not proven');
      for (const output of [0, 2]) {
        const pulses = spansOf(device.edges(), output);
        expect(pulses).toHaveLength(6);
        for (const pulse of pulses) expectEnd(pulse, CLICK_MS, CLICK_SLACK_MS);
      }
    },
    () => stop().then(start),
  ));

test('whoever answers at a terminal is asked, and "r" has the relay click again', () => {
  const lines = ['yes', ...[1, 2, 3, 4].flatMap((relay) => (relay === 1 ? ['r', '1', 'n'] : [String(relay), 'n']))];
  const ran = spawnSync(
    process.execPath,
    ['device-agent/bin/relayctl.js', '--run', device.runDir, 'prove', '--by', 'Ada', '--json'],
    { cwd: ROOT, input: `${lines.join('\n')}\n`, encoding: 'utf8', timeout: 40_000 },
  );
  expect(ran.status).toBe(0);
  expect(ran.stderr).toContain('Relay 1 of 4 (Output 0) clicks 3 times.');
  expect(JSON.parse(ran.stdout)).toMatchObject({ result: 'proven', proof: { by: 'Ada' } });
  expect(pulsesOf(device.edges(), 0)).toHaveLength(6);
});

test('without a "yes" nothing moves', () => {
  const ran = spawnSync(
    process.execPath,
    ['device-agent/bin/relayctl.js', '--run', device.runDir, 'prove', '--by', 'Ada'],
    { cwd: ROOT, input: '', encoding: 'utf8', timeout: 20_000 },
  );
  expect(ran.status).toBe(5);
  expect(ran.stderr).toMatch(/refused: Nothing was moved/);
  expect(device.edges().filter(({ level }) => level === 1)).toEqual([]);
});
