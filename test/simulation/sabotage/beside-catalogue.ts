import * as beside from './beside-faults';
import type { DeliberateFault } from './deliberate-fault';

/** Deliberate faults in what an excuse of another output, or of another time, must not cover. */
export const BESIDE_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'ends pulses late beside a relay that is stuck',
    breaks: ['I4'],
    says: 'which nothing excuses',
    make: beside.endsLateBesideStuck,
  },
  {
    name: 'drops outputs beside a relay that is stuck',
    breaks: ['I5'],
    says: 'went off by itself',
    make: beside.dropsBesideStuck,
  },
  {
    name: 'leaves a relay on that was stuck',
    breaks: ['I4'],
    says: 'which nothing excuses',
    make: beside.staysOnAfterStuck,
  },
  {
    name: 'drives all outputs off for a change of one',
    breaks: ['I5'],
    says: 'went off by itself',
    make: beside.forcesAllOff,
  },
  {
    name: 'saves nothing while its disk has just come right',
    breaks: ['I8'],
    says: 'off after a restart',
    make: beside.savesNothingAfterTrouble,
  },
];
