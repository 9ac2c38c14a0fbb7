/** What the console says, in each of its languages. A sentence that lacks in one does not compile. */
import type { ConsoleLanguage, OutputSettings, OutputState } from '@relaygate/shared';
import type { HistoryKind } from '../history/kinds';
import type { LinkCause } from '../local-messages/device';
import type { Finding } from '../local-messages/doctor';
import { frenchLinkWords } from './console-link-words';
import { ENGLISH_PROVE, FRENCH_PROVE, type ProveWords } from './console-prove-words';

export interface Words {
  pin: string;
  pinShape(digits: number): string;
  pinWrong: string;
  pinWait(waitS: number): string;
  noPin: string;
  hello: string;
  timedOut: string;
  newPin: string;
  garbled: string;
  more: string;
  menu: {
    status: string;
    command: string;
    pulse: string;
    settings: string;
    history: string;
    identity: string;
    page: string;
    locks: string;
    log: string;
    doctor: string;
    prove: string;
    /** In the other language, for whoever does not understand this one. */
    language: string;
    quit: string;
  };
  choice: string;
  noSuchChoice: string;
  yes: readonly string[];
  no: readonly string[];
  nothingDone: string;
  whichOutput: string;
  onOrOff: string;
  reallyPulse(pulseMs: number, output: string): string;
  reallySwitch(state: OutputState, output: string): string;
  reallyChange(what: string, from: string, to: string): string;
  done: string;
  alreadySo: string;
  saved(what: string, from: string, to: string): string;
  pulseNow(pulseMs: number, leastMs: number, mostMs: number): string;
  newPulse: string;
  noWholeNumber: string;
  members: { name: string; mode: string; pulseMs: string; powerOn: string };
  newName: string;
  modes: Record<OutputSettings['mode'], string>;
  powerOn: Record<OutputSettings['powerOn'], string>;
  states: { on: string; off: string; unknown: string };
  notes: { unproven: string; asWritten: string; byPolicy: string };
  /** Of a pulse that runs, such as `420 ms`. */
  pulseLeft(left: string): string;
  /** Such as `1h 59m`. */
  lockedBy(left: string, by: string): string;
  lastCommands: string;
  toggle: string;
  /** `by`: null: nobody knows. */
  agoBy(ago: string, by: string | null): string;
  ofLocked: { unlock: string; lock: string };
  lockTime(least: string, most: string): string;
  noDuration: string;
  reallyLock(output: string, forHowLong: string): string;
  reallyUnlock(output: string): string;
  locked(forHowLong: string): string;
  labels: {
    product: string;
    server: string;
    link: string;
    relays: string;
    key: string;
    enrolment: string;
    page: string;
    certificate: string;
    wifi: string;
    passphrase: string;
  };
  linkUp: string;
  /** `problem` is the agent's own, in English. */
  linkDown(cause: LinkCause, problem: string): string;
  guardRuns: string;
  guardAway(problem: string): string;
  codeWaits: string;
  noCode: string;
  noCertificate: string;
  pageOff: string;
  pageOn(leftS: number): string;
  pageHint: string;
  reallyPageOn(leftS: number): string;
  reallyPageOff: string;
  withWifi: string;
  faults: string;
  noFaults: string;
  prove: ProveWords;
  doctorLooks: string;
  verdicts: Record<Finding['verdict'], string>;
  /** Before what a finding leads to, and before what to do. */
  so: string;
  cure: string;
  tally(ok: number, warn: number, fail: number): string;
  noHistory: string;
  noEvents: string;
  afterBoot(seconds: number): string;
  none: string;
  /** By the kind of an entry; a kind that is not here is told by its word. */
  kinds: Readonly<Record<HistoryKind, string>>;
  /** Of a lock, such as `2h`. */
  lockedFor(duration: string): string;
  outcomes: Readonly<Record<string, string>>;
  /** `message` is the agent's own, in English. */
  problem(code: string, message: string): string;
}

const FRENCH: Words = {
  pin: 'Code PIN : ',
  pinShape: (digits) => `Le code PIN a ${digits} chiffres.`,
  pinWrong: 'Code PIN faux.',
  pinWait: (waitS) => `Trop d'essais faux : attendez ${duration(waitS)}.`,
  noPin: 'Pas encore de code PIN : tapez "relayctl identity --new-pin" sur cet appareil.',
  hello: 'Ctrl-C : retour au menu. Sans touche pendant 5 minutes, la session se ferme.',
  timedOut: 'Session fermée : aucune touche pendant 5 minutes.',
  newPin: 'Session fermée : un nouveau code PIN a été fait.',
  garbled: 'Ligne brouillée : rien compris. Tapez-la encore.',
  more: '-- Entrée : suite, q : fin -- ',
  menu: {
    status: 'État',
    command: 'Commander une sortie (essai)',
    pulse: "Durée d'impulsion",
    settings: "Autres réglages d'une sortie",
    history: 'Derniers changements',
    identity: 'Identité et liaison',
    page: 'Page web du technicien',
    locks: 'Verrouiller ou déverrouiller une sortie',
    log: 'Journal (en anglais)',
    doctor: "Diagnostic de l'appareil (en anglais)",
    prove: 'Prouver le câblage',
    language: 'English',
    quit: 'Quitter',
  },
  choice: 'Choix : ',
  noSuchChoice: "Ce choix n'existe pas.",
  yes: ['o', 'oui'],
  no: ['n', 'non'],
  nothingDone: "Rien n'a été fait.",
  whichOutput: 'Numéro de la sortie : ',
  onOrOff: '1 : activer, 0 : couper : ',
  reallyPulse: (pulseMs, output) => `Impulsion de ${pulseMs} ms sur la sortie ${output} ? (o/n) `,
  reallySwitch: (state, output) => `${state === 1 ? 'Activer' : 'Couper'} la sortie ${output} ? (o/n) `,
  reallyChange: (what, from, to) => `${what} : ${from} -> ${to} ? (o/n) `,
  done: 'Fait.',
  alreadySo: "C'était déjà ainsi.",
  saved: (what, from, to) => `Enregistré. ${what} : ${from} -> ${to}.`,
  pulseNow: (pulseMs, leastMs, mostMs) => `Actuellement ${pulseMs} ms ; de ${leastMs} à ${mostMs} ms.`,
  newPulse: 'Nouvelle durée en ms : ',
  noWholeNumber: "Ce n'est pas un nombre entier.",
  members: { name: 'Nom', mode: 'Mode', pulseMs: "Durée d'impulsion", powerOn: 'Après une coupure de courant' },
  newName: 'Nouveau nom : ',
  modes: { 'on-off': 'marche-arrêt', impulse: 'impulsion' },
  powerOn: { off: 'coupée', on: 'activée', restore: 'comme avant' },
  states: { on: 'activée', off: 'coupée', unknown: 'inconnu' },
  notes: { unproven: 'non prouvé', asWritten: 'selon la commande', byPolicy: 'par la règle' },
  pulseLeft: (left) => `encore ${left}`,
  lockedBy: (left, by) => `verrouillée encore ${left}, par ${by}`,
  lastCommands: 'Dernières commandes :',
  toggle: 'inverser',
  agoBy: (ago, by) => `il y a ${ago}${by === null ? '' : `, par ${by}`}`,
  ofLocked: { unlock: 'Déverrouiller', lock: 'Verrouiller pour une autre durée' },
  lockTime: (least, most) => `Durée (comme 45m, 2h ou 1d = un jour ; de ${least} à ${most}) : `,
  noDuration: "Cette durée n'est pas possible.",
  reallyLock: (output, forHowLong) => `Verrouiller la sortie ${output} pendant ${forHowLong} ? (o/n) `,
  reallyUnlock: (output) => `Déverrouiller la sortie ${output} ? (o/n) `,
  locked: (forHowLong) => `Verrouillée pendant ${forHowLong} : aucune commande du serveur ne la change.`,
  labels: {
    product: 'Produit',
    server: 'Serveur',
    link: 'Liaison',
    relays: 'Relais',
    key: 'Empreinte',
    enrolment: 'Inscription',
    page: 'Page web',
    certificate: 'Certificat',
    wifi: 'Wi-Fi',
    passphrase: 'Mot de passe',
  },
  linkUp: 'établie',
  linkDown: (cause, problem) => `coupée (${frenchLinkWords(cause) ?? problem})`,
  guardRuns: 'le service des relais répond',
  guardAway: (problem) => `le service des relais ne répond pas (${problem})`,
  codeWaits: 'un code attend sa première utilisation',
  noCode: "aucun code n'attend",
  noCertificate: "pas encore, la page n'a jamais été activée",
  pageOff: 'arrêtée, aucun port ouvert',
  pageOn: (leftS) => `active encore ${duration(leftS)}`,
  pageHint: "Le navigateur avertit une fois : comparez l'empreinte du certificat, puis continuez.",
  reallyPageOn: (leftS) => `Activer la page pour ${duration(leftS)} ? (o/n) `,
  reallyPageOff: 'Arrêter la page ? (o/n) ',
  withWifi: 'Avec un Wi-Fi de cet appareil ? (o/n) ',
  faults: 'Défauts (en anglais, comme dans le journal) :',
  noFaults: 'Aucun défaut.',
  noEvents: "Rien ne s'est passé depuis le démarrage de l'agent.",
  prove: FRENCH_PROVE,
  doctorLooks: "Le diagnostic est en cours ; il dure jusqu'à une demi-minute.",
  verdicts: { ok: 'bien', warn: 'à regarder', fail: 'DÉFAUT' },
  so: 'donc :',
  cure: 'remède :',
  tally: (ok, warn, fail) => `${ok} bien, ${warn} à regarder, ${fail} en défaut`,
  noHistory: "Rien n'a encore été fait sur cet appareil.",
  afterBoot: (seconds) => `${seconds} s après un démarrage`,
  none: 'aucun',
  kinds: {
    output: 'réglage',
    board: 'carte de relais',
    pin: 'code PIN',
    'web-on': 'page web activée',
    'web-off': 'page web arrêtée',
    'set-on': 'activer',
    'set-off': 'couper',
    pulse: 'impulsion',
    click: 'clic pour la preuve',
    proof: 'preuve du câblage',
    lock: 'verrouiller',
    unlock: 'déverrouiller',
    'not-done': 'pas fait',
    'not-confirmed': 'pas confirmé',
    'not-in-file': 'absent du fichier',
    'by-hand': 'fichier modifié à la main',
  },
  outcomes: {
    executed: 'fait',
    'already-set': 'déjà ainsi',
    refused: 'refusé',
    unproven: 'non prouvé',
    expired: 'trop tard',
    unknown: 'inconnu',
    proven: 'prouvé',
  },
  lockedFor: (forHowLong) => `pendant ${forHowLong}`,
  problem: (code, message) => `${FRENCH_PROBLEMS[code] ?? 'Échec.'} (${message})`,
};

const FRENCH_PROBLEMS: Readonly<Record<string, string>> = {
  'guard-unreachable': 'Le service des relais ne répond pas.',
  'out-of-range': 'Valeur hors limites.',
  'output-active': "La sortie est activée ou occupée : coupez-la d'abord.",
  'output-not-found': "Cette sortie n'existe pas.",
  refused: "L'appareil a refusé.",
  unproven: "Fait, pour autant que l'appareil le sache, mais non prouvé : regardez avant de recommencer.",
};

const ENGLISH: Words = {
  pin: 'PIN: ',
  pinShape: (digits) => `The PIN has ${digits} digits.`,
  pinWrong: 'Wrong PIN.',
  pinWait: (waitS) => `Too many wrong ones: wait ${duration(waitS)}.`,
  noPin: 'There is no PIN yet: type "relayctl identity --new-pin" on this device.',
  hello: 'Ctrl-C: back to the menu. Without a key for 5 minutes the session ends.',
  timedOut: 'Session closed: no key for 5 minutes.',
  newPin: 'Session closed: a new PIN was made.',
  garbled: 'That line was garbled and means nothing. Type it again.',
  more: '-- Enter: more, q: enough -- ',
  menu: {
    status: 'Status',
    command: 'Move an output (test)',
    pulse: 'Pulse duration',
    settings: 'Other settings of an output',
    history: 'Last changes',
    identity: 'Identity and link',
    page: "Technician's web page",
    locks: 'Lock or unlock an output',
    log: 'Log',
    doctor: 'What is wrong with this device',
    prove: 'Prove the wiring',
    language: 'Français',
    quit: 'Quit',
  },
  choice: 'Choice: ',
  noSuchChoice: 'There is no such choice.',
  yes: ['y', 'yes'],
  no: ['n', 'no'],
  nothingDone: 'Nothing was done.',
  whichOutput: 'Number of the output: ',
  onOrOff: '1: on, 0: off: ',
  reallyPulse: (pulseMs, output) => `Pulse of ${pulseMs} ms on output ${output}? (y/n) `,
  reallySwitch: (state, output) => `Switch output ${output} ${state === 1 ? 'on' : 'off'}? (y/n) `,
  reallyChange: (what, from, to) => `${what}: ${from} -> ${to}? (y/n) `,
  done: 'Done.',
  alreadySo: 'It was so already.',
  saved: (what, from, to) => `Saved. ${what}: ${from} -> ${to}.`,
  pulseNow: (pulseMs, leastMs, mostMs) => `Now ${pulseMs} ms; ${leastMs} to ${mostMs} ms.`,
  newPulse: 'New duration in ms: ',
  noWholeNumber: 'That is no whole number.',
  members: { name: 'Name', mode: 'Mode', pulseMs: 'Pulse duration', powerOn: 'After a power cut' },
  newName: 'New name: ',
  modes: { 'on-off': 'on-off', impulse: 'impulse' },
  powerOn: { off: 'off', on: 'on', restore: 'as before' },
  states: { on: 'on', off: 'off', unknown: 'unknown' },
  notes: { unproven: 'unproven', asWritten: 'as written', byPolicy: 'by' },
  pulseLeft: (left) => `${left} left`,
  lockedBy: (left, by) => `locked for ${left} by ${by}`,
  lastCommands: 'Last commands:',
  toggle: 'toggle',
  agoBy: (ago, by) => `${ago} ago${by === null ? '' : `, by ${by}`}`,
  ofLocked: { unlock: 'Unlock', lock: 'Lock for another time' },
  lockTime: (least, most) => `For how long (such as 45m, 2h or 1d; ${least} to ${most}): `,
  noDuration: 'A lock has no such duration.',
  reallyLock: (output, forHowLong) => `Lock output ${output} for ${forHowLong}? (y/n) `,
  reallyUnlock: (output) => `Unlock output ${output}? (y/n) `,
  locked: (forHowLong) => `Locked for ${forHowLong}: no command of the server moves it.`,
  labels: {
    product: 'Product',
    server: 'Server',
    link: 'Link',
    relays: 'Relays',
    key: 'Fingerprint',
    enrolment: 'Enrolment',
    page: 'Web page',
    certificate: 'Certificate',
    wifi: 'Wi-Fi',
    passphrase: 'Passphrase',
  },
  linkUp: 'up',
  linkDown: (_cause, problem) => `down (${problem})`,
  guardRuns: 'the relay service answers',
  guardAway: (problem) => `the relay service is away (${problem})`,
  codeWaits: 'a code waits for its first use',
  noCode: 'no code waits',
  noCertificate: 'none yet, the page was never on',
  pageOff: 'off, no port is open',
  pageOn: (leftS) => `on for ${duration(leftS)}`,
  pageHint: "The browser warns once: compare the certificate's fingerprint, then go on.",
  reallyPageOn: (leftS) => `Switch the page on for ${duration(leftS)}? (y/n) `,
  reallyPageOff: 'Switch the page off? (y/n) ',
  withWifi: 'With a Wi-Fi of this device? (y/n) ',
  faults: 'Faults:',
  noFaults: 'No faults.',
  noEvents: 'Nothing has happened since the agent has started.',
  prove: ENGLISH_PROVE,
  doctorLooks: 'The doctor looks; that takes up to half a minute.',
  verdicts: { ok: 'ok', warn: 'look', fail: 'WRONG' },
  so: 'so:',
  cure: 'do:',
  tally: (ok, warn, fail) => `${ok} well, ${warn} to look at, ${fail} wrong`,
  noHistory: 'Nothing was done at this device yet.',
  afterBoot: (seconds) => `${seconds} s after a boot`,
  none: 'none',
  kinds: {
    output: 'setting',
    board: 'relay board',
    pin: 'PIN',
    'web-on': 'web page on',
    'web-off': 'web page off',
    'set-on': 'on',
    'set-off': 'off',
    pulse: 'pulse',
    click: 'click for the proof',
    proof: 'proof of the wiring',
    lock: 'lock',
    unlock: 'unlock',
    'not-done': 'not done',
    'not-confirmed': 'not confirmed',
    'not-in-file': 'not in the file',
    'by-hand': 'file edited by hand',
  },
  outcomes: {
    executed: 'done',
    'already-set': 'already so',
    refused: 'refused',
    unproven: 'unproven',
    expired: 'too late',
    unknown: 'unknown',
    proven: 'proven',
  },
  lockedFor: (forHowLong) => `for ${forHowLong}`,
  problem: (_code, message) => message,
};

const WORDS: Record<ConsoleLanguage, Words> = { fr: FRENCH, en: ENGLISH };

export function wordsOf(language: ConsoleLanguage): Words {
  return WORDS[language];
}

export function otherLanguage(language: ConsoleLanguage): ConsoleLanguage {
  return language === 'fr' ? 'en' : 'fr';
}

function duration(seconds: number): string {
  return seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
