import type { Translated } from '../catalogue';
import type { FAULTS as ENGLISH } from '../en/faults';
import type { Quarantine } from '../en/guard-faults';
import { REFUSALS } from './refusals';

export const FAULTS: Translated<typeof ENGLISH> = {
  'output-stuck': 'La sortie {numOutput} ({name}) ne se laisse pas couper ({problem}) ; nouvel essai en cours.',
  'output-not-asked': 'L’état de la sortie {numOutput} ({name}) n’a pas pu être lu ({problem}).',
  'output-unproven': 'La sortie {numOutput} ({name}) a été commutée, et son entrée de retour ne le montre pas.',
  'interlock-alone': 'La sortie {numOutput} ({name}) est seule dans son verrouillage mutuel « {interlock} ».',
  'interlock-unread':
    'La sortie {numOutput} ({name}) ne peut pas être relue, donc aucune autre sortie de son verrouillage mutuel « {interlock} » ne s’active : prenez une carte qui répond, ou retirez le verrouillage.',
  'input-flapping':
    'L’entrée {numInput} ({name}) change sans cesse, donc personne ne sait ce qu’elle montre : vérifiez son câblage.',
  'input-unread': 'L’entrée {numInput} ({name}) ne peut pas être lue ; nouvel essai en cours.',
  'button-stuck':
    'Le bouton {numInput} ({name}) est appuyé depuis trop longtemps : il ne fait plus rien tant qu’il n’a pas été relâché.',
  'tamper-open': 'Le contact anti-effraction {numInput} ({name}) est ouvert.',
  'board-away': 'La carte de relais est absente : {problem}.',
  'state-unwritten': 'state.json ne peut pas être écrit : {problem}.',
  'journal-unwritten':
    'Le journal des commandes ne peut pas être écrit, donc aucune commande n’est exécutée : {problem}.',
  'off-orders-unwritten':
    'Les ordres qui coupent tout sans le service des relais ne peuvent pas être écrits : {problem}. Si ce service est tué maintenant, des relais peuvent rester actifs jusqu’à son retour.',
  'file-corrupt': ({ file, ...aside }) => `${fileInFrench(file)} était corrompu ; ${quarantineInFrench(aside)}.`,
  'file-unreadable': ({ file, problem, ...aside }) =>
    `${fileInFrench(file)} n’a pas pu être lu (${problem}) ; ${quarantineInFrench(aside)}.`,
  'guard-away': 'Le service des relais est absent : {problem}.',
  'not-linked': 'Pas relié au serveur : {problem}.',
  'epoch-behind':
    'L’époque de liaison {epoch} du serveur est antérieure à {guardEpoch} : aucune commande à distance avant un redémarrage de l’appareil ou un nouveau code d’inscription.',
  'key-elsewhere': ({ times }) =>
    `Un autre appareil qui a la clé de celui-ci a pris la liaison ${times === 1 ? 'une fois' : `${times} fois`} : la carte est-elle une copie ?`,
  'clock-not-set':
    'Aucun serveur de temps n’a réglé l’horloge depuis le démarrage, les heures sont donc comptées depuis celui-ci : laissez sortir le port UDP 123, ou nommez-en un dans timeServers de relaygate-site.json.',
  'other-board': REFUSALS['other-board'],
  'output-count': 'settings.json a {own} sorties, le service des relais en a {guards} : redémarrez relaygate-guard.',
  'inputs-not-in-force':
    'settings.json donne aux entrées un autre rôle que celui que suit le service des relais : redémarrez relaygate-guard.',
  'output-not-in-force': 'Les réglages de la sortie {numOutput} ne sont pas encore en vigueur : {why}',
  'locks-corrupt': ({ path, ...aside }) =>
    `${path} est corrompu (${quarantineInFrench(aside)}) : toutes les sorties sont verrouillées ; voir « relayctl unlock ».`,
  'locks-unreadable': ({ path, problem, ...aside }) =>
    `${path} ne peut pas être lu : ${problem} (${quarantineInFrench(aside)}) : toutes les sorties sont verrouillées ; voir « relayctl unlock ».`,
  'locks-unwritten':
    '{path} ne peut pas être écrit ({problem}) : après un redémarrage, d’autres verrous peuvent être en vigueur.',
  'code-useless': '{path} ne contient pas de code d’inscription, ou contient un code mal recopié ; rien n’est envoyé.',
  'code-unreadable': '{path} ne peut pas être lu ({problem}) ; aucun code d’inscription n’est envoyé.',
  'not-proven':
    'Le câblage n’est pas prouvé, donc les commandes à distance sont refusées : lancez « relayctl prove --by NOM ».',
  'proof-unreadable': '{path} ne peut pas être lu ({problem}).',
  'history-corrupt': ({ path, ...aside }) =>
    `${path} est corrompu : ${quarantineInFrench(aside)} ; l’historique recommence à zéro.`,
  'history-unreadable': ({ path, problem, ...aside }) =>
    `${path} ne peut pas être lu (${problem}) : ${quarantineInFrench(aside)} ; l’historique recommence à zéro.`,
  'history-unwritten': 'L’historique ne peut pas être écrit, donc rien ne peut être changé : {problem}.',
  'hotspot-stays': 'Le Wi-Fi de la page n’a pas pu être arrêté, nouvel essai chaque minute : {why}',
  'console-away': 'La console série sur {port} est absente : {problem}.',
};

function quarantineInFrench({ keptAs, keepProblem }: Quarantine): string {
  return keptAs === '' ? `le fichier n’a pas pu être mis de côté (${keepProblem})` : `mis de côté sous ${keptAs}`;
}

function fileInFrench(file: string): string {
  return file === 'journal' ? 'Le journal des commandes' : file;
}
