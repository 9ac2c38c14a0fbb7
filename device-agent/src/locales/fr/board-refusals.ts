import type { Translated } from '../catalogue';
import type { BOARD_REFUSALS as ENGLISH } from '../en/board-refusals';

const SETTINGS = 'settings.json';
const NO_HOLDER = 'le noyau';

export const BOARD_REFUSALS: Translated<typeof ENGLISH> = {
  'gpio-chip': 'La puce GPIO « {label} » ({path})',
  'gpio-line': 'La ligne {line} de « {label} »',

  'no-gpio':
    'Ce noyau n’a pas de /dev/gpiochip* : le pilote GPIO n’est pas chargé ; sur un noyau ancien, mettez board.kind à « gpio-sysfs ».',
  'no-sysfs': `Ce noyau n’a pas de /sys/class/gpio : mettez board.kind à « gpio » dans ${SETTINGS}.`,
  'no-chip-of-header': ({ labels }) =>
    `Aucune puce GPIO d’un Raspberry Pi n’est là : mettez dans board.chip de ${SETTINGS} le nom de celle à utiliser ; ${chips(labels)}`,
  'no-chip-labelled': ({ label, labels }) =>
    `Aucune puce GPIO ne s’appelle « ${label} » : corrigez board.chip dans ${SETTINGS} ; ${chips(labels)}`,
  'no-sysfs-chip': 'Aucune puce de {path} ne s’appelle « {label} ».',
  'chips-alike': '{count} puces GPIO s’appellent « {label} », et rien n’indique laquelle est la bonne.',
  'chip-without-line': `La puce GPIO « {label} » a les lignes 0 à {last}, et pas de ligne {line} : corrigez board.lines dans ${SETTINGS}.`,
  'chip-in-use': ({ label, holders }) =>
    `La puce GPIO « ${label} » est utilisée : ${holders.map(({ line, by }) => `ligne ${line} tenue par « ${by || NO_HOLDER} »`).join(', ') || 'par un programme qui n’est plus là'}. Arrêtez ce programme, ou choisissez d’autres lignes dans ${SETTINGS}.`,
  'chip-without-edges':
    'Les entrées de la puce GPIO « {label} » ne peuvent pas signaler leurs changements ({code}) : utilisez une puce avec interruptions.',
  'gpio-not-there': '{what} est introuvable ({code}) : vérifiez le câble de la carte, et « gpiodetect ».',
  'gpio-not-allowed':
    '{what} n’est pas pour cet utilisateur ({code}) : le service des relais doit tourner dans le groupe gpio, ou comme root.',
  'gpio-held': `{what} est tenue par un autre programme : arrêtez-le, ou choisissez d’autres lignes dans ${SETTINGS}.`,
  'gpio-refused': `{what} est refusée par ce noyau ({code}) : /dev/gpiochip* demande Linux 5.10 ou plus récent ; sur un plus ancien, mettez board.kind à « gpio-sysfs » dans ${SETTINGS}.`,
  'gpio-unopened': '{what} ne peut pas être ouverte : {problem}.',
  'line-of-guard': '{what} appartient à un autre relaygate-guard : arrêtez d’abord celui-là.',
  'line-exported': '{path} existe déjà : un autre programme utilise peut-être la ligne {line}.',

  'onoff-missing':
    'board.kind « gpio-sysfs » a besoin du paquet onoff, qui ne se charge pas ({problem}) : installez un compilateur et lancez « npm rebuild epoll », ou utilisez board.kind « gpio ».',
  'epoll-missing':
    'Les entrées surveillées ont besoin du paquet epoll, qui ne se charge pas ({problem}) : installez un compilateur et lancez « npm rebuild epoll ».',
  'serialport-missing':
    'Les ports série ont besoin du paquet serialport, qui ne se charge pas ({problem}) : lancez « npm rebuild ».',
};

function chips(labels: readonly string[]): string {
  return labels.length === 0 ? 'il n’y en a aucune.' : `il y a ${labels.map((label) => `« ${label} »`).join(', ')}.`;
}
