import type { LinkCause, LinkProblem } from '../../agent/link/link-problem';
import { isWithin } from '../en/link';

/** Why there is no link, in French. */
const WORDS: Record<Exclude<LinkCause, 'other'>, string> = {
  'not-tried': 'pas encore essayée',
  'name-unknown': 'le nom du serveur est inconnu du réseau',
  'no-name-server': 'aucun serveur de noms ne répond : l’appareil est-il sur un réseau ?',
  'no-way': 'aucun chemin vers le serveur depuis ce réseau',
  'nothing-listens': 'refusée : rien n’écoute à l’adresse et au port du serveur',
  silent: 'le serveur ne répond pas',
  'no-handshake': 'la liaison ne s’établit pas à temps',
  'gone-silent': 'le serveur ne donne plus signe de vie',
  broken: 'la connexion s’est rompue',
  'no-tls': 'ce qui écoute là ne parle pas TLS',
  'not-trusted': 'le certificat du serveur n’est pas reconnu',
  'other-name': 'le certificat du serveur porte un autre nom',
  expired: 'le certificat du serveur a expiré, ou l’horloge de l’appareil avance',
  'clock-behind': 'le certificat du serveur n’est pas encore valable : vérifiez l’horloge de l’appareil',
  'no-relaygate': 'ce qui répond là n’est pas un serveur Relaygate',
  'other-server': 'le serveur porte un autre nom que dans les réglages',
  'epoch-too-far': 'l’époque de liaison du serveur est trop loin au-dessus de la précédente',
  'server-away': 'le serveur s’est arrêté',
  'server-restarts': 'le serveur redémarre',
  'not-accepted': 'le serveur refuse cet appareil : produit, code d’inscription ou clé',
  'gave-up': 'le serveur n’a pas attendu cet appareil',
  replaced: 'une autre liaison avec la clé de cet appareil a pris la place',
  revoked: 'cet appareil a été révoqué sur le serveur',
  'too-often': 'cet appareil s’est relié trop souvent ; le serveur le fait attendre',
  'try-later': 'le serveur ne peut pas prendre la liaison maintenant',
};

export function linkTextInFrench({ cause, details }: LinkProblem): string {
  if (cause === 'other') return details;
  return details === '' || isWithin(cause) ? WORDS[cause] : `${WORDS[cause]} (${details})`;
}
