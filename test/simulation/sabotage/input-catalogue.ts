import type { DeliberateFault } from './deliberate-fault';
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
];

/** Deliberate faults of buttons and contacts, for seeds that have some. */
export const INPUT_FAULTS: readonly DeliberateFault[] = FAULTS.map((fault) => ({
  ...fault,
  plays: ({ products }) => products.some(({ inputs = [] }) => inputs.length > 0),
}));
