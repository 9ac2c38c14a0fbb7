import * as changes from './change-faults';
import type { DeliberateFault } from './deliberate-fault';

/** Deliberate faults of what listeners are told. */
export const CHANGE_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'gives a change the number of the one before it',
    breaks: ['changes'],
    says: 'never told',
    make: changes.countsNoChange,
  },
  {
    name: 'keeps the number of a change outside of its transaction',
    breaks: ['changes'],
    says: 'was given to',
    make: changes.keepsNumbersApart,
  },
  { name: 'passes a change over', breaks: ['changes'], says: 'never told', make: changes.skipsChanges },
  { name: 'tells changes twice', breaks: ['changes'], says: 'told again', make: changes.tellsChangesAgain },
  {
    name: 'tells nothing unless it is woken',
    breaks: ['changes'],
    says: 'not told within',
    make: changes.waitsToBeWoken,
  },
];
