import type { HistoryChange } from '@relaygate/shared';
import type { InputSettings } from '@relaygate/shared/device';
import type { PolicyOff } from '../../guard/protocol';
import { boardText } from '../../provisioning/boards/board-facts';
import type { Translated } from '../catalogue';
import { known } from '../common';
import type { EVENTS as ENGLISH, Outcome } from '../en/events';
import { faultText } from '../fault-text';
import { inputValueInWords } from '../input-words';
import { actorInFrench, COMMON } from './common';
import { CONSOLE } from './console';
import { FAULTS } from './faults';
import { linkTextInFrench } from './link';
import { anyCauseInFrench } from './refusals';

const FRENCH = { faults: FAULTS, causeText: anyCauseInFrench };
const POLICIES: Readonly<Record<PolicyOff, string>> = {
  'max-on': 'maxOnMs est écoulé',
  'link-loss': 'pas de liaison pendant linkLossMs',
  'agent-loss': 'rien de l’agent pendant agentLossMs',
  interlock: 'une autre sortie de son verrouillage mutuel est à activer',
};
const WAITS = ', en vigueur dès que le service des relais répond';

export const EVENTS: Translated<typeof ENGLISH> = {
  'agent-started': 'agent {version} démarré',
  'guard-reached': 'le service des relais répond',
  'guard-away': 'service des relais absent : {problem}',
  'link-up': 'liaison établie (époque {epoch})',
  'link-down': ({ problem }) => `liaison coupée : ${linkTextInFrench(problem)}`,
  'no-link': ({ problem }) => `pas de liaison : ${linkTextInFrench(problem)}`,
  command: ({ command, by, ...became }) =>
    `${command.replace(/^command /, 'commande ')}${by === null ? '' : ` par ${actorInFrench(by)}`} : ${outcomeInFrench(became)}`,
  click: ({ numOutput, by, ...became }) => `clics de la sortie ${numOutput} par ${by} : ${outcomeInFrench(became)}`,
  'policy-off': ({ numOutput, policy }) => `sortie ${numOutput} coupée : ${POLICIES[policy]}`,
  'fault-begun': (fault) => faultText(fault, FRENCH),
  'fault-over': (fault) => `terminé : ${faultText(fault, FRENCH)}`,
  'output-changed': ({ numOutput, changes, actor }) =>
    `sortie ${numOutput} : ${changes.map(changeInFrench).join(', ')} par ${actor}`,
  'input-changed': ({ numInput, before, after, actor, mustRestart }) =>
    `entrée ${numInput} : ${inputInFrench(before)} -> ${inputInFrench(after)} par ${actor}${mustRestart ? ', dès le prochain démarrage du service des relais' : ''}`,
  'board-changed': ({ before, after, actor, mustRestart }) =>
    `carte ${boardText(before, CONSOLE.boardWords)} -> ${boardText(after, CONSOLE.boardWords)} par ${actor}${mustRestart ? ', dès le prochain démarrage' : ''}`,
  'wiring-proven': 'le câblage est prouvé par {by}, selon {actor}',
  locked: ({ numOutput, forMs, actor, isWaiting, unsaved }) =>
    `sortie ${numOutput} verrouillée pendant ${CONSOLE.duration(forMs)} par ${actor}${isWaiting ? WAITS : ''}${unsaved === null ? '' : `, en vigueur, non enregistré : ${unsaved}`}`,
  unlocked: ({ numOutput, actor, isWaiting }) =>
    `sortie ${numOutput} déverrouillée par ${actor}${isWaiting ? WAITS : ''}`,
  'lock-ended': 'sortie {numOutput} : son verrou a pris fin',
  'new-pin': 'nouveau code PIN, par {actor}',
  'page-on': ({ forMs, hasWifi, actor }) =>
    `page activée pendant ${CONSOLE.duration(forMs)}${hasWifi ? ', avec un Wi-Fi' : ''} par ${actor}`,
  'page-off': 'page arrêtée par {actor}',
  'page-time-over': 'page arrêtée : son temps est écoulé',
  'page-certificate':
    'la page a un nouveau certificat, SHA-256 {fingerprint}, avec la même clé ; les navigateurs avertissent encore une fois. Le précédent, qui expire bientôt : {before}',
  'wrong-pin': 'code PIN faux essayé depuis {from}',
  'logged-in': 'session ouverte : {actor}',
};

function outcomeInFrench({ outcome, reason }: Outcome): string {
  const became = known(COMMON.outcomes, outcome) ?? outcome;
  return reason === null ? became : `${became} (${COMMON.reason(reason)})`;
}

function changeInFrench({ member, from, to }: HistoryChange): string {
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = CONSOLE.choices;
  const [was, is] = [from, to].map((value) => {
    if (value === null) return COMMON.none;
    if (typeof value === 'boolean') return value ? 'oui' : 'non';
    const unit = typeof value === 'number' && member.endsWith('Ms') ? ' ms' : '';
    return known(choices[member] ?? {}, String(value)) ?? `${value}${unit}`;
  });
  return `${known(CONSOLE.members, member) ?? member} ${was} -> ${is}`;
}

function inputInFrench(input: InputSettings | null): string {
  if (input === null) return 'sans rôle';
  const { kind, numInput: _, ...members } = input;
  const words = Object.entries(members).map(
    ([member, value]) =>
      `${known(CONSOLE.inputMembers, member) ?? member} : ${inputValueInWords(CONSOLE, member, value)}`,
  );
  return `${COMMON.inputKinds[kind]} (${words.join(', ')})`;
}
