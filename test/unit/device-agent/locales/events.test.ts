/** What the log tells is said in each language, with the same values. */
import { expect, test } from '@jest/globals';
import { type Happened, happened } from '@relaygate/device-agent/agent/history/happened';
import { FR } from '@relaygate/device-agent/locales/fr';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import { fault } from '@relaygate/device-agent/runtime/fault';
import { cause } from '@relaygate/device-agent/runtime/problem';

type Code = Parameters<typeof happened>[0];

const actor = 'relayctl as zzz';
const became = { outcome: 'refused', reason: 'locked' };
const BUTTON = { kind: 'button', numInput: 3, name: 'zzz', output: 2, action: 'hold' } as const;
const LOCK = { numOutput: 3, actor, isWaiting: false };
const FAULT = { causes: {}, ...fault('board-away', { problem: cause('unit-silent', { address: 7 }) }) };
/** A code that lacks here does not compile. */
const SAMPLES: { [One in Code]: Parameters<typeof happened<One>>[1] } = {
  'agent-started': { version: '1.2.3' },
  'guard-reached': {},
  'guard-away': { problem: cause('not-running', {}) },
  'link-up': { epoch: 7 },
  'link-down': { problem: { cause: 'expired', details: 'zzz' } },
  'no-link': { problem: { cause: 'silent', details: '' } },
  command: { command: 'set 3 on', by: 'zzz', ...became },
  click: { numOutput: 3, by: 'zzz', ...became },
  'policy-off': { numOutput: 3, policy: 'max-on' },
  'fault-begun': FAULT,
  'fault-over': FAULT,
  'output-changed': { numOutput: 3, changes: [{ member: 'pulseMs', from: 500, to: 750 }], actor },
  'input-changed': { numInput: 3, before: null, after: BUTTON, actor, mustRestart: true },
  'board-changed': {
    before: { kind: 'simulated' },
    after: { kind: 'gpio', lines: [26, 20] },
    actor,
    mustRestart: true,
  },
  'wiring-proven': { by: 'zzz', actor },
  locked: { ...LOCK, forMs: 7_200_000, unsaved: null },
  unlocked: LOCK,
  'lock-ended': { numOutput: 3 },
  'new-pin': { actor },
  'page-on': { forMs: 7_200_000, hasWifi: true, actor },
  'page-off': { actor },
  'page-time-over': {},
  'page-certificate': { fingerprint: 'AA:BB', before: 'CC:DD' },
  'wrong-pin': { from: '192.0.2.7' },
  'logged-in': { actor },
};
const CODES = Object.entries(SAMPLES).map(([code, values]) => [code, happened(code as Code, values as never)] as const);
const numbers = (text: string): string => (text.match(/\d+/g) ?? []).sort().join();

/** As it is read from the file of the log. */
function inFrench(what: Happened): string | null {
  const { code, values }: Happened = JSON.parse(JSON.stringify(what));
  return sentenceOf({ code, values }, FR.events ?? {}, FR.causeText);
}

test.each(CODES)('%s has the same values in both languages', (_, what) => {
  const french = inFrench(what) ?? '';
  expect(french).not.toBe(what.text);
  expect(numbers(french)).toBe(numbers(what.text));
  for (const said of [what.text, french]) expect(said).not.toMatch(/undefined|null|\[object|NaN|[{}]|^$/);
  for (const value of ['zzz', 'AA:BB', 'CC:DD', 'set 3 on', 'gpio', 'simulated'])
    expect(french.includes(value)).toBe(what.text.includes(value));
});

test('outcomes, reasons and causes within an event are told in the reader’s language', () => {
  expect(inFrench(happened('command', SAMPLES.command))).toBe(
    'set 3 on par zzz : refusé (sortie verrouillée pour maintenance)',
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
  expect(inFrench(happened('click', { numOutput: 1, by: 'zzz', ...unanswered }))).toBe(
    'clics de la sortie 1 par zzz : inconnu (aucune réponse)',
  );
  const ignored = { outcome: 'ignored', reason: null };
  expect(inFrench(happened('command', { command: 'pulse 1', by: 'button Exit', ...ignored }))).toBe(
    'pulse 1 par le bouton Exit : sans effet, une impulsion est en cours',
  );
  expect(inFrench(happened('policy-off', SAMPLES['policy-off']))).toBe('sortie 3 coupée : maxOnMs est écoulé');
  expect(inFrench(happened('fault-over', FAULT))).toBe(
    'terminé : La carte de relais est absente : la carte à l’adresse 7 ne répond pas.',
  );
  const unsaved = cause('disk-silent', {});
  expect(inFrench(happened('locked', { ...SAMPLES.locked, unsaved }))).toBe(
    'sortie 3 verrouillée pendant 2 h par relayctl as zzz, en vigueur, non enregistré : le disque ne répond pas',
  );
  expect(inFrench(happened('output-changed', SAMPLES['output-changed']))).toBe(
    "sortie 3 : Durée d'impulsion 500 ms -> 750 ms par relayctl as zzz",
  );
  const changes = [
    { member: 'mode', from: 'on-off', to: 'impulse' },
    { member: 'feedbackInput', from: null, to: 2 },
  ];
  expect(inFrench(happened('output-changed', { numOutput: 3, changes, actor }))).toBe(
    'sortie 3 : Mode marche-arrêt -> impulsion, feedbackInput aucun -> 2 par relayctl as zzz',
  );
  expect(inFrench(happened('input-changed', SAMPLES['input-changed']))).toBe(
    'entrée 3 : sans rôle -> bouton (Nom : zzz, Numéro de sa sortie : 2, Quand on appuie : activée tant qu’on appuie) par relayctl as zzz, dès le prochain démarrage du service des relais',
  );
});

test('a board is named in the reader’s language', () => {
  expect(inFrench(happened('board-changed', SAMPLES['board-changed']))).toBe(
    'carte simulated -> gpio, lignes 26, 20 par relayctl as zzz, dès le prochain démarrage',
  );
});

test('a lock that the guard does not know of yet says so in both languages', () => {
  const waiting = happened('unlocked', { ...LOCK, isWaiting: true });
  expect(waiting.text).toBe('output 3 unlocked by relayctl as zzz, in force once the guard answers');
  expect(inFrench(waiting)).toBe(
    'sortie 3 déverrouillée par relayctl as zzz, en vigueur dès que le service des relais répond',
  );
});
