import type { Translated } from '../catalogue';
import type { OF_MACHINES as ENGLISH } from '../en/findings-of-machines';
import type { Sentences } from '../findings';
import { AS_ROOT } from './as-root';

const UNSAVED =
  'réglages et états ne peuvent pas être enregistrés, donc les commandes finissent « non prouvé » ou sont refusées';
const FREE_SPACE = 'libérez de la place, par exemple avec « journalctl --vacuum-size=50M »';
const CARD_ILL = {
  means: 'la carte mémoire est peut-être en train de lâcher',
  cure: 'copiez le dossier de données, puis vérifiez ou remplacez la carte mémoire',
};
const USED = '{percent} % de sa vie au plus sont usés';
const REPLACE = 'remplacez-la avant qu’elle ne lâche';
const SUPPLY = {
  means: 'l’appareil peut redémarrer ou abîmer sa carte mémoire, surtout quand des relais se ferment',
  cure: 'prenez une alimentation faite pour cet appareil, et un câble court',
};
const SUPPLY_UNKNOWN = { means: 'si elle est faible, rien ne le montre ici', cure: SUPPLY.cure };
const STAYS_HUNG = 'une machine bloquée le reste jusqu’à ce que quelqu’un vienne';

export const OF_MACHINES: Translated<typeof ENGLISH, Sentences> = {
  'disk-read-only': {
    found: '{path} est monté en lecture seule',
    means: UNSAVED,
    cure: 'regardez le journal du noyau, et remplacez la carte mémoire si elle a lâché',
  },
  'disk-full': (space) => ({ found: free(space), means: UNSAVED, cure: FREE_SPACE }),
  'disk-nearly-full': (space) => ({ found: free(space), means: 'il sera peut-être bientôt plein', cure: FREE_SPACE }),
  'disk-well': (space) => ({ found: free(space) }),
  'ext4-errors': { found: 'ext4 a compté des erreurs sur {disks}', ...CARD_ILL },
  'kernel-log-not-seen': {
    found: 'ext4 n’a compté aucune erreur ; le journal du noyau n’est pas visible d’ici',
    cure: AS_ROOT,
  },
  'no-file-system-errors': { found: 'ni ext4 ni le journal du noyau ne signalent d’erreur' },
  'kernel-log-errors': {
    found: 'le journal du noyau a {count} lignes comme : {last}',
    ...CARD_ILL,
  },
  'card-silent': { found: 'elle ne dit pas son âge' },
  'card-used-up': {
    found: `${USED} ; sa réserve est épuisée`,
    means: 'elle peut lâcher d’un jour à l’autre',
    cure: REPLACE,
  },
  'card-old': { found: USED, means: 'elle lâchera dans un avenir proche', cure: REPLACE },
  'card-well': { found: USED },
  'supply-not-watched': { found: 'pas un Raspberry Pi : son alimentation n’est pas surveillée' },
  'under-voltage': { found: 'sous-tension en ce moment', ...SUPPLY },
  'under-voltage-before': { found: 'sous-tension depuis le dernier démarrage', ...SUPPLY },
  'supply-silent': {
    found: 'pas visible d’ici : le micrologiciel ne le dit pas à cet utilisateur',
    cure: `${AS_ROOT}, ou cherchez un éclair sur l’écran`,
  },
  'supply-not-reported': {
    found: 'inconnue : ce noyau ne dit pas ce que le micrologiciel mesure',
    cure: 'cherchez un éclair sur l’écran',
  },
  'supply-not-measured': { found: 'inconnue : ce modèle ne mesure pas son alimentation', ...SUPPLY_UNKNOWN },
  'supply-well': { found: 'pas de sous-tension depuis le dernier démarrage' },
  'supply-well-now': { found: 'pas de sous-tension en ce moment' },
  'watchdog-fed': { found: 'systemd le relance toutes les {period}' },
  'watchdog-not-fed': {
    found: 'il y en a un, et systemd ne le relance pas',
    means: STAYS_HUNG,
    cure: 'RuntimeWatchdogSec=15s dans /etc/systemd/system.conf',
  },
  'watchdog-not-seen': {
    found: 'il y en a un ; on ne voit pas d’ici si systemd le relance',
    cure: AS_ROOT,
  },
  'no-watchdog': { found: 'aucun', means: STAYS_HUNG, cure: 'dtparam=watchdog=on dans config.txt' },
  'no-watchdog-known': { found: 'aucun ; pas un Raspberry Pi' },
};

function free({ freeMib, path }: { freeMib: number; path: string | null }): string {
  return `${freeMib} Mio libres${path === null ? '' : ` sur ${path}`}`;
}
