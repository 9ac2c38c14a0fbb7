/** Names and texts from outside that would move a terminal's cursor, or read as other ones. */
import { expect, test } from '@jest/globals';
import { outputsWith, run } from '../../support/device/device';
import { deviceForAll } from '../../support/device/test-device';

const NAME = 'kr\u202eow\u009b2J\ud800';
const SHOWN = 'kr\\u202eow\\u009b2J\\ud800';
const ASCII = /^[\x20-\x7e\n]+$/;

// From before such names were refused.
const device = deviceForAll({ outputs: outputsWith({ 0: { name: NAME } }) });
const ctl = (...args: string[]) => device.relayctl(...args);

test.each([['status'], ['output 0']])('relayctl %s shows them by their numbers', async (words) => {
  const { stdout } = await ctl(...words.split(' '));
  expect(stdout).toContain(SHOWN);
  expect(stdout).toMatch(ASCII);
});

test.each([['status'], ['output 0']])('relayctl %s --json has them exactly, escaped', async (words) => {
  const { stdout } = await ctl(...words.split(' '), '--json');
  expect(stdout).toMatch(ASCII);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(NAME));
});

test('relayctl gives no output such a name now, nor does it repeat what was typed', async () => {
  const refused = await ctl('output', '1', '--name', 'a\u202eb');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('name must be without') });
  const wrong = await ctl('set', '0', 'o\u202e\u009bn');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('o\\u202e\\u009bn') });
  expect(wrong.stderr).toMatch(ASCII);
  const json = await ctl('set', '0', 'o\u202en', '--json');
  expect(json.stderr).toMatch(ASCII);
  expect(JSON.parse(json.stderr).message).toContain('o\u202en');
});

test.each(['relaygate-guard', 'relaygate-agent', 'relaygate-setup'] as const)(
  '%s complains in plain text',
  async (name) => {
    const { stderr } = await run(name, ['--da\u202e\u009bta']);
    expect(stderr).toContain('\\u202e\\u009b');
    expect(stderr).toMatch(ASCII);
    const failed = await run(name, [...(name === 'relaygate-setup' ? ['take'] : []), '--data', '/nowhere/\u202e']);
    expect(failed.stderr + failed.stdout).toMatch(ASCII);
  },
);
