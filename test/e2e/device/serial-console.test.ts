/** The serial console of the built programs, at a pseudo-terminal; no server, no network. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { HistoryEntry } from '@relaygate/shared';
import { edgeLogOf, onlyPulse, pulsesOf, waitForEdges, writeDeviceSettings } from '../../support/device/device';
import { Pty } from '../../support/device/serial/pty';
import { TestDevice } from '../../support/device/test-device';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { repeat } from '../../support/time/excuse';
import { expectPulse } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';

const MENU = /\d {2}Quitter\r\nChoix : $/;
const CONFIRM = /\? \(o\/n\) $/;
const PIN_ASKED = /Relaygate\r\nCode PIN : $/;

const device = new TestDevice();
let pty: Pty;
let screen: string;
let port: string;

async function plug(): Promise<void> {
  screen = '';
  pty = await Pty.plug(port, (bytes) => {
    screen += Buffer.from(bytes).toString();
  });
}
const shows = (what: RegExp): Promise<void> => eventually(() => what.test(screen));
/** Types it, and waits for what is shown after it. */
async function type(text: string | Uint8Array, answer: RegExp): Promise<void> {
  screen = '';
  pty.say(Buffer.from(text));
  await shows(answer);
}
async function newPin(): Promise<string> {
  const { stdout } = await device.relayctl('identity', '--new-pin', '--yes');
  return /\d{8}/.exec(stdout)?.[0] ?? '';
}
const edges = () => device.edges();
const status = async (): Promise<string> => (await device.relayctl('status')).stdout;

describeWhere(missingProgram('socat', 'socat'))('a technician with a laptop', () => {
  async function start(): Promise<void> {
    device.makeFolders();
    port = join(device.runDir, 'tty');
    writeDeviceSettings(device.dataDir, { console: { port } });
    await plug();
    await device.startPrograms();
    await shows(PIN_ASKED);
  }
  async function stop(): Promise<void> {
    await device.stopPrograms();
    await pty.unplug();
    await device.stop();
  }
  beforeEach(start);
  afterEach(stop);
  const startAnew = (): Promise<void> => stop().then(start);

  test('sets a pulse duration, tries it, and reads what was done', () =>
    repeat(async () => {
      await type(`${await newPin()}\r`, MENU);
      await type('3\r', /Numéro de la sortie : $/);
      await type('2\r', /Actuellement 500 ms ; de 50 à 3600000 ms\.\r\nNouvelle durée en ms : $/);
      await type('750\r', CONFIRM);
      await type('o\r', /Enregistré\. Durée d'impulsion : 500 ms -> 750 ms\.[\s\S]*Choix : $/);
      await type('2\r', /Numéro de la sortie : $/);
      await type('2\r', /Impulsion de 750 ms sur la sortie 2 \(Output 2\) \? \(o\/n\) $/);
      expect(edges()).toEqual([]);
      await type('o\r', /Fait\./);
      const pulsed = await waitForEdges(edgeLogOf(device.dataDir), (seen) => pulsesOf(seen, 2).length === 1);
      expectPulse(onlyPulse(pulsed, 2), 750);
      await type('5\r', /console {2}impulsion 2: fait/);
      expect(screen).toContain('pulseMs: 500 -> 750');
      await shows(MENU);
      await type('6\r', /Liaison +coupée[\s\S]*Choix : $/);
      await type('12\r', /\d {2}Quit\r\nChoice: $/);
    }, startAnew));

  test('beside another with relayctl: both changes hold, and each is told what it took the place of', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('3\r', /Numéro de la sortie : $/);
    await type('2\r', /Actuellement 500 ms/);
    await type('750\r', CONFIRM);
    // While the one still reads what would be changed, the other has done it.
    const { stdout } = await device.relayctl('output', '2', '--pulse-ms', '600');
    expect(stdout).toBe('output 2: pulseMs 500 -> 600\n');
    await type('o\r', /Enregistré\. Durée d'impulsion : 600 ms -> 750 ms\./);
    const history = await device.relayctl('history', '--output', '2', '--json');
    const { entries } = JSON.parse(history.stdout) as { entries: HistoryEntry[] };
    expect(entries.map(({ actor }) => actor)).toEqual([expect.stringMatching(/^relayctl as /), 'console']);
    expect(entries.flatMap(({ changes }) => changes.map(({ from, to }) => [from, to]))).toEqual([
      [500, 600],
      [600, 750],
    ]);
  });

  test('has to give the PIN again after the cable was out', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('2\r', /Numéro de la sortie : $/);
    await type('2\r', CONFIRM);
    await pty.unplug();
    await eventually(async () => /serial console at .* is away/.test(await status()));
    await plug();
    await shows(PIN_ASKED);
    await type('o\r', /8 chiffres/);
    expect(edges()).toEqual([]);
    expect(await status()).not.toMatch(/serial console/);
  });

  test('sees in the status that the guard is gone, and the agent lives on', async () => {
    await type(`${await newPin()}\r`, MENU);
    device.guard.kill('SIGKILL');
    await eventually(async () => /^guard +away/m.test(await status()));
    await type('1\r', /le service des relais ne répond pas[\s\S]*Choix : $/);
    await type('2\r', /Numéro de la sortie : $/);
    await type('2\r', CONFIRM);
    await type('o\r', /Le service des relais est injoignable : [\s\S]*Choix : $/);
  });
});
