/** The serial console of the built programs, at a pseudo-terminal; no server, no network. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { HistoryEntry } from '@relaygate/shared';
import {
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  onlyPulse,
  pulsesOf,
  readEdges,
  relayctl,
  spansOf,
  startAgentWithGuard,
  startGuard,
  stopDevice,
  waitForEdges,
  writeDeviceSettings,
} from '../../support/device/device';
import { Pty } from '../../support/device/serial/pty';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import type { Program } from '../../support/processes/program';
import { repeat } from '../../support/time/excuse';
import { expectPulse } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';

const MENU = /\d {2}Quitter\r\nChoix : $/;
const CONFIRM = /\? \(o\/n\) $/;
const DOCTOR_PATIENCE_MS = 35_000;
const PIN_ASKED = /Relaygate\r\nCode PIN : $/;

let folders: DeviceFolders & { remove(): void };
let guard: Program;
let agent: Program;
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
  const { stdout } = await relayctl(folders.runDir, 'identity', '--new-pin', '--yes');
  return /\d{8}/.exec(stdout)?.[0] ?? '';
}
const edges = () => readEdges(edgeLogOf(folders.dataDir));
const commandLog = async (): Promise<string> => (await relayctl(folders.runDir, 'log')).stdout;
const status = async (): Promise<string> => (await relayctl(folders.runDir, 'status')).stdout;

describeWhere(missingProgram('socat', 'socat'))('a technician with a laptop', () => {
  async function start(): Promise<void> {
    folders = makeDeviceFolders();
    port = join(folders.runDir, 'tty');
    writeDeviceSettings(folders.dataDir, { console: { port } });
    await plug();
    guard = await startGuard(folders);
    agent = await startAgentWithGuard(folders);
    await shows(PIN_ASKED);
  }
  async function stop(): Promise<void> {
    await stopDevice([agent, guard]);
    await pty.unplug();
    folders.remove();
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
      const pulsed = await waitForEdges(edgeLogOf(folders.dataDir), (seen) => pulsesOf(seen, 2).length === 1);
      expectPulse(onlyPulse(pulsed, 2), 750);
      await type('5\r', /console {2}impulsion 2: fait/);
      expect(screen).toContain('pulseMs: 500 -> 750');
      await shows(MENU);
      await type('6\r', /Liaison +coupée[\s\S]*Choix : $/);
      await type('12\r', /\d {2}Quit\r\nChoice: $/);
    }, startAnew));

  test('gives an input a meaning, which the guard goes by once it is restarted', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('13\r', /Aucune entrée n'a de rôle\.\r\nNuméro de l'entrée, sur la carte : $/);
    await type('2\r', /Sorte\r\n[\s\S]*3 {2}bouton\r\nChoix : $/);
    await type('3\r', /Nom\r\nNouveau .*: $/);
    await type('Sortie de secours\r', /Niveau .*: maintenant bas[\s\S]*Choix : $/);
    await type('\r', /Numéro de sa sortie\r\nNouveau .*: $/);
    await type('3\r', /Quand on appuie[\s\S]*Choix : $/);
    await type('1\r', CONFIRM);
    await type('o\r', /Fait\.\r\nEn vigueur dès que/);
    const list = async () => (await relayctl(folders.runDir, 'input', '--json')).stdout;
    const inputs = [{ kind: 'button', numInput: 2, name: 'Sortie de secours', output: 3, action: 'pulse' }];
    expect(JSON.parse(await list())).toEqual({ inputs, mustRestart: true });
    await guard.stop();
    guard = await startGuard(folders);
    await eventually(async () => JSON.parse(await list()).mustRestart === false);
    expect(await status()).toMatch(/^2 .*Sortie de secours/m);
  });

  test('is not kept out by noise, half lines and other line endings', async () => {
    await type(Uint8Array.of(0x00, 0xff, 0x80, 0x1b, 0x0d), /Code PIN : $/);
    const pin = await newPin();
    pty.say(Buffer.from(pin.slice(0, 3)));
    await shows(/\*{3}$/);
    await type(`x\x7f${pin.slice(3)}\r\n`, MENU);
    await type('2\n', /Numéro de la sortie : $/);
    await type('2\r\n', CONFIRM);
    await type(Uint8Array.of(0x6f, 0x00, 0x0d), /brouillée[\s\S]*\(o\/n\) $/);
    await type('n\r', /Rien n'a été fait\.[\s\S]*Choix : $/);
    expect(edges()).toEqual([]);
  });

  test('beside another with relayctl: both changes hold, and each is told what it took the place of', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('3\r', /Numéro de la sortie : $/);
    await type('2\r', /Actuellement 500 ms/);
    await type('750\r', CONFIRM);
    // While the one still reads what would be changed, the other has done it.
    const { stdout } = await relayctl(folders.runDir, 'output', '2', '--pulse-ms', '600');
    expect(stdout).toBe('output 2: pulseMs 500 -> 600\n');
    await type('o\r', /Enregistré\. Durée d'impulsion : 600 ms -> 750 ms\./);
    const history = await relayctl(folders.runDir, 'history', '--output', '2', '--json');
    const { entries } = JSON.parse(history.stdout) as { entries: HistoryEntry[] };
    expect(entries.map(({ actor }) => actor)).toEqual([expect.stringMatching(/^relayctl as /), 'console']);
    expect(entries.flatMap(({ changes }) => changes.map(({ from, to }) => [from, to]))).toEqual([
      [500, 600],
      [600, 750],
    ]);
  });

  test('changes the duration of a pulse that runs: that one keeps its own, the next one has the new', () =>
    repeat(async () => {
      await relayctl(folders.runDir, 'output', '2', '--pulse-ms', '3000');
      await type(`${await newPin()}\r`, MENU);
      await type('3\r', /Numéro de la sortie : $/);
      await type('2\r', /Actuellement 3000 ms/);
      await type('200\r', CONFIRM);
      await relayctl(folders.runDir, 'pulse', '2');
      await type('o\r', /3000 ms -> 200 ms\.[\s\S]*Choix : $/);
      // It was confirmed while the pulse ran.
      expect(edges().filter(({ output }) => output === 2)).toHaveLength(1);
      const log = edgeLogOf(folders.dataDir);
      expectPulse(onlyPulse(await waitForEdges(log, (seen) => pulsesOf(seen, 2).length === 1), 2), 3_000);
      await relayctl(folders.runDir, 'pulse', '2');
      const both = await waitForEdges(log, (seen) => pulsesOf(seen, 2).length === 2);
      for (const second of spansOf(both, 2).slice(1)) expectPulse(second, 200);
    }, startAnew));

  test('locks an output, sees it in status and log, asks the doctor, and unlocks it', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('8\r', /Numéro de la sortie : $/);
    await type('1\r', /de 1m à 7d\) : $/);
    await type('2h\r', /Verrouiller la sortie 1 \(Output 1\) pendant 2 h \? \(o\/n\) $/);
    expect(await status()).not.toMatch(/^locked/m);
    await type('o\r', /Verrouillée pendant 2 h[\s\S]*Choix : $/);
    expect(await status()).toMatch(/^locked +output 1 for .* by console$/m);
    await relayctl(folders.runDir, 'output', '2', '--pulse-ms', '60000');
    await relayctl(folders.runDir, 'pulse', '2');
    await type('1\r', /Choix : $/);
    expect(screen).toMatch(/\r\n {4}verrouillée encore (1 h 59 min|2 h), par console\r\n/);
    expect(screen).toMatch(/ 2 {2}Output 2 +activée +impulsion 60000 ms \(encore (1 min|\d+ s)\)/);
    expect(screen).toMatch(/Dernières commandes :\r\nimpulsion 2: fait, il y a \d+ s, par relayctl as /);
    await type('9\r', /verrou +sortie 1 verrouillée pendant 2 h par console[\s\S]*Choix : $/);
    await type('10\r', /Le diagnostic est en cours/);
    await eventually(() => /réglages: bien\. 4 sorties[\s\S]*(fin -- |Choix : )$/.test(screen), DOCTOR_PATIENCE_MS);
    if (/fin -- $/.test(screen)) await type('q\r', MENU);
    await type('8\r', /Numéro de la sortie : $/);
    await type('1\r', / 1 {2}Déverrouiller\r\n[\s\S]*Choix : $/);
    await type('1\r', CONFIRM);
    await type('o\r', /Fait\.[\s\S]*Choix : $/);
    expect(await status()).not.toMatch(/^locked/m);
  });

  test('proves the wiring, and the pulled cable leaves no relay on', async () => {
    await type(`${await newPin()}\r`, MENU);
    await type('11\r', /Qui regarde les relais \(nom\) : $/);
    await type('Ana\r', CONFIRM);
    expect(edges()).toEqual([]);
    await type('o\r', /Lequel a claqué/);
    for (const relay of ['1', '2', '3', '4']) {
      await type(`${relay}\r`, /sa lampe allumée \? \(o\/n\) $/);
      await type('n\r', relay === '4' ? CONFIRM : /Lequel a claqué/);
    }
    expect(spansOf(edges(), 3)).toHaveLength(3);
    await type('o\r', /Câblage prouvé par Ana/);
    await type('11\r', /Le câblage est prouvé, par Ana[\s\S]*\(nom\) : $/);
    await type('Ana\r', CONFIRM);
    pty.say(Buffer.from('o\r'));
    const log = edgeLogOf(folders.dataDir);
    await waitForEdges(log, (seen) => seen.filter(({ output }) => output === 0).length >= 7);
    await pty.unplug();
    // The click that has begun runs to its end, and none begins for nobody: three in the first proof, fewer than that in this one.
    await eventually(async () => /click 0 by \S+: unproven/.test(await commandLog()));
    const own = edges().filter(({ output }) => output === 0);
    expect(own.at(-1)?.level).toBe(0);
    expect(spansOf(own, 0).length).toBeLessThan(6);
    await plug();
    await shows(PIN_ASKED);
  });

  test('is asked for the new PIN when there is one', async () => {
    await type(`${await newPin()}\r`, MENU);
    const pin = await newPin();
    await type('1\r', PIN_ASKED);
    expect(screen).toContain('Session fermée : un nouveau code PIN a été fait.');
    expect(screen).not.toContain('test-product');
    await type(`${pin}\r`, MENU);
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

  test('waits after five wrong PINs, and learns nothing of the device', async () => {
    const pin = await newPin();
    for (let turn = 0; turn < 5; turn += 1) await type('00000000\r', /faux\.[\s\S]*Code PIN : $/);
    expect(screen).toContain("Trop d'essais faux : attendez 60 s.");
    await type(`${pin}\r`, /attendez \d+ s\.[\s\S]*Code PIN : $/);
    expect(screen).not.toMatch(/test-product|Output/);
  });

  test('sees in the status that the guard is gone, and the agent lives on', async () => {
    await type(`${await newPin()}\r`, MENU);
    guard.kill('SIGKILL');
    await eventually(async () => /^guard +away/m.test(await status()));
    await type('1\r', /le service des relais ne répond pas[\s\S]*Choix : $/);
    await type('2\r', /Numéro de la sortie : $/);
    await type('2\r', CONFIRM);
    await type('o\r', /Le service des relais est injoignable : [\s\S]*Choix : $/);
  });
});
