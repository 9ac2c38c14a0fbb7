import type { DeliberateFault } from './deliberate-fault';
import * as rights from './rights-faults';

/** Deliberate faults of what clients may do and see. */
export const RIGHTS_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'believes every token that is signed',
    breaks: ['I13'],
    says: 'worked for a deactivated client',
    make: rights.believesEveryToken,
  },
  { name: 'shows no command', breaks: ['liveness'], says: 'was not shown', make: rights.showsNoCommand },
  {
    name: 'has never seen a device',
    breaks: ['I11'],
    says: 'never seen, and it has been linked',
    make: rights.hasSeenNoDevice,
  },
];
