/** The technician's page in a browser, as somebody with a phone uses it; guard and agent are the built programs. */
import { renameSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/browser/accessible';
import { card, logIn, NOTE_TYPEABLE, tapTwice, typeableMs, Visitors } from '../support/browser/browser';
import { DeviceWithPage } from '../support/browser/device-with-page';
import { missingBrowser } from '../support/browser/missing-browser';
import { pulsesOf, readEdges, spansOf, waitForEdges } from '../support/device/device';
import { describeWhere } from '../support/processes/needs';
import { repeat } from '../support/time/excuse';
import { expectPulse } from '../support/time/timed';

/** Much more than it takes where the machine has time; what it takes is printed. */
const TYPEABLE_MS = 5_000;
/** The doctor has 30 s. */
const DOCTOR_MS = 35_000;
const [LAMP, GATE] = [0, 1];

let device: DeviceWithPage;
let visitors: Visitors;

const edgesOf = (output: number) => readEdges(device.edgeLog).filter((edge) => edge.output === output);

/** As before the pulse was changed. */
async function again(): Promise<void> {
  await visitors.closePages();
  await device.relayctl('output', String(GATE), '--pulse-ms', '500');
}

async function loggedIn(name?: string): Promise<Page> {
  const page = await visitors.visit({ origin: device.origin });
  await logIn(page, device.pin, name);
  return page;
}

describeWhere(missingBrowser())('a technician with a phone', () => {
  beforeAll(async () => {
    visitors = await Visitors.arrive();
    device = await DeviceWithPage.start();
  });
  afterEach(() => visitors.closePages());
  afterAll(async () => {
    await visitors?.leave();
    await device?.stop();
  });

  test('changes 500 to 750 ms, sees the pulse of that length, and the page goes off', () =>
    repeat(async () => {
      const before = pulsesOf(edgesOf(GATE), GATE).length;
      const page = await loggedIn();
      const gate = card(page, 'Gate');
      await gate.getByRole('button', { name: 'Settings' }).click();
      await gate.getByLabel('Pulse duration (ms)').fill('750');
      await gate.getByRole('button', { name: 'Save' }).click();
      await gate.getByText('Saved: 500 ms → 750 ms.').waitFor();

      await tapTwice(page, gate.getByRole('button', { name: 'Test pulse · 750 ms' }));
      await gate.getByText('Pulse of 750 ms started.').waitFor();
      const edges = await waitForEdges(device.edgeLog, (all) => pulsesOf(all, GATE).length === before + 1);
      for (const pulse of spansOf(edges, GATE).slice(before)) expectPulse(pulse, 750);

      await page.getByRole('link', { name: 'Activity' }).click();
      await card(page, 'History').getByText('by page as Paul').first().waitFor();
      await card(page, 'History').getByText('pulse duration (ms): 500 → 750').waitFor();
      await card(page, 'Last commands').getByText('Pulse · Gate').waitFor();
      expect(await device.relayctl('history')).toMatch(/page as Paul/);

      await device.switchOff();
      await page.getByText('No connection to the device.').waitFor();
      await device.switchOn();
      await page.getByText('Your session is over. Log in again.').waitFor();
      await device.relayctl('output', String(GATE), '--pulse-ms', '500');
    }, again));

  test('sees what each input shows', async () => {
    const page = await loggedIn();
    const inputs = card(page, 'Inputs');
    await inputs.getByText('Closed', { exact: true }).waitFor();
    await inputs.getByText(/Input 0 · contact · for \d+/).waitFor();
    await inputs.getByText('Released', { exact: true }).waitFor();
    writeFileSync(`${device.inputs}.new`, JSON.stringify(['high', 'high']));
    renameSync(`${device.inputs}.new`, device.inputs);
    await inputs.getByText('Open', { exact: true }).waitFor();
  });

  test('says what an input means, and takes it away', async () => {
    const page = await loggedIn();
    const inputs = card(page, 'Inputs');
    const settings = inputs.getByRole('button', { name: 'Settings' });
    const number = inputs.getByLabel('Number of the input, on the board');
    const save = inputs.getByRole('button', { name: 'Save' });
    const meant = async () => JSON.parse(await device.relayctl('input', '--json')).inputs.slice(2);
    await settings.click();
    await number.fill('5');
    await inputs.getByLabel('button', { exact: true }).check();
    await inputs.getByLabel('Name').fill('Doorbell');
    await inputs.getByLabel('1 (Gate)').check();
    await expectAccessible(page, 'the form of an input');
    await save.click();
    await inputs.getByText(/Saved: Doorbell\. In force once the relay service is restarted/).waitFor();
    expect(await meant()).toEqual([
      { kind: 'button', numInput: 5, name: 'Doorbell', activeLevel: 'low', output: 1, action: 'pulse' },
    ]);
    await settings.click();
    await number.fill('05');
    await inputs.getByLabel('toggle it').check();
    await save.click();
    await inputs.getByText('action is toggle, which is for on-off outputs').waitFor();
    await inputs.getByLabel('It means nothing any more').check();
    await save.click();
    await inputs.getByText('Saved: Doorbell.', { exact: true }).waitFor();
    expect(await meant()).toEqual([]);
  });

  test('is told how long the page stays, and that it has gone off', async () => {
    const page = await loggedIn();
    // `web on` again: its half an hour begins anew.
    await device.switchOn();
    await page.clock.install();
    await page.reload();
    await page.getByText('Page: 30m left').waitFor();
    await page.context().setOffline(true);
    await page.clock.fastForward('29:00');
    await page.getByText('No connection to the device.').waitFor();
    await page.clock.fastForward('02:00');
    await page.getByText('The page has gone off.').waitFor();
  });

  test('reads the range in the words of the agent when a value is outside', async () => {
    const page = await loggedIn();
    const gate = card(page, 'Gate');
    await gate.getByRole('button', { name: 'Settings' }).click();
    await gate.getByText('From 50 ms to 3600000 ms (1h).').waitFor();
    await gate.getByLabel('Pulse duration (ms)').fill('49');
    await gate.getByRole('button', { name: 'Save' }).click();
    await gate.getByText('pulse-ms is a whole number from 50 to 3600000, not 49.').waitFor();
    await expectAccessible(page, 'a value outside its range');
  });

  test('moves nothing with one tap, two of a bouncing finger, or a key that is taken back', async () => {
    const page = await loggedIn();
    const before = edgesOf(LAMP).length;
    const button = card(page, 'Lamp').getByRole('button', { name: 'Switch on' });
    const armed = page.getByRole('button', { name: 'Tap again: on' });
    await button.dblclick();
    await armed.waitFor();
    await expectAccessible(page, 'armed');
    await armed.press('Escape');
    await button.waitFor();
    await button.click();
    await armed.waitFor();
    // Goes back by itself after 3 s.
    await armed.waitFor({ state: 'hidden' });
    await button.waitFor();
    expect(edgesOf(LAMP)).toHaveLength(before);
  });

  test('ends a long pulse with one tap, reads that a gate would go on, and is told of one that was ignored', async () => {
    const page = await loggedIn();
    const gate = card(page, 'Gate');
    const before = pulsesOf(edgesOf(GATE), GATE).length;
    await device.relayctl('output', String(GATE), '--pulse-ms', '60000');
    await tapTwice(page, gate.getByRole('button', { name: 'Test pulse · 1m' }));
    await gate.getByText('A gate that moves goes on.').waitFor();
    await expectAccessible(page, 'a pulse that can be ended');
    await tapTwice(page, gate.getByRole('button', { name: 'Test pulse · 1m' }));
    await gate.getByText('Ignored: a pulse runs already').waitFor();
    await gate.getByRole('button', { name: 'End pulse' }).click();
    await gate.getByText('It is off.').waitFor();
    await gate.getByRole('button', { name: 'End pulse' }).waitFor({ state: 'hidden' });
    await waitForEdges(device.edgeLog, (edges) => pulsesOf(edges, GATE).length === before + 1);
    expect(pulsesOf(edgesOf(GATE), GATE).at(-1)).toBeLessThan(59_000);
    await page.getByRole('link', { name: 'Activity' }).click();
    await card(page, 'Last commands').getByText('End pulse · Gate').waitFor();
    await device.relayctl('output', String(GATE), '--pulse-ms', '500');
  });

  test('switches on and off by keyboard', async () => {
    const page = await loggedIn();
    const lamp = card(page, 'Lamp');
    for (const [word, state] of [
      ['on', 'On'],
      ['off', 'Off'],
    ]) {
      await lamp.getByRole('button', { name: `Switch ${word}` }).focus();
      await page.keyboard.press('Enter');
      await lamp.getByRole('button', { name: `Tap again: ${word}` }).waitFor();
      await page.waitForTimeout(450);
      await page.keyboard.press('Enter');
      await lamp.getByText(`It is ${word}.`).waitFor();
      await lamp.getByText(state ?? '', { exact: true }).waitFor();
    }
  });

  test('locks an output for maintenance, and unlocks it with two taps', async () => {
    const page = await loggedIn();
    const lamp = card(page, 'Lamp');
    const lock = lamp.getByRole('button', { name: 'Lock', exact: true });
    await lock.click();
    await lamp.getByLabel('Lock for').selectOption({ label: '2h' });
    await lamp.getByRole('button', { name: 'Lock it' }).click();
    await lamp.getByText(/Locked for .* by page as Paul: no remote command moves it/).waitFor();
    await lock.click();
    await tapTwice(page, lamp.locator('.panel').getByRole('button', { name: 'Unlock' }));
    await lamp.getByText('Unlocked: remote commands move it again.').waitFor();
  });

  test('is told to wait after five wrong PINs', async () => {
    const page = await visitors.visit({ origin: device.origin });
    const wrong = device.pin === '00000000' ? '00000001' : '00000000';
    const enter = page.getByRole('button', { name: /^Log in|^Checking/ });
    for (let tries = 1; tries <= 5; tries += 1) {
      await page.getByLabel('PIN').fill(wrong);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await enter.click();
      expect((await answered).status()).toBe(401);
      await page.getByText('Wrong PIN.').waitFor();
    }
    await page.getByText(/Too many wrong PINs\. Wait (1m|\d+s)/).waitFor();
    await page.getByRole('button', { name: /^Log in \(wait \d+s\)$/ }).waitFor();
    expect(await enter.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'five wrong PINs');
    await device.newPin();
  });

  test('sees on another phone what was done on this one', async () => {
    const [one, other] = [await loggedIn('Paul'), await loggedIn('Anna')];
    await tapTwice(one, card(one, 'Lamp').getByRole('button', { name: 'Switch on' }));
    await card(other, 'Lamp').getByText('On', { exact: true }).waitFor();
    await tapTwice(other, card(other, 'Lamp').getByRole('button', { name: 'Switch off' }));
    await card(one, 'Lamp').getByText('Off', { exact: true }).waitFor();
    await one.getByRole('link', { name: 'Activity' }).click();
    await card(one, 'Last commands').getByText('by page as Anna').first().waitFor();
  });

  test('is told that the agent is away, that what is shown is old, and to log in again', async () => {
    const page = await loggedIn();
    await device.stopAgent();
    await page.getByText('No connection to the device.').waitFor();
    await expectAccessible(page, 'no connection');
    const button = card(page, 'Lamp').getByRole('button', { name: 'Switch on' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    // Playwright would wait for it to be enabled.
    await button.dispatchEvent('click');
    expect(await page.locator('.armed').count()).toBe(0);
    await device.startAgent();
    await device.switchOn();
    await page.getByText('Your session is over. Log in again.').waitFor();
    await logIn(page, device.pin);
  });

  test('is told that the relays cannot be moved while the guard is away, and may unlock them', async () => {
    await device.relayctl('lock', '0', '--for', '1h');
    expect(await device.relayctl('status')).toMatch(/locked/);
    const page = await loggedIn();
    const lamp = card(page, 'Lamp');
    await device.stopGuard();
    await page.getByText('The relay service does not answer.').first().waitFor();
    await lamp.getByText('Unknown', { exact: true }).waitFor();
    await card(page, 'Inputs').getByText('Unknown', { exact: true }).first().waitFor();
    const button = lamp.getByRole('button', { name: 'Switch on' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'no guard');
    await lamp.getByRole('button', { name: 'Lock', exact: true }).click();
    await tapTwice(page, lamp.locator('.panel').getByRole('button', { name: 'Unlock' }));
    await lamp.getByText('It is saved, and not in force yet').waitFor();
    await device.startGuard();
    await lamp.getByText('Off', { exact: true }).waitFor();
    expect(await button.getAttribute('aria-disabled')).not.toBe('true');
    expect(await device.relayctl('status')).not.toMatch(/locked/);
  });

  test('proves the wiring step by step', async () => {
    const page = await loggedIn();
    await page.getByRole('link', { name: 'Checks' }).click();
    const proof = card(page, 'Proof of the wiring');
    await proof.getByRole('button', { name: 'Begin the proof' }).click();
    for (const relay of [1, 2]) {
      await proof.getByText(`Step ${relay} of 2`).waitFor();
      await tapTwice(page, proof.getByRole('button', { name: 'Let it click' }));
      await proof.getByRole('button', { name: `Relay ${relay}` }).click();
      await proof.getByRole('button', { name: 'No, it is dark' }).click();
    }
    await expectAccessible(page, 'the proof before it is recorded');
    await proof.getByRole('button', { name: 'Record this' }).click();
    await proof.getByText('The wiring is proven.').waitFor();
    await proof.getByText(/^Proven by Paul, /).waitFor();
  });

  test('keeps language and session over a reload, and ends the session by logging out', async () => {
    const page = await loggedIn();
    await page.getByRole('button', { name: 'Français' }).click();
    await page.getByRole('heading', { name: 'Sorties', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sorties', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Quitter' }).click();
    await page.getByText('Vous êtes déconnecté.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Page du technicien' }).waitFor();
  });

  test('stays logged in where the device does not answer the logging out, and says so in both languages', async () => {
    const page = await loggedIn();
    await page.route('**/api/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('No answer: you may still be logged in.').waitFor();
    await expectAccessible(page, 'a logging out without an answer');
    await page.getByRole('button', { name: 'Français' }).click();
    await page.getByText('Sans réponse : vous êtes peut-être encore connecté.').waitFor();
    await page.getByRole('heading', { name: 'Sorties', level: 1 }).waitFor();
    await page.unroute('**/api/session');
    await page.getByRole('button', { name: 'Quitter' }).click();
    await page.getByText('Vous êtes déconnecté.').waitFor();
  });

  test('has the doctor and the faults in French where the page is French', async () => {
    const page = await loggedIn();
    await page.getByRole('button', { name: 'Français' }).click();
    await page.getByRole('link', { name: 'Liaison' }).click();
    await card(page, 'Défauts').getByText('Pas relié au serveur : ').waitFor();
    await page.getByRole('link', { name: 'Contrôles' }).click();
    const doctor = card(page, 'Diagnostic');
    await doctor.getByRole('button', { name: 'Examiner cet appareil' }).click();
    await doctor.getByText('aucune liaison n’est possible').first().waitFor({ timeout: DOCTOR_MS });
    await doctor.getByText('réglages', { exact: true }).waitFor();
    // What was found stays in its language, and says so to a screen reader.
    await page.getByRole('button', { name: 'English' }).click();
    const found = card(page, 'Health check').getByText('réglages', { exact: true });
    expect(await found.getAttribute('lang')).toBe('fr');
  });

  test('can type soon after the page is asked for', async () => {
    const page = await visitors.visit({ origin: device.origin, script: NOTE_TYPEABLE });
    const tookMs = await typeableMs(page);
    process.stderr.write(`the page can be typed into after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(TYPEABLE_MS);
  });

  test('has met no error, no breach of the policy, and no other host in all of this', () => {
    expect(visitors.offences).toEqual([]);
  });
});
