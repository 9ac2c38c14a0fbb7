import { PHRASES } from '../en/phrases';

const WORDS: Record<keyof typeof PHRASES, string> = {
  guardNotTried: 'pas encore essayé',
  noAnswer: 'pas de réponse',
  hungUp: 'il a fermé la connexion',
  notRunning: 'il ne tourne pas',
  socketNotOurs: 'son socket n’est pas pour cet utilisateur',
  unplugged: 'débranché',
  notThere: 'introuvable',
  notItsGroup: 'accès refusé : son programme doit tourner dans le groupe dialout',
  chipGone: 'sa puce GPIO a disparu',
  boardClosed: 'la carte est fermée',
  boardSilent: 'la carte ne répond pas',
  notOpenYet: 'pas encore ouvert',
  taken: 'un autre programme l’a ouvert',
  portNotOpen: 'le port n’est pas ouvert',
  portClosed: 'le port est fermé',
  portOpening: 'son ouverture dure trop longtemps',
  portHangs: 'le port ne prend pas d’octets',
  notUnderstood: 'la réponse de la carte n’a pas été comprise',
  diskSilent: 'le disque ne répond pas',
  journal: 'Le journal des commandes',
};
const BY_ENGLISH: ReadonlyMap<string, string> = new Map(
  // Object.entries knows no more of its keys.
  Object.entries(WORDS).map(([key, words]) => [PHRASES[key as keyof typeof PHRASES], words]),
);

/** What the system says most often. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'accès refusé',
  EIO: 'erreur d’entrée-sortie',
  ENOENT: 'introuvable',
  ENOSPC: 'plus de place sur le disque',
  EPERM: 'accès refusé',
  EROFS: 'disque en lecture seule',
};

/** A reason within a sentence. What nobody has put into words here, such as another system's error, stays as it is. */
export function phraseInFrench(phrase: string): string {
  const known = BY_ENGLISH.get(phrase);
  if (known !== undefined) return known;
  const code = /^E[A-Z]+\b/.exec(phrase)?.[0] ?? '';
  const words = SYSTEM[code];
  return words === undefined ? phrase : `${words} (${code})`;
}
