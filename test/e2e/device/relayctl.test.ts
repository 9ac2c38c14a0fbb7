/** relayctl as a technician uses it, beside guard and agent. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  edgeLogOf,
  NO_SERVER,
  pulsesOf,
  type Ran,
  readEdges,
  relayctl,
  run,
  spansOf,
  waitForEdges,
  writeEnrolmentCode,
} from '../../support/device/device';
import { deviceForAll } from '../../support/device/test-device';
import { ROOT } from '../../support/processes/program';
import { enrolmentCode } from '../../support/server/codes';
import { repeat } from '../../support/time/excuse';
import { expectPulse } from '../../support/time/timed';

const device = deviceForAll();

const ctl = (...args: string[]): Promise<Ran> => device.relayctl(...args);
const json = async (...args: string[]): Promise<unknown> => {
  const { stdout, code } = await ctl(...args, '--json');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
};
const complaint = ({ stderr }: Ran): string => {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
};

describe('relayctl', () => {
  test('status shows link, guard and outputs', async () => {
    const { stdout, code } = await ctl('status');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^product +test-product$/m);
    expect(stdout).toMatch(/^guard +running$/m);
    expect(stdout).toMatch(/^2 +off +impulse +500 ms/m);
    expect(await json('status')).toMatchObject({
      link: { isUp: false, serverUrl: NO_SERVER.serverUrl },
      guard: { isReachable: true },
      outputs: [{ numOutput: 0, state: 0, mode: 'on-off' }, {}, {}, {}],
    });
  });

  test('set switches, and says when there was nothing to do', async () => {
    expect(await json('set', '0', 'on')).toEqual({ outcome: 'executed', numOutput: 0, state: 1 });
    expect(await json('set', '0', 'on')).toEqual({ outcome: 'already-set', numOutput: 0, state: 1 });
    expect(await json('set', '0', 'off')).toEqual({ outcome: 'executed', numOutput: 0, state: 0 });
  });

  test('pulse pulses', async () => {
    const before = pulsesOf(device.edges(), 3).length;
    expect(await json('pulse', '3')).toEqual({ outcome: 'executed', numOutput: 3, state: 1 });
    await waitForEdges(edgeLogOf(device.dataDir), (edges) => pulsesOf(edges, 3).length === before + 1);
  });

  test('two at once both get their answer, and a running pulse is not made longer', () =>
    repeat(async () => {
      const before = pulsesOf(device.edges(), 3).length;
      const both = await Promise.all([ctl('pulse', '3'), ctl('pulse', '3')]);
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      const said = both.map(({ stdout }) => stdout).sort();
      expect(said).toEqual(['output 3: done, now on\n', 'output 3: ignored, a pulse runs already, now on\n']);
      const edges = await waitForEdges(edgeLogOf(device.dataDir), (all) => pulsesOf(all, 3).length > before);
      for (const pulse of spansOf(edges, 3).slice(before)) expectPulse(pulse, 500);
    }));

  test.each([
    ['stop', ['stop', '3']],
    ['set off', ['set', '3', 'off']],
  ])('%s ends the pulse that runs, promises no stop of a gate, and the next pulse has its whole length', (_, args) =>
    repeat(async () => {
      await ctl('output', '3', '--pulse-ms', '600000');
      const before = pulsesOf(device.edges(), 3).length;
      await ctl('pulse', '3');
      const { code, stdout } = await ctl(...args);
      expect([code, stdout]).toEqual([0, 'output 3: pulse ended, now off; a gate that moves goes on\n']);
      expect((await ctl(...args)).stdout).toBe('output 3: no pulse runs, now off\n');
      await ctl('output', '3', '--pulse-ms', '500');
      await ctl('pulse', '3');
      const edges = await waitForEdges(edgeLogOf(device.dataDir), (all) => pulsesOf(all, 3).length === before + 2);
      const [ended, next] = spansOf(edges, 3).slice(before);
      expect(ended && ended.offMs - ended.onMs).toBeLessThan(60_000);
      if (next) expectPulse(next, 500);
      expect((await ctl('history', '-n', '1')).stdout).not.toContain('stop 3');
      expect((await ctl('history', '--output', '3')).stdout).toMatch(/relayctl as \S+ {2}stop 3: executed/);
      expect((await ctl('log', '-n', '9')).stdout).toMatch(/stop 3 by relayctl as \S+: executed/);
    }),
  );

  test('stop says which outputs have no pulse', async () => {
    expect(await ctl('stop', '0')).toMatchObject({ code: 5, stderr: expect.stringContaining('Output 0 is on-off') });
    expect(await ctl('stop', '9')).toMatchObject({ code: 2, stderr: expect.stringContaining('output-not-found') });
  });

  test('output changes the pulse from the next one on, and the change outlives a restart', async () => {
    const { stdout } = await ctl('output', '2', '--pulse-ms', '120');
    expect(stdout).toBe('output 2: pulseMs 500 -> 120\n');
    await expectPulseOf120();
    await device.stopPrograms();
    await device.startPrograms();
    expect(await json('output', '2')).toMatchObject({ before: { pulseMs: 120 }, after: { pulseMs: 120 } });
    await expectPulseOf120();
  });
  const expectPulseOf120 = (): Promise<void> =>
    repeat(async () => {
      const log = edgeLogOf(device.dataDir);
      const before = pulsesOf(readEdges(log), 2).length;
      await ctl('pulse', '2');
      const after = await waitForEdges(log, (all) => pulsesOf(all, 2).length === before + 1);
      for (const pulse of spansOf(after, 2).slice(before)) expectPulse(pulse, 120);
    });

  test('output sets every policy, which status shows, and which outlast agent and guard', async () => {
    const flags = {
      '--retrigger': 'extend',
      '--max-on-ms': '60000',
      '--min-switch-interval-ms': '5',
      '--interlock': 'motor',
      '--interlock-delay-ms': '100',
      '--on-link-loss': 'off',
      '--link-loss-ms': '70000',
      '--on-agent-loss': 'off',
      '--agent-loss-ms': '20000',
      '--feedback-input': '3',
      '--feedback-active-level': 'low',
      '--feedback-ms': '200',
    };
    const policies = {
      retrigger: 'extend',
      maxOnMs: 60_000,
      minSwitchIntervalMs: 5,
      interlock: 'motor',
      interlockDelayMs: 100,
      onLinkLoss: 'off',
      linkLossMs: 70_000,
      onAgentLoss: 'off',
      agentLossMs: 20_000,
      feedbackInput: 3,
      feedbackActiveLevel: 'low',
      feedbackMs: 200,
    };
    expect(await json('output', '1', ...Object.entries(flags).flat())).toMatchObject({ after: policies });
    await device.agent.stop();
    await device.guard.stop();
    await device.startPrograms();
    expect(await json('status')).toMatchObject({ outputs: [{ retrigger: 'ignore' }, policies, {}, {}] });
    expect((await ctl('status')).stdout).toMatch(/^1 .*max-on 60000 ms, min-/m);
    const none = ['--interlock', 'none', '--feedback-input', 'none', '--max-on-ms', '0'];
    const held = ['--on-link-loss', 'hold', '--on-agent-loss', 'hold'];
    expect(await json('output', '1', ...none, ...held)).toMatchObject({
      after: { interlock: null, feedbackInput: null, maxOnMs: 0, onLinkLoss: 'hold', onAgentLoss: 'hold' },
    });
  });

  test('output says of a value that it was so already, and nothing of what was not asked', async () => {
    await ctl('output', '3', '--pulse-ms', '500');
    expect((await ctl('output', '3', '--pulse-ms', '500')).stdout).toBe('output 3: pulseMs is 500 already\n');
    expect((await ctl('output', '3', '--pulse-ms', '500', '--name', ' Door ')).stdout).toMatch(
      /^output 3: name .+ -> Door\noutput 3: pulseMs is 500 already\n$/,
    );
    expect((await ctl('output', '3')).stdout.split('\n').length).toBeGreaterThan(17);
  });

  test('output --force takes an active output off before its mode changes', async () => {
    await ctl('set', '1', 'on');
    const refused = await ctl('output', '1', '--mode', 'impulse');
    expect(refused.code).toBe(5);
    expect(complaint(refused)).toMatch(/output-active: .*--force/);
    expect(await json('output', '1', '--mode', 'impulse', '--name', 'Gate', '--force')).toMatchObject({
      after: { mode: 'impulse', name: 'Gate' },
    });
    expect(await json('output', '1', '--mode', 'on-off')).toMatchObject({ after: { mode: 'on-off' } });
  });

  test('speaks French at a French terminal, and to programs as ever', async () => {
    const french = (...args: string[]): Promise<Ran> =>
      run('relayctl', ['--run', device.runDir, ...args], 'fr_FR.UTF-8');
    expect((await french('set', '0', 'off')).stdout).toMatch(/^sortie 0 : (fait|déjà ainsi), maintenant coupée$/m);
    expect((await french('status')).stdout).toMatch(
      /^produit {2}test-product\nliaison {2}\S+ coupée : .*\nrelais {3}en service$/m,
    );
    expect((await french('log')).stdout).toMatch(/ {2}commande {2}set 0 off par relayctl as \S+ : (fait|déjà ainsi)$/m);
    const refused = await french('pulse', '0');
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/refused: La sortie 0 .* n’a pas d’impulsions/),
    });
    const told = await french('pulse', '0', '--json');
    expect(told).toMatchObject({ code: 5, stderr: (await ctl('pulse', '0', '--json')).stderr });
    expect(JSON.parse(told.stderr)).toMatchObject({ message: expect.stringMatching(/^Output 0 is on-off/) });
  });

  test('output --help tells the options that COMMANDS.md tells, and no other', async () => {
    const help = (await device.relayctl('output', '--help')).stdout;
    const options = [...help.matchAll(/^ {2}(--[a-z-]+) </gm)].map(([, flag]) => flag);
    const commands = readFileSync(join(ROOT, 'device-agent/COMMANDS.md'), 'utf8');
    const row = commands.split('\n').find((line) => line.startsWith('| `output N')) ?? '';
    const told = [...row.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag);
    expect(told.length).toBeGreaterThan(0);
    expect(options.filter((flag) => flag !== '--run')).toEqual(told);
  });

  test('board list and board show tell of the boards, without an agent', async () => {
    const elsewhere = join(device.runDir, 'nowhere');
    const list = await relayctl(elsewhere, 'board', 'list');
    expect(list.stdout).toMatch(/^waveshare-rpi-relay-board +3 +low +yes +3 at risk/m);
    expect(list.stdout).toMatch(/^generic-active-high +4 +high +yes +safe/m);
    const show = await relayctl(elsewhere, 'board', 'show', 'keyestudio-ks0212');
    expect(show.stdout).toMatch(/^0 +J2 +4 +7 +pulled high: may close/m);
    expect(show.stdout).toMatch(/^ +gpio=4=op,dl$/m);
    expect(await json('board', 'show', 'waveshare-rpi-relay-board')).toMatchObject({
      activeLevel: 'low',
      relays: [{ label: 'CH1', bcm: 26 }, {}, {}],
      bootLevels: [{ pin: 37, pull: 'low', isRisky: true }, {}, {}],
      cures: [{ configLine: 'gpio=26=op,dh', resistor: expect.stringContaining('3.3 V') }, {}, {}],
    });
    expect(await json('board', 'list')).toHaveLength(13);
    expect(list.stdout).toMatch(/^waveshare-modbus-rtu-relay-8ch +8 +modbus +yes +its own/m);
    const serial = await relayctl(elsewhere, 'board', 'show', 'lcus-4');
    expect(serial.stdout).toMatch(/^on a serial port: USB 1a86:7523/m);
  });

  test('board use refuses relays that may close before the guard runs, and says what cures it', async () => {
    const ran = await ctl('board', 'use', 'waveshare-rpi-relay-board');
    expect(ran.code).toBe(5);
    const words = complaint(ran);
    for (const part of ['CH1, CH2, CH3', 'gpio=26=op,dh', 'BCM 20 (pin 38) to 3.3 V', '--accept-boot-level'])
      expect(words).toContain(part);
  });

  test('identity shows the key, which nobody else can read', async () => {
    const identity = await json('identity');
    const file = join(device.dataDir, 'identity.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(identity).toMatchObject({
      publicKey: JSON.parse(readFileSync(file, 'utf8')).publicKey,
      hasEnrolmentCode: false,
    });
    expect(JSON.stringify(identity)).not.toContain(JSON.parse(readFileSync(file, 'utf8')).privateKey);
  });

  test('identity says when an enrolment code waits, and shows it to nobody', async () => {
    writeEnrolmentCode(device.dataDir, enrolmentCode());
    const { stdout } = await ctl('identity', '--json');
    expect(JSON.parse(stdout).hasEnrolmentCode).toBe(true);
    expect(stdout).not.toContain(enrolmentCode());
  });

  test.each([
    ['an output that is not there', ['set', '9', 'on'], 2, /output-not-found: .*0 to 3/],
    ['a pulse that is too short', ['output', '2', '--pulse-ms', '49'], 2, /out-of-range: .*50 to 3600000/],
    ['an interlock delay that is too long', ['output', '0', '--interlock-delay-ms', '4001'], 2, /0 to 4000, not 4001/],
    ['a name that is no group', ['output', '0', '--interlock', 'a b'], 2, /interlock is the name of a group/],
    ['an input that is none', ['output', '0', '--feedback-input', '64'], 2, /0 to 63/],
    ['a pulse that is far too long', ['output', '2', '--pulse-ms', '99999999999'], 2, /50 to 3600000/],
    ['an option that is mistyped', ['status', '--jsn'], 2, /unknown option '--jsn'.*--json/],
    ['a pulse of an on-off output', ['pulse', '0'], 5, /refused: .*on-off/],
    ['a number that is none', ['set', '-1', 'on'], 2, /^relayctl: bad-usage: /],
    ['a name that shows nothing', ['output', '1', '--name', '   '], 2, /out-of-range: name must show something/],
    ['a witness without a name', ['prove', '--by', '   '], 2, /bad-usage: .*a name that shows something/],
    ['a history of nothing', ['history', '-n', '0'], 2, /out-of-range: -n is from 1 to 2000/],
    ['more history than is kept', ['history', '-n', '5000'], 2, /out-of-range: -n is from 1 to 2000/],
    ['a new PIN that nobody has confirmed', ['identity', '--new-pin'], 2, /bad-usage: .*--yes/],
    ['a board that nobody has confirmed', ['board', 'use', 'generic-active-high'], 2, /bad-usage: .*--yes/],
    ['a state that is none', ['set', '0', 'open'], 2, /Allowed choices are on, off/],
    ['a command that is none', ['explode'], 2, /unknown command/],
    ['a missing argument', ['set', '0'], 2, /missing required argument/],
    ['a board that is none', ['board', 'show', 'toaster'], 2, /bad-usage: .*"toaster".*keyestudio-ks0212/],
  ])('refuses %s in one line with its exit code', async (_name, args, code, words) => {
    const ran = await ctl(...args);
    expect(ran.code).toBe(code);
    expect(complaint(ran)).toMatch(words);
  });

  test.each([
    ['by the device', ['pulse', '0'], 'refused'],
    ['as wrong usage', ['status', '--nonsense'], 'bad-usage'],
    ['as a wrong value', ['output', '2', '--pulse-ms', 'x'], 'bad-usage'],
  ])('with --json says what was refused %s as one line of JSON', async (_name, args, error) => {
    const ran = await ctl(...args, '--json');
    expect(ran.stdout).toBe('');
    expect(JSON.parse(complaint(ran))).toEqual({ error, message: expect.any(String) });
  });

  test('takes --run before the command too', async () => {
    expect((await run('relayctl', ['--run', device.runDir, '--json', 'status'])).stdout).toMatch(/^\{/);
  });

  test.each([['--help'], ['--version'], ['status', '--help']])('%s %s is no error', async (...args) => {
    expect((await ctl(...args)).code).toBe(0);
  });

  test('loads neither a validator nor a network library, so that it starts fast', () => {
    const script = `require('./device-agent/dist/relayctl/main.js'); console.log(Object.keys(require.cache).join('\\n'))`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', cwd: ROOT });
    expect(stdout).toContain('commander');
    expect(stdout).not.toMatch(/node_modules\/(ajv|ws|@sinclair)\//);
  });
});
