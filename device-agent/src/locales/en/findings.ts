import type { FindingName, FindingWords } from '../findings';
import { AS_ROOT } from './as-root';
import { OF_BOARDS } from './findings-of-boards';
import { OF_DEVICES } from './findings-of-devices';
import { OF_INPUTS } from './findings-of-inputs';
import { OF_MACHINES } from './findings-of-machines';
import { OF_SERVERS } from './findings-of-servers';

export const FINDINGS: FindingWords = {
  'no-settings': () => ({ found: 'not looked at: there are no settings', cure: 'mend settings.json' }),
  'no-answer': ({ seconds }) => ({ found: `no answer within ${seconds} s`, cure: 'look again' }),
  'not-looked-at': ({ problem }) => ({ found: `could not be looked at: ${problem}`, cure: AS_ROOT }),
  'not-seen': ({ problem }) => ({ found: `not seen from here: ${problem}`, cure: AS_ROOT }),
  ...OF_DEVICES,
  ...OF_BOARDS,
  ...OF_INPUTS,
  ...OF_SERVERS,
  ...OF_MACHINES,
};

/** Those for programs, too. */
export const FINDING_NAMES: Record<FindingName, string> = {
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
};
