import { AS_ROOT } from './as-root';
import { ENGLISH_OF_BOARDS } from './english-boards';
import { ENGLISH_OF_DEVICES } from './english-devices';
import { ENGLISH_OF_MACHINES } from './english-machines';
import { ENGLISH_OF_SERVERS } from './english-servers';
import type { FindingWords } from './finding-words';

export const ENGLISH: FindingWords = {
  'no-settings': () => ({ found: 'not looked at: there are no settings', cure: 'mend settings.json' }),
  'no-answer': ({ seconds }) => ({ found: `no answer within ${seconds} s`, cure: 'look again' }),
  'not-looked-at': ({ problem }) => ({ found: `could not be looked at: ${problem}`, cure: AS_ROOT.en }),
  'not-seen': ({ problem }) => ({ found: `not seen from here: ${problem}`, cure: AS_ROOT.en }),
  ...ENGLISH_OF_DEVICES,
  ...ENGLISH_OF_BOARDS,
  ...ENGLISH_OF_SERVERS,
  ...ENGLISH_OF_MACHINES,
};
