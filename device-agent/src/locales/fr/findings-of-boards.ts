import { closingLinesOf } from '../../provisioning/boards/boot-config';
import type { Translated } from '../catalogue';
import type { OF_BOARDS as ENGLISH } from '../en/findings-of-boards';
import type { Sentences } from '../findings';
import { AS_ROOT } from './as-root';

const CHIP = 'la puce « {label} » ({path})';
const NO_RELAY = 'le service des relais ne peut tenir aucun relais';
const LEVELS = { high: 'haute', low: 'basse' } as const;

export const OF_BOARDS: Translated<typeof ENGLISH, Sentences> = {
  'kernel-well': { found: 'Linux {release}' },
  'kernel-old': ({ release, least, isNeeded }) => ({
    found: `Linux ${release}`,
    means: `l’accès GPIO par /dev/gpiochip* demande Linux ${least} ou plus récent`,
    cure: isNeeded
      ? 'prenez « relayctl board use NOM --sysfs », ou un noyau plus récent'
      : 'prenez « relayctl board use NOM --sysfs » pour le GPIO',
  }),
  'gpio-not-needed': ({ kind }) => ({
    found: `pas nécessaire : ${kind === 'simulated' ? 'la carte est simulée' : 'les relais sont sur un port série'}`,
  }),
  'gpio-chips': { found: '{paths}' },
  'no-gpio-chip': {
    found: 'il n’y a pas de /dev/gpiochip*',
    means: NO_RELAY,
    cure: 'chargez le pilote GPIO, ou prenez --sysfs',
  },
  'gpio-chips-closed': {
    found: 'pas visible d’ici : {paths} n’est pas pour cet utilisateur',
    means: 'si le service des relais tourne sous cet utilisateur, il ne peut tenir aucun relais',
    cure: `${AS_ROOT} ; le service des relais doit être dans le groupe gpio`,
  },
  sysfs: { found: '{folder}' },
  'no-sysfs': {
    found: '{folder} n’existe pas',
    means: NO_RELAY,
    cure: 'prenez la carte sans --sysfs',
  },
  'sysfs-closed': {
    found: 'pas visible d’ici : {file} n’est pas pour cet utilisateur',
    cure: AS_ROOT,
  },
  'board-unusable': {
    found: 'carte inutilisable : {problem}',
    means: NO_RELAY,
    cure: 'selon la phrase',
  },
  'board-simulated': { found: 'simulée, dans des fichiers : aucun relais ne bouge' },
  'board-on-sysfs': {
    found: 'lignes {lines} par /sys : personne ne peut dire qui les tient, et aucune résistance de rappel n’est réglée',
    means: 'une fois le service des relais arrêté, une ligne redevenue entrée va là où sa propre résistance la mène',
    cure: 'une résistance vers « repos » à chaque ligne ; ou un noyau à partir de 5.10, et « relayctl board use » sans --sysfs',
  },
  'lines-of-others': ({ label, path, holders }) => ({
    found: `la puce « ${label} » (${path}) : ${holders.map(({ line, by }) => `ligne ${line} tenue par « ${by || 'le noyau'} »`).join(', ')}`,
    means: 'le service des relais ne peut pas les avoir',
    cure: 'arrêtez ce programme, ou choisissez d’autres lignes',
  }),
  'lines-held': { found: `${CHIP} : les {count} lignes sont tenues par relaygate` },
  'lines-free': { found: `${CHIP} : les {count} lignes sont libres` },
  'lines-partly-held': {
    found: `${CHIP} : {own} lignes sur {count} sont tenues par relaygate`,
    means: 'le service des relais commande une autre carte que celle de settings.json',
    cure: 'redémarrez relaygate-guard et relaygate-agent',
  },
  'no-port': {
    found: '{port} n’existe pas',
    means: 'chaque commande est refusée',
    cure: 'branchez l’adaptateur, ou nommez-le comme « relayctl board ports » l’affiche',
  },
  'port-closed': {
    found: 'pas visible d’ici : {port} n’est pas pour cet utilisateur',
    cure: `${AS_ROOT} ; le service des relais doit être dans le groupe dialout`,
  },
  'port-there': { found: '{port}' },
  'off-late': ({ port, boards, baud, withinMs }) => ({
    found: `${port} : ${boards} cartes à ${baud} bauds`,
    means: `si le service des relais est tué, ses relais s’ouvrent en ${withinMs / 1_000} s au plus, pas en 1 s`,
    cure: 'mettez moins de cartes sur un port, ou réglez cartes et settings.json sur un débit plus élevé',
  }),
  'power-on-simulated': { found: 'la carte est simulée' },
  'power-on-serial': {
    found: 'inconnu ici : une carte sur port série traite ses relais à sa façon',
  },
  'power-on-unknown': {
    found:
      'pas le connecteur d’un Raspberry Pi : ce que font ses lignes avant le service des relais n’est pas connu ici',
    means: 'des relais peuvent se fermer à la mise sous tension',
    cure: 'coupez et remettez l’alimentation, et voyez si un relais se ferme ; tenez-le ouvert par une résistance',
  },
  'power-on-well': { found: 'chaque relais reste ouvert jusqu’à ce que le service des relais le commande' },
  'power-on-closed': ({ file, closings }) => ({
    found: `${file} : le microprogramme rend ${closings.map(({ bcm, level }) => `BCM ${bcm} ${LEVELS[level]}`).join(', ')}`,
    means:
      'ces relais se ferment à chaque mise sous tension jusqu’au service des relais : ce fichier est d’une autre carte',
    cure: `ôtez ${closingLinesOf(closings)} de ce fichier ; « relayctl board show » affiche ce qui doit y être`,
  }),
  'power-on-left-out': {
    found: 'config.txt n’inclut pas relaygate-board.txt : ses lignes ne tiennent donc aucun relais ouvert',
    means: 'BCM {lines} : ces relais peuvent se fermer à la mise sous tension, avant le service des relais',
    cure:
      'ajoutez « [all] » et « include relaygate-board.txt », chacun sur une ligne, à la fin de config.txt ; sous Debian ' +
      'aussi à /etc/default/raspi-firmware-custom, dont chaque nouveau noyau refait config.txt',
  },
  'power-on-risky': ({ lines, cures }) => ({
    found: `BCM ${lines.join(', ')} : peut avoir le niveau qui ferme son relais`,
    means: 'ces relais peuvent se fermer à la mise sous tension, avant le service des relais',
    cure: `${cures
      .map(({ resistor }) =>
        resistor
          ? `${resistor.ohms} de BCM ${resistor.bcm} (broche ${resistor.pin}) à ${resistor.rail}`
          : 'prenez une autre ligne',
      )
      .join(' ; ')}${inConfig(cures)}`,
  }),
  'death-untested': {
    found: 'pas essayé',
    means: 'on ne sait pas si un relais reste fermé ou s’ouvre quand le service des relais est tué',
    cure: 'lancez « relayctl doctor --test-line N » avec une ligne libre N à laquelle rien n’est branché',
  },
  'death-no-lines': {
    found: 'pas essayé : settings.json ne désigne aucune carte sur lignes GPIO',
    cure: 'choisissez d’abord une carte',
  },
  'death-own-line': {
    found: 'la ligne {line} est à la carte',
    means: 'elle n’a pas été touchée',
    cure: 'donnez une ligne à laquelle rien n’est branché',
  },
  'death-tested': ({ line, way, before, driven, after }) => ({
    found: `la ligne ${line} était ${LEVELS[before]}, mise ${LEVELS[driven]} par un processus qui a été tué, et est ${LEVELS[after]} (${way})`,
    means:
      after === driven
        ? 'les lignes restent commandées : un relais reste comme il est jusqu’à ce que le prochain service des relais le coupe'
        : 'les lignes sont relâchées : les relais reviennent au repos avec la fin du service des relais',
  }),
};

function inConfig(cures: readonly { configLine: string | null }[]): string {
  const lines = cures.flatMap(({ configLine }) => configLine ?? []);
  return lines.length === 0 ? '' : ` ; dans config.txt : ${lines.join(', ')}`;
}
