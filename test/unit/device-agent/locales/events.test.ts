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
const EXECUTED = { outcome: 'executed', reason: null };
const CHANGES = [
  { member: 'pulseMs', from: 500, to: 750 },
  { member: 'mode', from: 'on-off', to: 'impulse' },
  { member: 'feedbackInput', from: null, to: 2 },
];
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

const TOLD: [string, Happened][] = [
  ['set 3 on par Zoe : refusé (sortie verrouillée pour maintenance)', happened('command', SAMPLES.command)],
  ['toggle 1 par le serveur : fait', happened('command', { command: 'toggle 1', by: 'the server', ...EXECUTED })],
  ['pulse 1 : fait', happened('command', { command: 'pulse 1', by: null, ...EXECUTED })],
  ['commande c1 par le serveur : fait', happened('command', { command: 'command c1', by: 'the server', ...EXECUTED })],
  [
    'clics de la sortie 1 par Zoe : inconnu (aucune réponse)',
    happened('click', { numOutput: 1, by: 'Zoe', outcome: 'unknown', reason: 'outcome-unknown' }),
  ],
  [
    'pulse 1 par le bouton Exit : sans effet, une impulsion est en cours',
    happened('command', { command: 'pulse 1', by: 'button Exit', outcome: 'ignored', reason: null }),
  ],
  ['sortie 3 coupée : maxOnMs est écoulé', happened('policy-off', SAMPLES['policy-off'])],
  ['service des relais absent : il ne tourne pas', happened('guard-away', { problem: cause('not-running', {}) })],
  [
    'terminé : La carte de relais est absente : la carte à l’adresse 7 ne répond pas.',
    happened('fault-over', { causes: {}, ...fault('board-away', { problem: cause('unit-silent', { address: 7 }) }) }),
  ],
  [
    'sortie 3 verrouillée pendant 2 h par relayctl as Zoe, en vigueur, non enregistré : le disque ne répond pas',
    happened('locked', { ...SAMPLES.locked, unsaved: cause('disk-silent', {}) }),
  ],
  [
    "sortie 3 : Durée d'impulsion 500 ms -> 750 ms, Mode marche-arrêt -> impulsion, feedbackInput aucun -> 2 par relayctl as Zoe",
    happened('output-changed', { numOutput: 3, changes: CHANGES, actor }),
  ],
  [
    'entrée 3 : sans rôle -> bouton (Nom : Exit, Numéro de sa sortie : 2, Quand on appuie : activée tant qu’on appuie) par relayctl as Zoe, dès le prochain démarrage du service des relais',
    happened('input-changed', SAMPLES['input-changed']),
  ],
  [
    'carte simulated -> gpio, lignes 26, 20 par relayctl as Zoe, dès le prochain démarrage',
    happened('board-changed', SAMPLES['board-changed']),
  ],
];
test.each(TOLD)('%s', (french, event) => {
  expect(inFrench(event)).toBe(french);
});

test('a lock that the guard does not know of yet says so in both languages', () => {
  const waiting = happened('unlocked', { ...LOCK, isWaiting: true });
  expect(waiting.text).toBe('output 3 unlocked by relayctl as Zoe, in force once the guard answers');
  expect(inFrench(waiting)).toBe(
    'sortie 3 déverrouillée par relayctl as Zoe, en vigueur dès que le service des relais répond',
  );
});
