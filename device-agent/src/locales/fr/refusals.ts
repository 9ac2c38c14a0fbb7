import type { Cause } from '../../runtime/cause';
import type { Translated } from '../catalogue';
import type { REFUSALS as ENGLISH } from '../en/refusals';
import { causeIn } from '../sentence';
import { allowedInFrench } from './allowed-values';
import { BOARD_REFUSALS } from './board-refusals';
import { CAUSES } from './causes';
import { reasonInFrench } from './common';
import { CONSOLE } from './console';
import { SETTINGS_PROBLEMS, SETTINGS_REFUSALS } from './settings-refusals';

const { duration } = CONSOLE;
const STATUS = 'voir « relayctl status »';
const NOTHING_MOVED = 'rien n’a bougé';
const NOTHING_CHANGED = 'rien n’a été changé';
const SETTINGS_LEFT = {
  unchanged: NOTHING_CHANGED,
  'stands-unused':
    'le changement n’est pas en vigueur, mais se trouve dans ce fichier et peut l’être au prochain démarrage',
  'stands-for-now': 'la carte y est inscrite, mais une coupure de courant peut l’effacer',
} as const;
const RESET_SO = {
  'no-lock': 'rien ne peut plus être verrouillé',
  'no-page': 'la page reste arrêtée jusqu’à ce que l’appareil soit de nouveau installé',
  'no-reset': 'la personne qui l’a demandée en apprend l’issue',
} as const;

export const REFUSALS: Translated<typeof ENGLISH> = {
  'no-such-output': ({ numOutput, count }) =>
    `La sortie ${numOutput} n’existe pas ; cet appareil a les sorties 0 à ${count - 1}.`,
  'too-late-for-guard': 'C’est arrivé trop tard au service des relais et n’a pas été commencé. Réessayez.',
  'output-busy':
    'La sortie {numOutput} est activée ou occupée : son mode, sa polarité et son verrouillage mutuel restent ; coupez-la d’abord, ou utilisez --force.',
  'state-unsaved': 'La sortie {numOutput} reste comme elle est : son état ne peut pas être enregistré.',
  'output-stays-on': 'La sortie {numOutput} ne se laisse pas couper.',

  'not-an-impulse-output':
    'La sortie {numOutput} est en marche-arrêt et n’a pas d’impulsions ; utilisez « set {numOutput} on » et « off », ou « output {numOutput} --mode impulse ».',
  'state-not-saved':
    'La sortie {numOutput} a été commutée, mais cela n’a pas pu être enregistré : une coupure de courant peut ramener l’ancien état.',
  'feedback-missing':
    'La sortie {numOutput} est comme commandée pour autant que le service des relais le sache, mais l’entrée {input} ne le montre pas.',
  'feedback-stuck':
    'La sortie {numOutput} a été commutée, mais l’entrée {input} le montrait déjà avant : cela ne prouve rien.',
  'ended-by-policy':
    'La sortie {numOutput} a été commutée, et une règle y a mis fin avant que l’entrée {input} ne le montre.',
  'ended-by-stop':
    'La sortie {numOutput} a donné son impulsion, et quelqu’un sur place y a mis fin avant que l’entrée {input} ne la montre.',
  'switched-too-soon': `La sortie {numOutput} a été commutée il y a moins de {intervalMs} ms ; ${NOTHING_MOVED}.`,
  'policy-off': 'Une règle de la sortie {numOutput} allait la couper d’abord.',
  overtaken: 'Une autre commande qui coupe la sortie {numOutput} est venue avant que celle-ci ne l’ait fait bouger.',
  stopped: 'Quelqu’un sur place a mis fin à l’impulsion de la sortie {numOutput}, et à ce qui attendait derrière elle.',
  'other-pulse':
    'L’impulsion en cours de la sortie {numOutput} a commencé après que vous avez regardé. Rien n’a bougé ; regardez encore, et terminez celle-là.',
  interlocked: `Une autre sortie du verrouillage mutuel « {interlock} » donne une impulsion, ou peut être activée ; ${NOTHING_MOVED}.`,
  'interlock-delay': `Le délai du verrouillage mutuel finirait après celui de la commande ; ${NOTHING_MOVED}. Réessayez.`,
  'interlock-unread': `La carte de relais ne répond pas : personne ne sait si une autre sortie du verrouillage mutuel « {interlock} » est coupée ; ${NOTHING_MOVED}.`,
  'interlock-broken': `Une autre sortie du verrouillage mutuel « {interlock} » s’est coupée, mais la sortie {numOutput} ne s’est pas activée ; ${STATUS}.`,
  'board-away': `La carte de relais est absente ; ${STATUS}. Rien n’a bougé.`,
  'board-failed': `La carte de relais ne l’a pas fait ; ${STATUS}.`,
  expired: `La sortie {numOutput} a été occupée trop longtemps ; ${NOTHING_MOVED}. Réessayez.`,
  'refused-by-guard': ({ reason }) =>
    `Le service des relais a refusé ${reason === null ? 'sans dire pourquoi' : `(${reasonInFrench(reason)})`} ; ${STATUS}.`,
  'unproven-by-guard': ({ numOutput, reason }) =>
    `Le service des relais l’a fait pour autant qu’il le sache${reason === null ? ', sans dire ce qui manque pour en être sûr' : ` (${reasonInFrench(reason)})`} ; regardez la sortie ${numOutput} avant de recommencer.`,

  'answers-missing': 'il y a {relays} relais et {answers} réponses',
  'no-relay-clicked':
    'aucun relais n’a claqué pour la sortie {numOutput} : vérifiez son fil et l’alimentation de la carte',
  'no-such-relay': 'le relais {relay} n’est pas un des {count} de cette carte',
  'relay-twice': 'le relais {relay} a claqué pour la sortie {first} et pour la sortie {second}',
  'lines-fixed':
    'le relais {relay} a claqué pour la sortie {numOutput}, et ce type de carte n’a pas de lignes à échanger',

  'asker-gone': 'Qui l’a demandé est parti, donc rien n’a été commencé.',
  'too-late': 'C’est arrivé trop tard et n’a pas été commencé : rien n’a bougé ni changé. Réessayez.',
  'turn-too-late': 'D’autres changements ont duré trop longtemps, donc celui-ci n’a pas été commencé. Réessayez.',
  'guard-unreachable': 'Le service des relais est injoignable : {problem}.',
  'guard-silent':
    'Le service des relais n’a pas répondu : cela a pu se faire. Regardez la sortie avant de recommencer.',
  'guard-failed':
    'Le service des relais a eu une erreur inattendue, et a pu faire bouger la sortie : regardez-la avant de recommencer.',
  'history-unwritten': `L’historique ne peut pas être écrit ({problem}) ; ${NOTHING_CHANGED}.`,
  'reset-begun': ({ so }) => `Une remise à zéro a été commencée : ${RESET_SO[so]}.`,

  'reset-elsewhere': `Cet appareil est « {own} », et non « {asked} » ; ${NOTHING_CHANGED}.`,
  'reset-stuck': 'La carte de relais empêche la sortie {outputs} de se couper ; rien n’a été effacé.',
  'reset-unwritten': 'Le disque ne l’enregistre pas ({problem}) ; regardez « relayctl status » avant de réessayer.',
  'reset-without-guard': 'Le programme des relais a été perdu ({problem}) ; rien n’a été effacé. Réessayez.',
  'reset-not-taken-back':
    'La remise à zéro a été commencée puis abandonnée ({problem}), et le disque ne l’annule pas ({why}) ; cet agent s’arrête maintenant, et le prochain démarrage de relaygate-agent effacera cet appareil.',
  'reset-unfinished':
    'La remise à zéro a été commencée et n’a pas pu être terminée ({problem}) ; le prochain démarrage de relaygate-agent la terminera.',
  'click-runs': 'Un autre relais est déjà en train de claquer ; attendez-le.',
  'clicks-uncertain':
    'Le relais a claqué, mais il n’est pas certain qu’il se soit activé et coupé {clicks} fois : {why}',
  'guard-gone-between-clicks': 'Le service des relais s’est arrêté entre deux clics.',
  'nobody-watches': 'Personne ne regarde plus.',
  'maybe-still-on': `La sortie {numOutput} est peut-être encore activée ; ${STATUS}.`,
  'another-is-on':
    'La sortie {numOutput} est activée ; coupez-la d’abord : les relais se prouvent un par un, tous les autres étant coupés.',
  'another-may-be-on':
    'La sortie {numOutput} est peut-être activée : le service des relais ne sait pas si elle est coupée ; « relayctl status » dit pourquoi. Rien ne claque d’ici là.',
  'pulse-of-another':
    'La sortie {numOutput} donne une impulsion d’une autre commande ; faites-la claquer quand elle sera finie.',
  'relays-being-proven': 'La preuve des relais est en cours ; rien n’a bougé. Réessayez après les clics.',
  'click-settings-left':
    'La sortie {numOutput} a claqué et n’a pas encore retrouvé ses réglages ; rien n’a bougé. « relayctl status » dit pourquoi.',
  'wiring-changed': 'La carte, les lignes ou la polarité ont changé entre-temps ; recommencez la preuve.',
  'proof-impossible': ({ problems }) => `Rien n’a été changé, et rien n’est prouvé : ${problems.join(' ; ')}.`,
  'not-clicked': ({ outputs }) =>
    `${outputs.length === 1 ? `La sortie ${outputs[0]} n’a` : `Les sorties ${outputs.join(', ')} n’ont`} pas claqué depuis le démarrage de l’agent ou le changement du câblage ; rien n’est prouvé. Recommencez la preuve.`,
  'proof-unsaved': ({ problem, stands }) =>
    `La preuve ne peut pas être enregistrée (${problem}) ; ${stands ? 'elle est valable, mais une coupure de courant peut l’effacer' : NOTHING_CHANGED}.`,

  'value-not-allowed': ({ flag, member, value }) => `${flag} doit être ${allowedInFrench(member)}, et non ${value}.`,
  'input-without-meaning': 'L’entrée {numInput} n’a aucun rôle à retirer ; rien n’a été changé.',
  'inputs-lost': ({ inputs }) =>
    `En service, et absentes ou différentes sur cette carte : les entrées ${inputs.join(', ')} ; rien n’a été changé. Retirez d’abord leur rôle : « relayctl input remove », « relayctl output N --feedback-input none », ou web.buttonInput de settings.json.`,
  'input-no-button': '{flag} est pour un bouton, et l’entrée {numInput} n’en est pas un ; rien n’a été changé.',
  'input-incomplete': 'Il manque à l’entrée {numInput} : {members} ; rien n’a été changé.',
  'input-impossible': 'L’entrée {numInput} ne peut pas être réglée ainsi : {problem}.',
  'name-blank': 'Le nom doit montrer quelque chose, et pas seulement des espaces.',
  'name-deceives':
    'Le nom doit être sans caractères de contrôle, signes invisibles ni signes qui inversent l’écriture : il se lirait comme un autre.',
  'other-board':
    'settings.json désigne une autre carte de relais que celle en service : redémarrez relaygate-guard, puis relaygate-agent.',
  'no-such-setup': 'Aucune sortie ne peut être réglée ainsi : {problem}.',
  'no-such-setup-yet': 'Aucune sortie ne peut être réglée ainsi avant un redémarrage : {problem}.',
  'no-such-input-setup': 'Aucune entrée ne peut être réglée ainsi : {problem}.',
  'no-such-board': 'Cette carte ne peut pas être utilisée : {problem}.',
  'settings-edited':
    '{path} a été modifié depuis le démarrage de l’agent ; redémarrez d’abord le service des relais et l’agent, pour que rien ne soit perdu.',
  'settings-unwritten': ({ path, problem, left }) =>
    `${path} ne peut pas être écrit (${problem}) ; ${SETTINGS_LEFT[left]}.`,
  'lock-unsaved': ({ path, problem, numOutput, why, wasLocked }) =>
    `Le service des relais n’a pas répondu (${why}), et ${path} ne peut pas être écrit (${problem}) ; la sortie ${numOutput} ${wasLocked ? 'reste verrouillée comme avant' : 'n’est pas verrouillée'}.`,
  'unlock-unsaved': ({ path, problem, numOutput, mayBeUnlocked }) =>
    `${path} ne peut pas être écrit (${problem}) : la sortie ${numOutput} reste verrouillée, ${mayBeUnlocked ? 'pour l’instant ; après un redémarrage elle peut être déverrouillée' : 'aussi après un redémarrage'}.`,
  'not-in-force': ({ why, isSaved }) =>
    `${isSaved ? 'C’est enregistré, mais pas' : 'Ce n’est pas'} encore en vigueur : le service des relais n’a pas répondu (${why}) ; ${STATUS}.`,

  'page-time': ({ leastMs, mostMs, askedMs }) =>
    `La page s’active pour ${duration(leastMs)} à ${duration(mostMs)}, et non pour ${duration(askedMs)}.`,
  'agent-ending': 'L’agent s’arrête.',
  'certificate-unsaved': 'Le certificat de la page ne peut pas être enregistré : {problem}.',
  'port-taken': 'Le port {port} est pris par un autre programme ; choisissez un autre web.port dans settings.json.',
  'page-cannot-listen': 'La page ne peut pas s’ouvrir : {problem}.',
  'wifi-unmarked': 'Aucun Wi-Fi n’a été activé, car {path} ne peut pas être écrit : {problem}.',
  'no-wifi': 'Cet appareil n’a pas de Wi-Fi que NetworkManager connaisse.',
  'passphrase-stuck': 'Le mot de passe du Wi-Fi ne peut pas être transmis : {problem}.',
  'no-network-manager': 'Pas de Wi-Fi de cet appareil : NetworkManager (nmcli) n’est pas installé.',
  'wifi-silent': 'Pas de Wi-Fi de cet appareil : nmcli n’a pas répondu en {seconds} s.',
  'wifi-failed': 'Pas de Wi-Fi de cet appareil : {problem}.',
  'wifi-failed-silently': 'Pas de Wi-Fi de cet appareil : nmcli a échoué sans un mot.',

  'doctor-looks': 'Un diagnostic est déjà en cours ; attendez-le.',
  'doctor-too-slow': 'Le diagnostic n’a pas fini en {seconds} s.',
  'doctor-not-run': 'Le diagnostic n’a pas pu être lancé ; voir le journal.',
};

/** One refusal may be the cause of another. */
const ALL_CAUSES = { ...CAUSES, ...BOARD_REFUSALS, ...SETTINGS_PROBLEMS, ...SETTINGS_REFUSALS, ...REFUSALS };

export function anyCauseInFrench(cause: Cause): string {
  return causeIn(ALL_CAUSES, cause);
}
