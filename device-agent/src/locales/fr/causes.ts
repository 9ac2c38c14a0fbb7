import type { FailureCode, GuardAwayCode } from '../../runtime/failure-code';
import { failureText } from '../sentence';

const CAUSES: Readonly<Record<FailureCode | GuardAwayCode, string>> = {
  'not-tried': 'pas encore essayé',
  'no-answer': 'pas de réponse',
  'hung-up': 'il a fermé la connexion',
  'not-running': 'il ne tourne pas',
  'socket-not-ours': 'son socket n’est pas pour cet utilisateur',
  unplugged: 'débranché',
  'not-there': 'introuvable',
  'not-in-dialout': 'accès refusé : son programme doit tourner dans le groupe dialout',
  'chip-gone': 'sa puce GPIO a disparu',
  'board-closed': 'la carte est fermée',
  'board-silent': 'la carte ne répond pas',
  'reads-high': 'la ligne est au niveau haut',
  'reads-low': 'la ligne est au niveau bas',
  'not-open-yet': 'pas encore ouvert',
  'port-taken': 'un autre programme l’a ouvert',
  'port-not-open': 'le port n’est pas ouvert',
  'port-closed': 'le port est fermé',
  'port-opening': 'son ouverture dure trop longtemps',
  'port-hangs': 'le port ne prend pas d’octets',
  'not-understood': 'la réponse de la carte n’a pas été comprise',
  'disk-silent': 'le disque ne répond pas',
};

/** What the system says most often, by its own code. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'accès refusé',
  EIO: 'erreur d’entrée-sortie',
  ENOENT: 'introuvable',
  ENOSPC: 'plus de place sur le disque',
  EPERM: 'accès refusé',
  EROFS: 'disque en lecture seule',
};

/** What nobody has put into words here, such as another system's error, stays as it is. */
export function causeInFrench(cause: string): string {
  const own = failureText(cause, CAUSES);
  if (own !== cause) return own;
  const code = /^E[A-Z]+\b/.exec(cause)?.[0] ?? '';
  const words = SYSTEM[code];
  return words === undefined ? cause : `${words} (${code})`;
}
