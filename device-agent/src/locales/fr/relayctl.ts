import { type Cure, configLinesOf } from '../../provisioning/boards/cures';
import { pinOf } from '../../provisioning/boards/header-pins';
import { known } from '../common';
import type { RelayctlTranslations } from '../relayctl';
import { BOARD_PROFILES } from './board-profiles';
import { causeInFrench } from './causes';
import { actorInFrench, COMMON } from './common';
import { CONSOLE } from './console';

const PARITIES = { none: 'aucune', even: 'paire', odd: 'impaire' };
const RESTART = '  sudo systemctl restart relaygate-guard relaygate-agent';

export const RELAYCTL: RelayctlTranslations = {
  ...CONSOLE,
  outcome: (code) => known(COMMON.outcomes, code) ?? code,
  kind: (code) => known(COMMON.kinds, code) ?? code,
  member: (name) => known(CONSOLE.members, name) ?? name,
  causeText: causeInFrench,

  unreachable: (socket, why) => `L’agent est injoignable (${socket}) : ${why}.`,
  notRunning: (socket) =>
    `L’agent ne tourne pas (${socket}) : démarrez relaygate-agent, qui demande un settings.json, ou donnez son --run.`,
  notForUser: (socket) =>
    `Le socket ${socket} de l’agent n’est pas pour cet utilisateur : utilisez sudo, ou entrez dans le groupe relaygate-tech.`,
  longSocket: (most, socket) => `Le chemin du socket dépasse ${most} octets : ${socket}.`,
  interrupted: 'interrompu',
  hungUp: 'il a fermé la connexion',
  noAnswer: (why) => `L’agent n’a pas répondu : ${why}.`,
  mayHaveHappened: (why) =>
    `${why} Cela a pu se faire : regardez la sortie (« relayctl status ») avant de recommencer.`,
  unprinted: (why) => `${why} Ce qui était demandé a pu se faire.`,

  nobodyToAsk: (what) => `Sans terminal, personne ne peut répondre : --yes le fait. ${what}`,
  typeYes: { question: 'Tapez « oui » pour continuer : ', answer: 'oui' },
  nothingChanged: 'Rien n’a été changé.',

  output: (numOutput, what) => `sortie ${numOutput} : ${what}`,
  outcomes: { executed: 'fait', 'already-set': 'déjà ainsi', ignored: 'sans effet, une impulsion est en cours' },
  nowSo: (state) => `, maintenant ${state}`,
  pulseEnded: (now) => `impulsion terminée${now} ; un portail en mouvement continue`,
  noPulse: (now) => `aucune impulsion en cours${now}`,
  settingsOf: (numOutput) => `sortie ${numOutput}`,
  isAlready: (member, value) => `${member} : déjà ${value}`,
  locked: (forHowLong) => `verrouillée pendant ${forHowLong} ; aucune commande du serveur ne la change`,
  lockUnsaved: (why) =>
    `NON ENREGISTRÉ (${why}) : en vigueur, mais levé si l’agent ou l’appareil redémarre avant l’enregistrement`,
  unlocked: (wasLocked) => (wasLocked ? 'déverrouillée' : 'n’était pas verrouillée'),

  status: { product: 'produit', link: 'liaison', guard: 'relais', page: 'page', locked: 'verrou', runs: 'en service' },
  inputColumns: ['entrée', 'état', 'sorte', 'nom'],
  columns: ['sortie', 'état', 'mode', 'impulsion', 'nom', 'règles'],
  linkUp: (epoch) => `établie (époque ${epoch})`,
  linkDown: (why) => `coupée : ${why}`,
  guardAway: (why) => `absent : ${why}`,
  pageOn: (left) => `active encore ${left}`,
  lastCommands: 'dernières commandes',
  faults: 'défauts',
  faultsIn: (count) => `défauts : ${count}, tous avec --json`,
  lockOf: (numOutput, left, isUnsaved, by) =>
    `sortie ${numOutput} encore ${left}${isUnsaved ? ' (non enregistré)' : ''}, par ${by}`,
  ofBoard: '(par la carte)',
  notes: { unproven: 'non prouvé', asWritten: 'selon la commande', by: 'par', locked: 'verrouillée' },
  ago: (time) => `il y a ${time}`,
  by: (name) => `par ${actorInFrench(name)}`,
  withoutLink: 'coupée sans liaison',
  withoutAgent: 'coupée sans agent',

  input: (numInput, what) => `entrée ${numInput} : ${what}`,
  inputMeanings: ['entrée', 'sorte', 'nom', 'réglages'],
  noInputs: 'aucune entrée n’a de rôle',
  inputLost: 'disparue : la nouvelle carte ne l’a pas, et rien ne s’en servait',
  inputCount: (count) => `${count} entrées`,
  meansNothing: 'n’a plus de rôle',
  inputsNotInForce: [
    '',
    'En vigueur dès que le service des relais est redémarré. Les sorties activées sont alors coupées, sauf si leur règle après coupure est « restore » :',
    '  sudo systemctl restart relaygate-guard',
  ],

  identity: ['produit', 'serveur', 'clé', 'empreinte', 'page', 'inscription'],
  noCertificate: 'n’a pas de certificat avant sa première activation',
  newPin:
    'Un nouveau code PIN remplace celui de cet appareil : l’ancien n’ouvrira plus ni la console série ni la page web, et leurs sessions ouvertes seront fermées.',
  writePin: 'Notez-le : il n’est plus affiché. Un ancien code PIN n’ouvre plus rien.',
  page: { page: 'page', address: 'adresse', certificate: 'certificat', passphrase: 'mot de passe' },
  pageIsOff: CONSOLE.pageOff,
  pageWentOff: (wasOn) => (wasOn ? 'La page est arrêtée ; aucun port n’est ouvert.' : 'La page était arrêtée.'),
  unreadable: 'illisible',
  passphraseShown: 'celui affiché au début de ce Wi-Fi ; pour un autre : web off, puis web on --hotspot',
  notAgain: '(affiché une seule fois)',
  noHistory: 'rien n’a encore été fait sur cet appareil',
  fault: (text) => `défaut : ${text}`,
  ofOutput: (kind, numOutput) => `${kind} sortie ${numOutput}`,
  pinChange: { made: 'fait', removed: 'ôté', replaced: 'remplacé' },
  entries: (first, last) => (first === last ? `entrée ${first}` : `entrées ${first} à ${last}`),
  sinceBoot: (seconds) => `${seconds} s de marche`,
  logBegins: 'le journal commence ; rien d’avant ne s’y trouve',
  countRange: (most) => `-n va de 1 à ${most}.`,

  willMove: 'Ce qui est branché à ces relais va bouger.',
  notMoved: 'Rien n’a bougé, et rien n’est prouvé.',
  unanswered: 'Il manque des réponses ; rien n’est prouvé.',
  noAnswerFor: (numOutput) => `Il n’y a pas de réponse pour la sortie ${numOutput}.`,
  answersUnread: (why) => `Les réponses ne peuvent pas être lues : ${why}.`,
  notJson: (why) => `Une réponse n’est pas du JSON : ${why}.`,
  answerShape: 'Une réponse est de la forme {"relay":1,"isOn":false}, une par ligne.',
  provenBy: (by, at) => `prouvé par ${by} ${at === null ? 'l’horloge n’étant pas réglée' : `le ${at}`}`,
  linesAfter: ['Les lignes seront en vigueur après le redémarrage du service des relais et de l’agent :', RESTART],
  proveAgain: 'Rien n’est encore prouvé : lancez « relayctl prove » encore une fois.',
  wipes: 'Toutes les sorties sont coupées. Clés, PIN, réglages, historique, verrous et preuve du câblage sont effacés.',
  typeLogin: (login) => `Tapez l’identifiant produit de cet appareil (${login}) pour continuer : `,
  otherLogin: 'Ce n’est pas son identifiant produit ; rien n’a été changé.',
  wiped: (login) => [
    'Cet appareil est effacé. Le service des relais et l’agent sont arrêtés ; ils redémarrent dès qu’il y a des réglages.',
    'Le serveur connaît encore l’ancienne clé. Son exploitant la révoque, et reçoit le code du nouvel appareil :',
    `  relaygate-server product revoke-device ${login}`,
    'Redémarrez cet appareil avant de le réinstaller :',
    '  sudo reboot',
  ],

  looking: (done, all) => `diagnostic : ${done} sur ${all}`,

  olderAgent: 'L’agent en service est plus ancien que relayctl : redémarrez relaygate-agent.',
  cardUnknown: (why) => `${why} On ne sait donc pas quel profil est venu avec la carte mémoire de cet appareil.`,
  noBoard: (name, names) => `Il n’y a pas de carte de relais « ${name} » ; il y a ${names}.`,
  cameWithCard: (hidesOwn) =>
    `venue avec la carte mémoire de cet appareil${hidesOwn ? ', à la place de celle du programme qui a ce nom' : ''}`,
  becomes: (name, came, outputs, board) =>
    `« ${name} »${came === null ? '' : `, ${came},`} sera la carte de relais de cet appareil, avec ${outputs} sorties : ${board}. Les sorties gardent noms et modes, celles qui dépassent ses relais sont ôtées, et le câblage est à prouver de nouveau. Rien ne bouge, et rien n’est en vigueur avant le redémarrage du service des relais et de l’agent.`,
  mayClose: (relays, name, cures) =>
    `À la mise sous tension, ${relays} de « ${name} » peuvent se fermer avant le service des relais. ${cures.map(hold).join(' ; ')}${inConfig(cures)} ; ensuite, ou si personne ne risque rien, utilisez --accept-boot-level.`,
  firmwareCloses: (relays, name, lines, file) =>
    `À chaque mise sous tension, le microprogramme ferme ${relays} de « ${name} » jusqu’au service des relais. Ôtez ${lines} de ${file} sur la partition de démarrage (/boot/firmware), qui est d’une autre carte ; ensuite, ou si personne ne risque rien, utilisez --accept-boot-level.`,
  firmwareGives: (bcm, level, line, file) =>
    `À chaque mise sous tension, le microprogramme met BCM ${bcm} au niveau ${levelOf(level)}, ce qui ferme son relais : ôtez ${line} de ${file} sur la partition de démarrage (/boot/firmware).`,
  unknownChip: (chip) =>
    `Des relais peuvent se fermer : on ne sait pas ce que font les lignes de la puce « ${chip} » à la mise sous tension, avant le service des relais. Si elles ne ferment aucun relais, ou si personne ne risque rien, utilisez --accept-boot-level.`,
  heldOpen: 'Un relais qui peut se fermer à la mise sous tension est tenu ouvert par une résistance, dès le début :',
  hold,
  byConfig: 'et, quelques secondes plus tard, par ces lignes dans config.txt :',
  profiles: BOARD_PROFILES,
  profileColumns: ['nom', 'relais', 'actif', 'vérifiée', 'mise sous tension', 'carte'],
  isVerified: (verified) => (verified ? 'oui' : 'non'),
  ownPowerOn: 'à sa façon',
  risk: (relays) => (relays === 0 ? 'sûre' : `${relays} à risque`),
  it: (came) => `elle est ${came}`,
  source: (source, verified) => `source : ${source}${verified ? '' : ' (non vérifié : essayez avant de vous y fier)'}`,
  onSerialPort: (connection) => `sur un port série : ${connection}`,
  closesOn: (level) => `un relais se ferme au niveau ${levelOf(level)}`,
  relayColumns: ['sortie', 'relais', 'BCM', 'broche', 'mise sous tension'],
  bootLevel: (pull, isRisky) =>
    `${pull === null ? 'UART' : `tirée au niveau ${levelOf(pull)}`} : ${isRisky ? 'peut se fermer avant le service des relais' : 'ouvert'}`,
  modbus: ({ baud, parity, address }) => `Modbus RTU, ${baud} baud, parité ${PARITIES[parity]}, adresse ${address}`,
  timesPulses: 'mesure elle-même les impulsions',
  transitions: { kept: 'gardée', new: 'nouvelle', removed: 'ôtée' },
  inUse: 'cette carte est déjà en service',
  board: (board) => `carte : ${board}`,
  noPulls: [
    '',
    'Par /sys aucune résistance interne n’est réglée : après la fin du service des relais, une ligne qui devient une entrée va où sa propre résistance la tire.',
    'Mettez une résistance vers « coupé » à chaque ligne, ou omettez --sysfs avec un noyau à partir de 5.10.',
  ],
  notInForce: ['', 'Rien n’est encore en vigueur. Avec la carte branchée comme « board show » le montre :', RESTART],
  noAdapter: 'aucun adaptateur série n’est branché',
  portColumns: ['port', 'usb', 'désigne', 'peut être'],
  namesPort: (isLasting) => (isLasting ? 'l’adaptateur, où qu’il soit branché' : 'la prise où il est branché'),
};

function levelOf(level: string): string {
  return level === 'high' ? 'haut' : 'bas';
}

/** The resistor goes to the level that config.txt drives. */
function hold({ bcm, resistor, configLine }: Cure): string {
  if (resistor === null) return `rien ne tient BCM ${bcm} : prenez une autre ligne`;
  return `une résistance de 4,7 kΩ de BCM ${bcm} (broche ${pinOf(bcm)}) à ${configLine?.endsWith('dh') ? '3,3 V' : 'GND'}`;
}

function inConfig(cures: readonly Cure[]): string {
  const lines = configLinesOf(cures.filter(({ resistor }) => resistor !== null));
  return lines.length === 0 ? '' : ` ; dans config.txt : ${lines.join(', ')}`;
}
