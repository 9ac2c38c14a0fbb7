import type { DeliberateFault } from './deliberate-fault';
import * as writer from './writer-faults';

/** Deliberate faults of the server's writer, its thread, and what stands on its disk. */
export const WRITER_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'tells the disk of no commit',
    breaks: ['I8'],
    says: 'is not in the database any more',
    make: writer.syncsNothing,
  },
  {
    name: 'acknowledges commands before the disk has them',
    breaks: ['I9'],
    says: 'before its audit record',
    make: writer.answersBeforeCommits,
  },
  {
    name: 'misses the death of its writer thread',
    breaks: ['liveness'],
    says: 'no command',
    make: writer.missesDeaths,
  },
  { name: 'waits for a hung writer for ever', breaks: ['writer'], says: 'answered', make: writer.waitsForEver },
  {
    name: 'takes a write that nobody answered for undone',
    breaks: ['I9'],
    says: 'stays pending',
    make: writer.takesUnansweredForUndone,
  },
  {
    name: 'fails a whole group for one write',
    breaks: ['writer'],
    says: 'refused for the failure of 1',
    make: writer.failsWholeGroups,
  },
  { name: 'keeps half of a refused write', breaks: ['I9'], says: 'undefined in the audit', make: writer.keepsHalves },
  {
    name: 'calls a failed group done',
    breaks: ['I8'],
    says: 'the database disagrees',
    make: writer.callsFailedGroupsDone,
  },
  {
    name: 'takes a right that it cannot read for none',
    breaks: ['liveness'],
    says: 'was refused what it may do',
    make: writer.takesUnreadableForMissing,
  },
];
