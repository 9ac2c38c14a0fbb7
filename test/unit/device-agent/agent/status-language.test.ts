/** Reasons and faults in the language that was asked for, from a real agent. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { HistoryReply } from '@relaygate/device-agent/agent/technician/local-messages/history';
import { cause } from '@relaygate/device-agent/runtime/problem';
import { CLOSE } from '@relaygate/shared';
import { AgentInMemory, HISTORY_PATH } from '../../../support/device/agent-in-memory';

let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});

describe('the faults', () => {
  test('of the guard are told in French too, those of the system with their own word', async () => {
    await device.start();
    device.board.answer = () => ({ kind: 'failed', problem: cause('unit-silent', { address: 3 }) });
    await device.localRequest('set', { numOutput: 0, state: 1 }).catch(() => {});
    await device.passed(1_000);
    const texts = (await device.status({ language: 'fr' })).faults.map(({ text }) => text);
    expect(texts.join()).toMatch(/La sortie 0 .*ne se laisse pas couper \(la carte à l’adresse 3 ne répond pas\)/);
  });

  test('of the history are told beside its entries', async () => {
    device.files.unreadable.set(HISTORY_PATH, 'EIO');
    await device.startAgent();
    const { faults } = (await device.localRequest('history', { limit: 5, language: 'fr' })) as HistoryReply;
    expect(faults).toMatchObject([
      { code: 'history-unreadable', text: expect.stringContaining('erreur d’entrée-sortie (EIO)') },
    ]);
  });
});

test('why there is no link is told with its cause in each language', async () => {
  await device.start();
  device.server.close(CLOSE.refused);
  await device.passed(200);
  const { link: english } = await device.status();
  expect(english).toMatchObject({ isUp: false, cause: 'not-accepted' });
  expect(english.problem).toMatch(/^the server refused this device/);
  const { link: french, faults } = await device.status({ language: 'fr' });
  const refused = 'le serveur refuse cet appareil : produit, code d’inscription ou clé';
  expect(french).toMatchObject({ cause: 'not-accepted', problem: refused });
  expect(faults).toEqual([{ code: 'not-linked', text: `Pas relié au serveur : ${refused}.` }]);
});
