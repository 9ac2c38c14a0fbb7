/** Reasons and faults in the language that was asked for, from a real agent. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { HistoryReply } from '@relaygate/device-agent/agent/technician/local-messages/history';
import { cause } from '@relaygate/device-agent/runtime/problem';
import { CLOSE } from '@relaygate/shared';
import { AgentInMemory, CODE_PATH, HISTORY_PATH, LOCKS_PATH } from '../../../support/device/agent-in-memory';

let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});

describe('the faults', () => {
  test('are told in English unless French is asked for, under the same code', async () => {
    device.files.texts.set(CODE_PATH, 'not a code!');
    device.files.texts.set(LOCKS_PATH, 'no locks');
    await device.startAgent(3_000);
    const english = (await device.status()).faults;
    expect(english).toEqual([
      { code: 'guard-away', text: 'The guard is away: it does not run.' },
      {
        code: 'locks-corrupt',
        text: `${LOCKS_PATH} is corrupt (kept aside as ${LOCKS_PATH}.corrupt-1): all outputs are locked; see "relayctl unlock".`,
      },
      { code: 'code-useless', text: `${CODE_PATH} holds no enrolment code, or a mistyped one; it is not sent.` },
    ]);
    expect((await device.status({ language: 'en' })).faults).toEqual(english);
    const french = (await device.status({ language: 'fr' })).faults;
    expect(french.map(({ code }) => code)).toEqual(english.map(({ code }) => code));
    expect(french.map(({ text }) => text)).toEqual([
      'Le service des relais est absent : il ne tourne pas.',
      `${LOCKS_PATH} est corrompu (mis de côté sous ${LOCKS_PATH}.corrupt-1) : toutes les sorties sont verrouillées ; voir « relayctl unlock ».`,
      `${CODE_PATH} ne contient pas de code d’inscription, ou contient un code mal recopié ; rien n’est envoyé.`,
    ]);
    expect((await device.status({ language: 'fr' })).guard.problem).toBe('il ne tourne pas');
  });

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
