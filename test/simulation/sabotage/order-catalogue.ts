import type { DeliberateFault } from './deliberate-fault';
import * as order from './order-faults';

/** Deliberate faults of who is refused, and of what a guard is told to do. */
export const ORDER_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'switches off what is to go on',
    breaks: ['I3'],
    says: 'set moved the wrong way',
    make: order.confusesOnAndOff,
  },
  { name: 'moves another output', breaks: ['I10'], says: 'a command for', make: order.confusesOutputs },
  {
    name: 'moves another output for a technician',
    breaks: ['I10'],
    says: 'another output moved',
    make: order.confusesOutputsLocally,
  },
  {
    name: 'gives commands another id',
    breaks: ['I9'],
    says: 'which no server recorded',
    make: order.renamesCommands,
  },
  { name: 'refuses late', breaks: ['I6'], says: 'told 409 only after', make: order.refusesLate },
  {
    name: 'has one slot for all products',
    breaks: ['I6'],
    says: 'told 409, and nobody held the slot',
    make: order.hasOneSlotForAll,
  },
];
