import { AS_ROOT } from './as-root';
import { OF_BOARDS } from './findings-of-boards';
import { OF_DEVICES } from './findings-of-devices';
import { OF_INPUTS } from './findings-of-inputs';
import { OF_MACHINES } from './findings-of-machines';
import { OF_SERVERS } from './findings-of-servers';

export const FINDINGS = {
  'no-settings': { found: 'not looked at: there are no settings', cure: 'mend settings.json' },
  'no-answer': { found: 'no answer within {seconds} s', cure: 'look again' },
  'not-looked-at': { found: 'could not be looked at: {problem}', cure: AS_ROOT },
  'not-seen': { found: 'not seen from here: {problem}', cure: AS_ROOT },
  ...OF_DEVICES,
  ...OF_BOARDS,
  ...OF_INPUTS,
  ...OF_SERVERS,
  ...OF_MACHINES,
} as const;

/** The names for programs, too. */
export const FINDING_NAMES = {
  settings: 'settings',
  programs: 'programs',
  faults: 'faults',
  enrolment: 'enrolment',
  proof: 'proof',
  kernel: 'kernel',
  'GPIO access': 'GPIO access',
  board: 'board',
  inputs: 'inputs',
  'power-on': 'power-on',
  'killed process': 'killed process',
  console: 'console',
  'server name': 'server name',
  server: 'server',
  certificate: 'certificate',
  clock: 'clock',
  'time service': 'time service',
  disk: 'disk',
  'file system': 'file system',
  card: 'card',
  supply: 'supply',
  watchdog: 'watchdog',
  secrets: 'secrets',
  permissions: 'permissions',
} as const;
