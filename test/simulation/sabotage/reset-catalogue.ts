import type { DeliberateFault } from './deliberate-fault';
import { trustsAnyKey } from './doubt-faults';
import * as reset from './reset-faults';

/** Deliberate faults of the factory reset. */
export const RESET_FAULTS: readonly DeliberateFault[] = [
  { name: 'keeps its key', breaks: ['reset'], says: 'has left /data/identity.json', make: reset.keepsTheKey },
  { name: 'keeps its PIN', breaks: ['reset'], says: 'has left /data/pin.json', make: reset.keepsThePin },
  {
    name: 'remembers its key',
    breaks: ['reset'],
    says: 'has the key that it had before',
    make: reset.remembersTheKey,
  },
  {
    name: 'restores what was on before',
    breaks: ['reset'],
    says: 'was on before a factory reset, and is again',
    make: reset.keepsTheState,
  },
  {
    name: 'leaves outputs on',
    breaks: ['reset'],
    says: 'was on when a factory reset began to wipe',
    make: reset.leavesOutputsOn,
  },
  {
    name: 'believes the guard that it asked first',
    breaks: ['reset'],
    says: 'was on when a factory reset began to wipe',
    make: reset.asksOneGuardOnly,
  },
  { name: 'says too soon that it is done', breaks: ['reset'], says: 'was said to be wiped', make: reset.saysItTooSoon },
  {
    name: 'is begun, and no guard looks at that',
    breaks: ['reset'],
    says: 'a guard worked on what a factory reset has left',
    make: reset.startsGuardsHalfWiped,
  },
  {
    name: 'was cut short, and no agent finishes it',
    breaks: ['reset'],
    says: 'an agent worked on what a factory reset has left',
    make: reset.forgetsThatItWasBegun,
  },
  {
    name: 'writes down nowhere that it is begun',
    breaks: ['reset'],
    says: 'nothing says that a factory reset was begun',
    make: reset.marksNothing,
  },
  {
    name: 'is made once more by an agent that is about to end',
    breaks: ['reset'],
    says: 'is to be wiped anew by the agent that has wiped it',
    make: reset.beginsAnew,
  },
  {
    name: 'is followed by a link without a code',
    breaks: ['reset'],
    says: 'before it had a new code',
    make: trustsAnyKey,
  },
];
