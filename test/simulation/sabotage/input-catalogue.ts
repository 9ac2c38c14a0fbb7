import type { DeliberateFault } from './deliberate-fault';
import * as entry from './entry-faults';
import * as input from './input-faults';

const FAULTS: readonly DeliberateFault[] = [
  {
    name: 'counts a button that is pressed at its start',
    breaks: ['I14'],
    says: 'for input',
    make: input.countsAtStart,
  },
  {
    name: 'replays an edge after a stall',
    breaks: ['I14'],
    says: 'which nobody pressed',
    make: input.replaysEdges,
  },
  {
    name: 'counts presses however old they are',
    breaks: ['I2'],
    says: 'heard of too late',
    make: input.forgetsAges,
  },
  {
    name: 'debounces by the wall clock',
    breaks: ['I14'],
    says: 'which nobody pressed',
    make: input.debouncesByWallClock,
  },
  {
    name: 'shows contacts as live after the loss of their link',
    breaks: ['I11'],
    says: 'when the server heard nothing of it',
    make: input.showsInputsAsLive,
  },
  {
    name: 'enters no press that came while its agent was away',
    breaks: ['history'],
    says: 'and it is not in the history',
    make: entry.entersNoEarlierPresses,
  },
  {
    name: 'enters presses that were refused as executed',
    breaks: ['history'],
    says: 'executed, and it was refused',
    make: entry.callsRefusedPressesDone,
  },
  {
    name: 'enters another reason of a refused press',
    breaks: ['history'],
    says: 'refused (journal-failed), and it was refused',
    make: entry.entersOtherReasons,
  },
  {
    name: 'counts one press less as missing',
    breaks: ['history'],
    says: 'presses as missing, and',
    make: entry.countsOneLess,
  },
  {
    name: 'enters presses again after a restart of its agent',
    breaks: ['history'],
    says: 'is twice in the history',
    make: entry.entersPressesAgain,
  },
];

/** Deliberate faults of buttons and contacts, for seeds that have some. */
export const INPUT_FAULTS: readonly DeliberateFault[] = FAULTS.map((fault) => ({
  ...fault,
  plays: ({ products }) => products.some(({ inputs = [] }) => inputs.length > 0),
}));
