/** What the doctor says of the inputs that mean something. */
import { describe, expect, test } from '@jest/globals';
import type { InputStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';

const CONTACT: InputStatus = {
  ...{ numInput: 0, name: 'Gate closed', kind: 'contact', state: 'closed', level: 'low' },
  ...{ hasChanged: true, forMs: 5_000 },
};
const BUTTON: InputStatus = {
  ...{ numInput: 1, name: 'Exit', kind: 'button', state: 'released', level: 'high' },
  ...{ hasChanged: false, forMs: 5_000 },
};
const LID: InputStatus = { ...CONTACT, numInput: 2, name: 'Lid', kind: 'tamper', hasChanged: false };

async function found(
  inputs: InputStatus[] | undefined,
  change: (machine: PlayedMachine) => unknown = () => {},
  language: ConsoleLanguage = 'en',
): Promise<Map<string, Finding>> {
  const machine = new PlayedMachine();
  if (machine.status && inputs) machine.status.inputs = inputs;
  change(machine);
  return findingsOf(machine, language);
}
const inputsOf = async (...how: Parameters<typeof found>) => (await found(...how)).get('inputs');

describe('the doctor', () => {
  test('shows the level of each input, and finds nothing wrong with a button that nobody has pressed yet', async () => {
    expect(await inputsOf([CONTACT, BUTTON, LID])).toMatchObject({
      verdict: 'ok',
      found: '0 (Gate closed) closed, level low; 1 (Exit) released, level high; 2 (Lid) closed, level low',
    });
  });

  test('hints at a contact that has never changed since the start', async () => {
    expect(await inputsOf([{ ...CONTACT, hasChanged: false }, BUTTON])).toMatchObject({
      verdict: 'warn',
      found: expect.stringContaining('never changed since the start: "Gate closed"'),
      cure: 'open and close it once, and look again',
    });
  });

  test('finds a button that is pressed since the start, long before it counts as stuck', async () => {
    expect(await inputsOf([CONTACT, { ...BUTTON, state: 'pressed', level: 'low' }])).toMatchObject({
      verdict: 'fail',
      found: expect.stringMatching(/^Pressed since the start: "Exit"\. Inputs: .*1 \(Exit\) pressed, level low/),
      cure: expect.stringMatching(/wiring.*activeLevel/),
    });
  });

  test.each(['input-flapping', 'button-stuck', 'input-unread'])('tells of %s here and nowhere else', async (code) => {
    const findings = await found([CONTACT, BUTTON], (machine) =>
      machine.status?.faults.push({ code, text: 'Input 1 (Exit) is ill.' }),
    );
    expect(findings.get('inputs')).toMatchObject({
      verdict: 'fail',
      found: expect.stringMatching(/^Input 1 \(Exit\) is ill\. /),
    });
    expect(findings.get('faults')).toMatchObject({ verdict: 'ok' });
  });

  test('has nothing to say where none means anything, and knows nothing without the guard', async () => {
    expect(await inputsOf(undefined)).toMatchObject({ verdict: 'ok' });
    const away = (machine: PlayedMachine) =>
      Object.assign(machine.status ?? {}, { guard: { isReachable: false, problem: 'no answer' } });
    expect(await inputsOf([CONTACT], away)).toMatchObject({ verdict: 'warn', cure: 'see "programs"' });
    expect(await inputsOf([CONTACT], (machine) => Object.assign(machine, { status: null }))).toMatchObject({
      verdict: 'warn',
    });
  });

  test('says it in French', async () => {
    const pressed: InputStatus = { ...BUTTON, state: 'pressed', level: 'low' };
    const finding = await inputsOf([CONTACT, pressed], () => {}, 'fr');
    expect(finding).toMatchObject({
      name: 'entrées',
      found:
        'Appuyé depuis le démarrage : « Exit ». ' +
        'Entrées : 0 (Gate closed) fermé, niveau bas ; 1 (Exit) appuyé, niveau bas',
    });
  });
});
