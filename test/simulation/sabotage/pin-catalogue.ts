import type { DeliberateFault } from './deliberate-fault';
import * as pin from './pin-faults';

/** Deliberate faults of the technician's page, of the serial console and of their PIN. */
export const PIN_FAULTS: readonly DeliberateFault[] = [
  { name: 'lets anybody in', breaks: ['pin'], says: 'was let in without the PIN', make: pin.letsAnybodyIn },
  { name: 'counts no wrong PINs', breaks: ['pin'], says: 'after 5 wrong PINs', make: pin.countsNoWrongPins },
  {
    name: 'keeps those in who know the PIN before the last',
    breaks: ['pin'],
    says: 'by the PIN before the last',
    make: pin.keepsOldSessions,
  },
  { name: 'asks nobody for a session', breaks: ['pin'], says: 'was not let in, and', make: pin.asksForNoSession },
  {
    name: 'forgets the wrong PINs of its console at a restart',
    breaks: ['pin'],
    says: 'wrong PINs, some of them before a restart',
    make: pin.forgetsWrongPinsAtRestarts,
  },
  {
    name: 'lets anybody in after a power loss',
    breaks: ['pin'],
    says: 'without the PIN, after a power loss',
    make: pin.trustsAfterPowerLoss,
  },
  {
    name: 'keeps the first of two PINs that are made at once',
    breaks: ['history'],
    says: 'was told that pin is done, and it is not in the file',
    make: pin.keepsTheFirstOfTwo,
  },
];
