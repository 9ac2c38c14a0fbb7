/** What inputs mean, as people change it: for the next start of the guard. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { withInput } from '@relaygate/device-agent/agent/settings/input-change';
import type { InputsReply } from '@relaygate/device-agent/agent/technician/local-messages/inputs';
import { FR } from '@relaygate/device-agent/locales/fr';
import { causeOf } from '@relaygate/device-agent/runtime/problem';
import { AgentInMemory, SETTINGS_PATH } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';

const CONTACT = { kind: 'contact', name: 'Gate closed' };
const EXIT = { kind: 'button', name: 'Exit', output: 2, action: 'pulse' };

let device: AgentInMemory;
const change = (numInput: number, wish: object | null) => device.localRequest('input', { numInput, change: wish });
async function restartGuard(): Promise<void> {
  device.killGuard();
  await device.passed(10);
  device.renewBoard();
  device.board.inputLevel = () => 'high';
  await device.startGuard(1_000);
}

beforeEach(async () => {
  device = new AgentInMemory();
  device.board.inputLevel = () => 'high';
  await device.start();
});

describe('a change of what an input means', () => {
  test('stands in the settings, and is in force once the guard is restarted', async () => {
    expect(await change(2, EXIT)).toEqual({
      numInput: 2,
      before: null,
      after: { ...EXIT, numInput: 2 },
      mustRestart: true,
    });
    expect(device.onDisk().inputs).toEqual([{ ...EXIT, numInput: 2 }]);
    expect(await device.faultCodes()).toEqual(['inputs-not-in-force']);
    expect(await device.localRequest('inputs', {})).toEqual({ inputs: device.onDisk().inputs, mustRestart: true });
    await restartGuard();
    expect(await device.faultCodes()).toEqual([]);
    expect(await device.localRequest('inputs', {})).toEqual({ inputs: device.onDisk().inputs, mustRestart: false });
    expect(await device.status()).toMatchObject({ inputs: [{ numInput: 2, name: 'Exit' }] });
  });

  test('stands in the history and in the log, in the name of whoever did it', async () => {
    await change(0, CONTACT);
    expect(await device.historyEntries({ limit: 100 })).toMatchObject([
      {
        actor: 'a test',
        kind: 'input',
        changes: expect.arrayContaining([{ member: 'inputs.0.name', from: null, to: 'Gate closed' }]),
      },
    ]);
    expect(await device.logged('settings')).toContain(
      'input 0: nothing -> contact (name Gate closed) by a test, from the next start of the guard on',
    );
  });

  test('stands in the history by the number of the input, wherever that stands in the file', async () => {
    await change(2, EXIT);
    await change(0, CONTACT);
    await change(2, null);
    const entries = await device.historyEntries({ limit: 1 });
    expect(entries).toMatchObject([{ kind: 'input' }]);
    const members = entries.flatMap(({ changes }) => changes.map(({ member }) => member));
    expect(members).toContain('inputs.2.kind');
    expect(members.filter((member) => !member.startsWith('inputs.2.'))).toEqual([]);
  });

  test('leaves what it does not name, and takes what only buttons have from a contact', async () => {
    await change(2, EXIT);
    await change(2, { debounceMs: 80, obeysLocks: false });
    expect(device.onDisk().inputs).toEqual([{ ...EXIT, numInput: 2, debounceMs: 80, obeysLocks: false }]);
    await change(2, { kind: 'tamper', name: ' Lid ' });
    expect(device.onDisk().inputs).toEqual([{ kind: 'tamper', numInput: 2, name: 'Lid', debounceMs: 80 }]);
  });

  test('can be taken back, and nothing is to be restarted for it then', async () => {
    await change(2, EXIT);
    expect(await change(2, null)).toMatchObject({ after: null, mustRestart: false });
    expect(device.onDisk()).not.toHaveProperty('inputs');
    expect(await device.faultCodes()).toEqual([]);
  });

  test('leaves outputs free to be changed, and their change leaves it', async () => {
    await change(0, CONTACT);
    await device.changeOutput(2, { pulseMs: 750 });
    expect(device.onDisk()).toMatchObject({ inputs: [CONTACT], outputs: [{}, {}, { pulseMs: 750 }, {}] });
  });

  test.each<[string, number, object | null, string]>([
    ['without a kind and a name', 0, {}, 'Input 0 needs kind, name too'],
    ['a button without output', 0, { kind: 'button', name: 'Exit' }, 'Input 0 needs output, action too'],
    ['an output of a contact', 0, { ...CONTACT, output: 1 }, 'output is for buttons'],
    ['of an output that is not there', 0, { ...EXIT, output: 9 }, 'output is 9, but there are 4 outputs'],
    ['a pulse of an on-off output', 0, { ...EXIT, output: 0 }, 'action is pulse, which is for impulse outputs'],
    ['a time that no button has', 0, { ...EXIT, debounceMs: 1 }, 'debounce-ms is a whole number from'],
    ['a name that shows nothing', 0, { ...CONTACT, name: ' ' }, 'name must show something'],
    ['to be taken where there is none', 5, null, 'Input 5 has no meaning that could be removed'],
  ])('is refused: %s', async (_, numInput, wish, message) => {
    const before = device.onDisk();
    await expect(change(numInput, wish)).rejects.toMatchObject(errorWith('out-of-range', message));
    expect(device.onDisk()).toEqual(before);
    expect(await device.faultCodes()).toEqual([]);
  });

  test('is refused with a cause that each language has a sentence for', async () => {
    let refusal: unknown;
    try {
      withInput(device.onDisk(), 0, { ...CONTACT, kind: 'contact', debounceMs: 1 });
    } catch (error) {
      refusal = error;
    }
    expect(FR.causeText(causeOf(refusal))).toContain('debounceMs : doit être au moins');
  });

  test('that cannot be saved is refused', async () => {
    device.files.failing.set(SETTINGS_PATH, 'ENOSPC');
    await expect(change(0, CONTACT)).rejects.toThrow('nothing was changed');
    expect(device.onDisk()).not.toHaveProperty('inputs');
    expect(await device.localRequest('inputs', {})).toEqual({ inputs: [], mustRestart: false });
  });

  test('does not overwrite what a hand has edited since', async () => {
    device.files.texts.set(SETTINGS_PATH, '{"edited": true}');
    await expect(change(0, CONTACT)).rejects.toThrow('edited');
  });

  test('is offered with the outputs of the board that is chosen, as it is judged by them', async () => {
    await device.localRequest('board', {
      board: { kind: 'gpio', lines: [5, 6, 7, 8, 9], inputs: [{ line: 17 }] },
      relays: ['A', 'B', 'C', 'D', 'Lamp'],
      activeLevel: 'high',
    });
    const { form } = (await device.localRequest('inputs', { language: 'en' })) as InputsReply;
    const choices = form?.fields.find(({ member }) => member === 'output')?.choices.map(([number]) => Number(number));
    expect(choices).toEqual([0, 1, 2, 3, 4]);
    expect(await change(0, { ...EXIT, output: choices?.at(-1) })).toMatchObject({ after: { output: 4 } });
  });
});

test('until the restart, an output keeps the limit that a button which holds it on needs', async () => {
  await device.changeOutput(0, { maxOnMs: 5_000 });
  await change(2, { ...EXIT, output: 0, action: 'hold' });
  await restartGuard();
  await change(2, null);
  const endless = { numOutput: 0, change: { maxOnMs: 0 }, force: false };
  await expect(device.localRequest('output', endless)).rejects.toMatchObject(
    errorWith('out-of-range', 'action is hold, and output 0 has no maxOnMs'),
  );
  await restartGuard();
  await device.localRequest('output', endless);
});
