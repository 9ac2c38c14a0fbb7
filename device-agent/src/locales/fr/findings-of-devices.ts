import type { Translated } from '../catalogue';
import type { OF_DEVICES as ENGLISH } from '../en/findings-of-devices';
import type { Sentences } from '../findings';
import { AS_ROOT } from './as-root';

const PROVE = 'placez-vous là où l’on voit les relais et lancez « relayctl prove --by NOM »';
const NO_COMMAND = 'aucune commande à distance ne peut arriver';
const CONSOLE_CURES = {
  gadget: 'dtoverlay=dwc2 dans config.txt et le module g_serial, ou un autre console.port dans settings.json',
  header: 'dans raspi-config, activez le port série et désactivez la connexion par ce port, puis redémarrez',
  adapter: 'branchez l’adaptateur, ou nommez-le dans settings.json comme « relayctl board ports » l’affiche',
} as const;
const HALF_SEEN = {
  login: 'on ne voit pas d’ici si une invite de connexion l’occupe',
  openers: 'on ne voit pas d’ici qui d’autre l’a ouvert',
} as const;

export const OF_DEVICES: Translated<typeof ENGLISH, Sentences> = {
  'settings-unusable': {
    found: 'settings.json est inutilisable : {problem}',
    means: 'ni le service des relais ni l’agent ne peuvent démarrer',
    cure: 'corrigez ce que la phrase indique',
  },
  'settings-well': {
    found: '{outputs} sorties sur une carte de type {kind}, produit {product}',
  },
  'agent-away': {
    found: 'l’agent ne répond pas : {problem}',
    means: NO_COMMAND,
    cure: 'systemctl status relaygate-agent',
  },
  'agent-not-seen': {
    found: 'pas visible d’ici : {socket} n’est pas pour cet utilisateur',
    cure: AS_ROOT,
  },
  'guard-away': {
    found: 'service des relais absent : {problem}',
    means: 'aucune sortie ne peut être commandée',
    cure: 'systemctl status relaygate-guard',
  },
  'programs-run': { found: 'l’agent {version} et le service des relais tournent' },
  'faults-unknown': { found: 'inconnus sans l’agent', cure: 'voir « programmes »' },
  'no-faults': { found: 'aucun' },
  faults: ({ texts }) => ({ found: texts.join(' '), cure: 'selon chaque phrase ; voir « relayctl status »' }),
  linked: { found: 'inscrit, et relié (époque {epoch})' },
  'no-key': {
    found: 'pas encore de paire de clés',
    means: 'elle est créée au premier démarrage de l’agent',
    cure: 'démarrez relaygate-agent',
  },
  'not-linked': ({ hasCode }) => ({ found: `pas relié ; ${codeWords(hasCode)}`, cure: 'démarrez relaygate-agent' }),
  'not-enrolled': ({ problem, hasCode }) => ({
    found: `pas relié${problem === null ? '' : ` : ${problem}`} ; ${codeWords(hasCode)}`,
    means: NO_COMMAND,
    cure: hasCode
      ? 'voir « serveur » ; si tout y est bien, demandez un nouveau code à l’exploitant'
      : 'si le serveur ne connaît pas cet appareil : le code de « relaygate-server product create », ou s’il est utilisé ou perdu, de « product revoke-device LOGIN », dans DATA/enrolment-code',
  }),
  'never-proven': ({ isRequired }) => ({
    found: 'le câblage n’a jamais été prouvé',
    means: isRequired
      ? 'les commandes à distance sont refusées'
      : 'personne n’a vu que chaque sortie actionne son propre relais',
    cure: PROVE,
  }),
  proven: ({ by, at }) => ({
    found: `par ${by}, ${at ?? 'l’horloge n’étant pas réglée'} ; l’état le dit si le câblage a changé depuis`,
  }),
  'proof-unreadable': {
    found: 'proof.json ne peut pas être lu : {problem}',
    means: 'il ne prouve rien',
    cure: PROVE,
  },
  'no-console': { found: 'aucune console série n’est réglée' },
  'console-missing': ({ port, kind }) => ({
    found: `${port} n’existe pas`,
    means: 'aucun terminal ne trouve le menu',
    cure: CONSOLE_CURES[kind],
  }),
  'console-login': ({ port, login, tty, isBootConsole }) => ({
    found: `${port} : l’invite de connexion de ${login} l’occupe`,
    means: 'qui branche un portable trouve cette invite au lieu du menu',
    cure: `sudo systemctl mask --now ${login}${isBootConsole ? ` ; ${noBootConsole(tty)}` : ''} ; puis redémarrez relaygate-agent`,
  }),
  'console-opened': ({ port, openers }) => ({
    found: `${port} est ouvert par ${openers.map(({ pid, commandLine }) => `« ${commandLine} » (processus ${pid})`).join(', ')}`,
    means: 'l’agent ne peut pas l’avoir',
    cure: 'arrêtez ce programme ; l’agent prend le port en moins de 2 s',
  }),
  'console-of-kernel': ({ port, tty }) => ({
    found: `${port} est une console du noyau`,
    means: 'ses messages se mêlent au menu, et systemd y lance une invite de connexion à chaque démarrage',
    cure: noBootConsole(tty),
  }),
  'console-closed': {
    found: 'pas visible d’ici : {port} n’est pas pour cet utilisateur',
    cure: `${AS_ROOT} ; l’agent doit être dans le groupe dialout`,
  },
  'console-half-seen': ({ port, what }) => ({ found: `${port} existe ; ${HALF_SEEN[what]}`, cure: AS_ROOT }),
  'console-well': { found: '{port} existe, et seul l’agent l’a ouvert' },
  'data-missing': {
    found: '{folder} n’existe pas',
    means: 'rien ne peut être enregistré',
    cure: 'donnez le dossier par --data, ou installez le paquet',
  },
  'secrets-open': ({ paths }) => ({
    found: `d’autres peuvent lire ${paths.join(' ')}`,
    means: 'qui lit la clé peut se faire passer pour cet appareil',
    cure: `chmod 600 ${paths.join(' ')}`,
  }),
  'secrets-foreign': ({ owner, paths }) => ({
    found: `${paths.join(' ')} n’appartient pas à l’utilisateur de l’agent, ${owner}`,
    means: 'l’agent ne peut peut-être pas le lire',
    cure: `chown ${owner} ${paths.join(' ')}`,
  }),
  'no-secrets': { found: 'aucun pour l’instant' },
  'secrets-closed': { found: 'pour leur seul propriétaire' },
  'access-open': ({ paths }) => ({
    found: `ouvert à tous : ${paths.join(' ')}`,
    means: 'n’importe quel utilisateur de cette machine peut commander les relais',
    cure: `chmod o= ${paths.join(' ')}`,
  }),
  'access-closed': { found: 'dossier de données, réglages et sockets sont fermés aux autres' },
};

function codeWords(hasCode: boolean): string {
  return hasCode ? 'un code attend sa première utilisation' : 'aucun code n’attend';
}

function noBootConsole(tty: string): string {
  const names = tty === 'ttyS0' || tty === 'ttyAMA0' ? `console=serial0 ou console=${tty}` : `console=${tty}`;
  return `retirez ${names} de cmdline.txt et redémarrez`;
}
