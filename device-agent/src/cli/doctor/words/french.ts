import { phraseInFrench } from '../../../words/phrases-french';
import { AS_ROOT } from './as-root';
import type { FindingName, FindingWords } from './finding-words';
import { FRENCH_OF_BOARDS } from './french-boards';
import { FRENCH_OF_DEVICES } from './french-devices';
import { FRENCH_OF_MACHINES } from './french-machines';
import { FRENCH_OF_SERVERS } from './french-servers';

export const FRENCH: FindingWords = {
  'no-settings': () => ({ found: 'pas regardé : il n’y a pas de réglages', cure: 'corrigez settings.json' }),
  'no-answer': ({ seconds }) => ({ found: `pas de réponse en ${seconds} s`, cure: 'regardez encore' }),
  'not-looked-at': ({ problem }) => ({
    found: `n’a pas pu être regardé : ${phraseInFrench(problem)}`,
    cure: AS_ROOT.fr,
  }),
  'not-seen': ({ problem }) => ({ found: `pas visible d’ici : ${phraseInFrench(problem)}`, cure: AS_ROOT.fr }),
  ...FRENCH_OF_DEVICES,
  ...FRENCH_OF_BOARDS,
  ...FRENCH_OF_SERVERS,
  ...FRENCH_OF_MACHINES,
};

export const FRENCH_NAMES: Record<FindingName, string> = {
  settings: 'réglages',
  programs: 'programmes',
  faults: 'défauts',
  enrolment: 'inscription',
  proof: 'preuve du câblage',
  kernel: 'noyau',
  'GPIO access': 'accès GPIO',
  board: 'carte de relais',
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
