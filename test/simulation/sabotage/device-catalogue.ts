import type { DeliberateFault } from './deliberate-fault';
import * as device from './device-faults';
import * as history from './history-faults';
import * as lock from './lock-faults';
import * as proof from './proof-faults';
import * as settings from './settings-faults';
import * as word from './word-faults';

/** Deliberate faults of agent and guard, and in what becomes of what technicians do. */
export const DEVICE_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'counts the deadline from the receipt',
    breaks: ['I2'],
    says: 'after the execution deadline',
    make: device.countsDeadlineFromReceipt,
  },
  {
    name: 'takes a stale time answer for a fresh one',
    breaks: ['I2'],
    says: 'after the execution deadline',
    make: device.trustsStaleTime,
  },
  {
    name: 'stretches deadlines in the guard',
    breaks: ['I2'],
    says: 'after the execution deadline',
    make: device.stretchesDeadlines,
  },
  {
    name: 'restores impulses at power-on',
    breaks: ['I5'],
    says: 'it is an impulse output',
    make: device.restoresImpulses,
  },
  {
    name: 'confirms before the edge',
    breaks: ['I3'],
    says: 'its relay had not moved',
    make: device.confirmsBeforeEdge,
  },
  { name: 'stretches pulses', breaks: ['I4'], says: 'which nothing excuses', make: device.stretchesPulses },
  { name: 'keeps no journal', breaks: ['I1', 'I9'], says: 'in no journal', make: device.keepsNoJournal },
  {
    name: 'answers before the disk has synced',
    breaks: ['I8', 'I5'],
    says: 'after a restart',
    make: device.answersBeforeSync,
  },
  { name: 'hides reboots', breaks: ['I9'], says: 'the audit says', make: device.hidesReboots },
  {
    name: 'confuses polarity',
    breaks: ['I3', 'I4', 'I5'],
    says: 'it is an impulse output',
    make: device.confusesPolarity,
  },
  { name: 'tells no guard of locks', breaks: ['locks'], says: 'although it is locked', make: lock.tellsNoGuardOfLocks },
  { name: 'keeps locks in memory', breaks: ['locks'], says: 'although it is locked', make: lock.keepsLocksInMemory },
  {
    name: 'takes the power-on policy "on" for "off"',
    breaks: ['I5'],
    says: 'was off when',
    make: device.forgetsPowerOn,
  },
  { name: 'leaves relays on at its start', breaks: ['I5'], says: 'was on when', make: device.startsWithoutRelease },
  { name: 'moves no impulse, and says so', breaks: ['I3'], says: 'its relay had not moved', make: word.movesNoImpulse },
  { name: 'calls everything already set', breaks: ['I3'], says: 'said already-set', make: word.callsAllSet },
  {
    name: 'thinks that a server never reboots',
    breaks: ['liveness'],
    says: 'no command succeeds',
    make: device.keepsServerClock,
  },
  { name: 'calls settings saved that are not', breaks: ['I8'], says: 'in the file', make: settings.savesSettingsLater },
  {
    name: 'stretches running pulses by new settings',
    breaks: ['I4'],
    says: 'which nothing excuses',
    make: settings.stretchesRunningPulses,
  },
  {
    name: 'reports the first settings for ever',
    breaks: ['I11'],
    says: 'is shown as',
    make: settings.reportsFirstSettings,
  },
  {
    name: 'changes the mode of an output that is on',
    breaks: ['settings'],
    says: 'while it was on',
    make: settings.changesModesWhileOn,
  },
  { name: 'leaves a timer behind at each wait', breaks: ['I15'], says: 'timers left', make: device.leavesTimers },
  {
    name: 'throws where nobody catches',
    breaks: ['uncaught'],
    says: 'nobody catches this',
    make: device.throwsUncaught,
  },
  {
    name: 'forces every change of settings',
    breaks: ['I4'],
    says: 'ended after',
    make: settings.forcesChanges,
  },
  {
    name: "enters no technician's commands in the history",
    breaks: ['history'],
    says: 'and it is not in the history',
    make: history.entersNoCommands,
  },
  {
    name: 'enters changes behind them',
    breaks: ['history'],
    says: 'nobody edits here',
    make: history.entersChangesLater,
  },
  {
    name: 'leaves changes entered that were not made',
    breaks: ['history'],
    says: 'and its settings have',
    make: history.takesNothingBack,
  },
  {
    name: 'enters what was refused as executed',
    breaks: ['history'],
    says: 'and the guard said refused',
    make: history.callsRefusalsDone,
  },
  {
    name: 'tells the server of no history',
    breaks: ['history'],
    says: 'is not in the audit',
    make: history.tellsNoHistory,
  },
  {
    name: 'tells the server that others did it',
    breaks: ['history'],
    says: 'in the audit and in no history',
    make: history.blamesOthers,
  },
  {
    name: 'keeps histories anew on each link',
    breaks: ['history'],
    says: 'is twice in the audit',
    make: history.keepsHistoriesAgain,
  },
  {
    name: 'keeps histories backwards',
    breaks: ['history'],
    says: 'out of order in the audit',
    make: history.keepsHistoriesBackwards,
  },
  {
    name: 'asks for no proof of the wiring',
    breaks: ['proof'],
    says: 'before anybody had proven',
    make: proof.asksForNoProof,
  },
  {
    name: 'keeps proofs of the wiring in memory',
    breaks: ['proof'],
    says: 'although its wiring was',
    make: proof.keepsProofsInMemory,
  },
];
