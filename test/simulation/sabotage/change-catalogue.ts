import * as changes from './change-faults';
import type { DeliberateFault } from './deliberate-fault';

/** Deliberate faults of what is reported to listeners. */
export const CHANGE_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'gives a change the number of the one before it',
    breaks: ['changes'],
    says: 'never reported',
    make: changes.countsNoChange,
  },
  {
    name: 'keeps the number of a change outside of its transaction',
    breaks: ['changes'],
    says: 'was given to',
    make: changes.keepsNumbersApart,
  },
  { name: 'passes a change over', breaks: ['changes'], says: 'never reported', make: changes.skipsChanges },
  { name: 'reports changes twice', breaks: ['changes'], says: 'reported again', make: changes.reportsChangesAgain },
  {
    name: 'reports nothing unless it is woken',
    breaks: ['changes'],
    says: 'not reported within',
    make: changes.waitsToBeWoken,
  },
];
