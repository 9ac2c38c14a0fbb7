import type { DeviceReason } from '@relaygate/shared';
import { type CommonTranslations, known, THE_SERVER } from '../common';

/** Errors that stand in log and history as reasons, too. */
type KnownError =
  | 'guard-unreachable'
  | 'outcome-unknown'
  | 'out-of-range'
  | 'output-active'
  | 'output-not-found'
  | 'refused'
  | 'unproven';

export const ERRORS: Record<KnownError, string> = {
  'guard-unreachable': 'Le service des relais ne répond pas.',
  'outcome-unknown': 'Aucune réponse : cela a pu se faire. Regardez avant de recommencer.',
  'out-of-range': 'Valeur hors limites.',
  'output-active': 'La sortie est activée ou occupée : coupez-la d’abord.',
  'output-not-found': 'Cette sortie n’existe pas.',
  refused: 'L’appareil a refusé.',
  unproven: 'Fait, pour autant que l’appareil le sache, mais non prouvé : regardez avant de recommencer.',
};

/** Said of commands, presses and pulses, in brackets: each names what it is about. */
const REASONS: Record<DeviceReason | KnownError, string> = {
  'no-such-output': 'sortie inexistante',
  'not-an-impulse-output': 'pas une sortie à impulsion',
  'bad-command': 'commande sans état',
  'no-time-sync': 'heure du serveur inconnue',
  locked: 'sortie verrouillée pour maintenance',
  busy: 'trop de commandes en attente',
  superseded: 'liaison remplacée',
  overtaken: 'une commande plus récente l’emporte',
  stopped: 'arrêt demandé sur place',
  'other-pulse': 'une autre impulsion est en cours',
  'board-failed': 'carte de relais en panne',
  'board-away': 'carte de relais absente',
  'journal-failed': 'impossible à noter avant d’agir',
  'guard-unreachable': 'service des relais absent',
  'guard-refused': 'refusé par le service des relais',
  'not-proven': 'câblage non prouvé, ou en cours de vérification',
  'guard-stopping': 'service des relais en arrêt',
  'switched-too-soon': 'sortie commutée trop récemment',
  'policy-off': 'sortie coupée par une règle',
  interlocked: 'son verrouillage mutuel est actif',
  'interlock-delay': 'délai du verrouillage mutuel trop long',
  'interlock-unread': 'carte de relais illisible, verrouillage mutuel refusé',
  'interlock-broken': 'verrouillage mutuel interrompu',
  'state-not-saved': 'une coupure de courant peut l’annuler',
  'feedback-missing': 'pas de retour',
  'feedback-stuck': 'entrée de retour bloquée',
  'ended-by-stop': 'impulsion arrêtée sur place',
  'ended-by-policy': 'impulsion terminée par une règle',
  'outcome-unknown': 'aucune réponse',
  'out-of-range': 'valeur hors limites',
  'output-active': 'sortie activée ou occupée',
  'output-not-found': 'sortie inexistante',
  refused: 'refusé par l’appareil',
  unproven: 'non prouvé',
};

export function reasonInFrench(word: string): string {
  const other = word.replace(/^presses-missing-(\d+)$/, (_, n) => `${n} appui${n > 1 ? 's manquent' : ' manque'}`);
  return known(REASONS, word) ?? other.replaceAll('-', ' ');
}

export const actorInFrench = (name: string): string =>
  name === THE_SERVER ? 'le serveur' : name.replace(/^button /, 'le bouton ');

export const COMMON: CommonTranslations = {
  reason: reasonInFrench,
  outcomes: {
    executed: 'fait',
    ignored: 'sans effet, une impulsion est en cours',
    'already-set': 'déjà ainsi',
    refused: 'refusé',
    unproven: 'non prouvé',
    expired: 'trop tard',
    unknown: 'inconnu',
    proven: 'prouvé',
  },
  kinds: {
    board: 'carte de relais',
    button: 'appui sur un bouton',
    'by-hand': 'fichier modifié à la main',
    click: 'clic pour la preuve',
    input: 'rôle d’une entrée',
    'known-later': 'su plus tard',
    lock: 'verrouiller',
    'not-confirmed': 'pas confirmé',
    'not-done': 'pas fait',
    'not-in-file': 'absent du fichier',
    output: 'réglage',
    pin: 'code PIN',
    proof: 'preuve du câblage',
    pulse: 'impulsion',
    stop: 'fin d’une impulsion',
    'set-off': 'couper',
    'set-on': 'activer',
    unlock: 'déverrouiller',
    'web-off': 'page web arrêtée',
    'web-on': 'page web activée',
    'web-on-wifi': 'page web activée, avec un Wi-Fi',
  },
  inputKinds: { contact: 'contact', button: 'bouton', tamper: 'contact anti-effraction' },
  inputStates: { open: 'ouvert', closed: 'fermé', pressed: 'appuyé', released: 'relâché', unknown: 'inconnu' },
  forSoLong: (time) => `depuis ${time}`,
  noHistory: 'Rien n’a encore été fait sur cet appareil.',
  noFaults: 'Aucun défaut.',
  none: 'aucun',
};
