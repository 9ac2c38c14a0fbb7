/** What the log tells is said in each language, with the same values. */
import { expect, test } from '@jest/globals';
import { type Happened, happened } from '@relaygate/device-agent/agent/history/happened';
import type { ValuesOf } from '@relaygate/device-agent/locales/catalogue';
import { EVENTS } from '@relaygate/device-agent/locales/en/events';
import { FR } from '@relaygate/device-agent/locales/fr';
import { EVENTS as FRENCH } from '@relaygate/device-agent/locales/fr/events';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import { fault } from '@relaygate/device-agent/runtime/fault';
import { cause } from '@relaygate/device-agent/runtime/problem';
import { testCatalogue, WHY } from './both-languages';

type Events = ValuesOf<typeof EVENTS>;

const actor = 'relayctl as Zoe';
const became = { outcome: 'refused', reason: 'locked' };
const BUTTON = { kind: 'button', numInput: 3, name: 'Exit', output: 2, action: 'hold' } as const;
const LOCK = { numOutput: 3, actor, isWaiting: false };
const FAULT = { causes: {}, ...fault('board-away', { problem: WHY }) };
const SAMPLES = {
  'link-down': { problem: { cause: 'expired', details: 'X.509' } },
  'no-link': { problem: { cause: 'silent', details: '' } },
  command: { command: 'set 3 on', by: 'Zoe', ...became },
  click: { numOutput: 3, by: 'Zoe', ...became },
  'policy-off': { numOutput: 3, policy: 'max-on' },
  'fault-begun': FAULT,
  'fault-over': FAULT,
  'output-changed': { numOutput: 3, changes: [{ member: 'feedbackInput', from: null, to: 2 }], actor },
  'input-changed': { numInput: 3, before: null, after: BUTTON, actor, mustRestart: true },
  'board-changed': {
    before: { kind: 'simulated' },
    after: { kind: 'gpio', lines: [26, 20] },
    actor,
    mustRestart: true,
  },
  locked: { ...LOCK, forMs: 7_200_000, unsaved: null },
  unlocked: LOCK,
  'page-on': { forMs: 7_200_000, hasWifi: true, actor },
} satisfies Partial<Events>;

testCatalogue<Events>({
  english: EVENTS,
  french: FRENCH,
  samples: SAMPLES,
  say(code, values) {
    const event = happened(code, values);
    return [event.text ?? '', inFrench(event) ?? ''];
  },
});

/** As it is read from the file of the log. */
function inFrench(what: Happened): string | null {
  const { code, values }: Happened = JSON.parse(JSON.stringify(what));
  return sentenceOf({ code, values }, FR.events ?? {}, FR.causeText);
}

test('outcomes, reasons and causes within an event are told in the reader’s language', () => {
  expect(inFrench(happened('command', SAMPLES.command))).toBe(
    'set 3 on par Zoe : refusé (sortie verrouillée pour maintenance)',
  );
  const executed = { outcome: 'executed', reason: null };
  expect(inFrench(happened('command', { command: 'toggle 1', by: 'the server', ...executed }))).toBe(
    'toggle 1 par le serveur : fait',
  );
  expect(inFrench(happened('command', { command: 'pulse 1', by: null, ...executed }))).toBe('pulse 1 : fait');
  expect(inFrench(happened('command', { command: 'command c1', by: 'the server', ...executed }))).toBe(
    'commande c1 par le serveur : fait',
  );
  const unanswered = { outcome: 'unknown', reason: 'outcome-unknown' };
  expect(inFrench(happened('click', { numOutput: 1, by: 'Zoe', ...unanswered }))).toBe(
    'clics de la sortie 1 par Zoe : inconnu (aucune réponse)',
  );
  const ignored = { outcome: 'ignored', reason: null };
  expect(inFrench(happened('command', { command: 'pulse 1', by: 'button Exit', ...ignored }))).toBe(
    'pulse 1 par le bouton Exit : sans effet, une impulsion est en cours',
  );
  expect(inFrench(happened('policy-off', SAMPLES['policy-off']))).toBe('sortie 3 coupée : maxOnMs est écoulé');
  expect(inFrench(happened('guard-away', { problem: cause('not-running', {}) }))).toBe(
    'service des relais absent : il ne tourne pas',
  );
  const away = { causes: {}, ...fault('board-away', { problem: cause('unit-silent', { address: 7 }) }) };
  expect(inFrench(happened('fault-over', away))).toBe(
    'terminé : La carte de relais est absente : la carte à l’adresse 7 ne répond pas.',
  );
  const unsaved = cause('disk-silent', {});
  expect(inFrench(happened('locked', { ...SAMPLES.locked, unsaved }))).toBe(
    'sortie 3 verrouillée pendant 2 h par relayctl as Zoe, en vigueur, non enregistré : le disque ne répond pas',
  );
  const changes = [
    { member: 'pulseMs', from: 500, to: 750 },
    { member: 'mode', from: 'on-off', to: 'impulse' },
    { member: 'feedbackInput', from: null, to: 2 },
  ];
  expect(inFrench(happened('output-changed', { numOutput: 3, changes, actor }))).toBe(
    "sortie 3 : Durée d'impulsion 500 ms -> 750 ms, Mode marche-arrêt -> impulsion, feedbackInput aucun -> 2 par relayctl as Zoe",
  );
  expect(inFrench(happened('input-changed', SAMPLES['input-changed']))).toBe(
    'entrée 3 : sans rôle -> bouton (Nom : Exit, Numéro de sa sortie : 2, Quand on appuie : activée tant qu’on appuie) par relayctl as Zoe, dès le prochain démarrage du service des relais',
  );
});

test('a board is named in the reader’s language', () => {
  expect(inFrench(happened('board-changed', SAMPLES['board-changed']))).toBe(
    'carte simulated -> gpio, lignes 26, 20 par relayctl as Zoe, dès le prochain démarrage',
  );
});

test('a lock that the guard does not know of yet says so in both languages', () => {
  const waiting = happened('unlocked', { ...LOCK, isWaiting: true });
  expect(waiting.text).toBe('output 3 unlocked by relayctl as Zoe, in force once the guard answers');
  expect(inFrench(waiting)).toBe(
    'sortie 3 déverrouillée par relayctl as Zoe, en vigueur dès que le service des relais répond',
  );
});
