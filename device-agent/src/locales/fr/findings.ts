import type { FindingName, FindingTranslations } from '../findings';
import { AS_ROOT } from './as-root';
import { OF_BOARDS } from './findings-of-boards';
import { OF_DEVICES } from './findings-of-devices';
import { OF_INPUTS } from './findings-of-inputs';
import { OF_MACHINES } from './findings-of-machines';
import { OF_SERVERS } from './findings-of-servers';

export const FINDINGS: FindingTranslations = {
  'no-settings': { found: 'pas regardé : il n’y a pas de réglages', cure: 'corrigez settings.json' },
  'no-answer': { found: 'pas de réponse en {seconds} s', cure: 'regardez encore' },
  'not-looked-at': {
    found: 'n’a pas pu être regardé : {problem}',
    cure: AS_ROOT,
  },
  'not-seen': { found: 'pas visible d’ici : {problem}', cure: AS_ROOT },
  ...OF_DEVICES,
  ...OF_BOARDS,
  ...OF_INPUTS,
  ...OF_SERVERS,
  ...OF_MACHINES,
};

export const FINDING_NAMES: Record<FindingName, string> = {
  settings: 'réglages',
  programs: 'programmes',
  faults: 'défauts',
  enrolment: 'inscription',
  proof: 'preuve du câblage',
  kernel: 'noyau',
  'GPIO access': 'accès GPIO',
  board: 'carte de relais',
  inputs: 'entrées',
  'power-on': 'mise sous tension',
  'killed process': 'processus tué',
  console: 'console série',
  'server name': 'nom du serveur',
  server: 'serveur',
  certificate: 'certificat',
  clock: 'horloge',
  'time service': 'service de temps',
  disk: 'disque',
  'file system': 'système de fichiers',
  card: 'carte mémoire',
  supply: 'alimentation',
  watchdog: 'chien de garde',
  secrets: 'secrets',
  permissions: 'droits d’accès',
};
