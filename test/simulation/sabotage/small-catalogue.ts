import type { DeliberateFault } from './deliberate-fault';
import * as small from './small-faults';

/** Deliberate faults of ten milliseconds, of one frame or of one record. */
export const SMALL_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'ends pulses 10 ms late',
    breaks: ['I4'],
    says: 'which nothing excuses',
    make: small.endsPulsesLate,
  },
  {
    name: 'ends pulses 10 ms early',
    breaks: ['I4'],
    says: 'ended after',
    make: small.endsPulsesEarly,
  },
  {
    name: 'counts maxOnMs 10 ms late',
    breaks: ['I4'],
    says: 'ms were over',
    make: small.countsMaxOnLate,
  },
  {
    name: 'takes 10 ms off minSwitchIntervalMs',
    breaks: ['I14'],
    says: 'is too soon',
    make: small.shortensInterval,
  },
  {
    name: "takes 10 ms off an interlock's delay",
    breaks: ['I14'],
    says: 'went off only',
    make: small.shortensInterlockDelay,
  },
  {
    name: 'begins up to 10 ms after the deadline',
    breaks: ['I2'],
    says: 'deadline',
    make: small.stretchesDeadlinesALittle,
  },
  {
    name: 'confirms 10 ms before the edge',
    breaks: ['I3'],
    says: 'its relay had not moved',
    make: small.confirmsJustBeforeEdge,
  },
  {
    name: 'dates states 10 ms later',
    breaks: ['I11'],
    says: 'heard nothing of it',
    make: small.datesStatesLater,
  },
  {
    name: 'dates the last sight of a device 10 ms later',
    breaks: ['I11'],
    says: 'when it was not heard',
    make: small.datesSightsLater,
  },
  {
    name: 'sends one command twice',
    breaks: ['I1'],
    says: 'sent a command twice',
    make: small.sendsOneTwice,
  },
  {
    name: 'passes over one result',
    breaks: ['I10'],
    says: 'and the guard knows',
    make: small.losesOneResult,
  },
  {
    name: 'passes over one report',
    breaks: ['I11'],
    says: 'has heard of it since',
    make: small.losesOneReport,
  },
  {
    name: 'tells the server one entry less',
    breaks: ['history'],
    says: 'is not in the audit',
    make: small.tellsOneEntryLess,
  },
  {
    name: 'audits one command after its sending',
    breaks: ['I9'],
    says: 'before its audit record',
    make: small.auditsOneAfterSending,
  },
  {
    name: 'forgets one outcome',
    breaks: ['I9', 'I10'],
    says: 'stays',
    make: small.forgetsOneOutcome,
  },
  {
    name: 'forgets one association',
    breaks: ['I8'],
    says: 'the database disagrees',
    make: small.forgetsOneAssociation,
  },
  {
    name: 'loses one line of its journal',
    breaks: ['I1'],
    says: 'in no journal',
    make: small.losesOneLineOfJournal,
  },
  {
    name: 'names somebody else in one entry of its history',
    breaks: ['history'],
    says: 'which nobody did',
    make: small.blamesOneOther,
  },
];
