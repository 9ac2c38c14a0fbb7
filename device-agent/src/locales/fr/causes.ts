import type { Cause } from '../../runtime/cause';
import type { Translated } from '../catalogue';
import type { CAUSES as ENGLISH } from '../en/causes';
import { causeIn } from '../sentence';

/** Modbus exceptions. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'elle ne connaît pas la fonction',
  2: 'elle n’a pas cette bobine',
  3: 'elle ne prend pas la valeur',
  4: 'elle est en panne',
  6: 'elle est occupée',
};

const OWN: Translated<typeof ENGLISH> = {
  'of-port': '{path} : {problem}',
  several: ({ problems }) => problems.join(' ; '),
  'board-late': 'pas de réponse en {ms} ms',
  'no-line': 'la carte n’a pas de ligne {line}',
  'no-input': 'la carte n’a pas d’entrée {input}',
  'not-lcus': 'elle ne répond pas comme une carte LCUS à {relays} relais',
  'unit-silent': 'la carte à l’adresse {address} ne répond pas',
  'unit-bad-crc': 'la carte à l’adresse {address} n’a pas été comprise : son CRC est faux',
  'unit-garbled': 'la carte à l’adresse {address} n’a pas été comprise : {bytes} octets qui ne sont pas une réponse',
  'unit-refuses': ({ address, exception }) =>
    `la carte à l’adresse ${address} refuse : ${EXCEPTIONS[exception] ?? `exception ${exception}`}`,
  'pulse-too-short': 'une impulsion sur ce bus doit durer {ms} ms au moins, sinon sa carte la confirme trop tard',
  'unit-lacks-input': 'la carte à l’adresse {address} refuse : elle n’a pas cette entrée',
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
  'port-in-use': 'un autre programme l’a ouvert',
  'port-not-open': 'le port n’est pas ouvert',
  'port-closed': 'le port est fermé',
  'port-opening': 'son ouverture dure trop longtemps',
  'port-hangs': 'le port ne prend pas d’octets',
  'not-understood': 'la réponse de la carte n’a pas été comprise',
  'newer-order': 'un ordre plus récent est venu avant',
  'disk-silent': 'le disque ne répond pas',
};

/** The system's most frequent errors, by its own codes. */
const SYSTEM = {
  EACCES: 'accès refusé (EACCES)',
  EIO: 'erreur d’entrée-sortie (EIO)',
  ENOENT: 'introuvable (ENOENT)',
  ENOSPC: 'plus de place sur le disque (ENOSPC)',
  EPERM: 'accès refusé (EPERM)',
  EROFS: 'disque en lecture seule (EROFS)',
};

export const CAUSES = { ...OWN, ...SYSTEM };

export function causeInFrench(cause: Cause): string {
  return causeIn(CAUSES, cause);
}
