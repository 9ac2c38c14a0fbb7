import * as device from './device-faults';
import * as doubt from './doubt-faults';
import * as epoch from './epoch-faults';
import * as history from './history-faults';
import * as lock from './lock-faults';
import * as policy from './policy-faults';
import * as proof from './proof-faults';
import * as report from './report-faults';
import type { Sabotage } from './sabotage';
import * as server from './server-faults';
import * as settings from './settings-faults';
import * as stop from './stop-faults';
import * as token from './token-faults';
import * as word from './word-faults';

export interface DeliberateFault {
  /** As a sentence about the system that has it. */
  name: string;
  /** What the checker must name; one of these. */
  breaks: readonly string[];
  /** What its sentence must hold. */
  says?: string;
  /** Anew for each seed, for it may remember things. */
  make(): Sabotage;
}

/** What proves the checker: each of these, switched on alone, must be caught. */
export const DELIBERATE_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'resends on reconnect, under a new id',
    breaks: ['I9'],
    says: 'before its audit record',
    make: server.resendsOnReconnect,
  },
  { name: 'retransmits after a second', breaks: ['I1'], says: 'sent a command twice', make: server.retransmits },
  { name: 'never releases the place', breaks: ['I6'], says: 'answered after', make: server.neverReleasesPlace },
  { name: 'takes any result for the command that waits', breaks: ['I3', 'I9'], make: server.takesAnyResult },
  {
    name: 'answers 200 for what nobody confirmed',
    breaks: ['I3'],
    says: 'what no frame of a device says',
    make: server.answersBeforeExecution,
  },
  {
    name: "accepts a refresh token's grandparent",
    breaks: ['I13'],
    says: 'was renewed',
    make: server.acceptsGrandparents,
  },
  {
    name: 'writes the audit behind the sending',
    breaks: ['I9'],
    says: 'before its audit record',
    make: server.auditsAfterSending,
  },
  {
    name: 'caches authorisations',
    breaks: ['I13', 'I7'],
    says: 'without the right to',
    make: server.cachesAuthorisations,
  },
  {
    name: 'acknowledges an association before it is durable',
    breaks: ['I8'],
    says: 'the database disagrees',
    make: server.acknowledgesBeforeWriting,
  },
  { name: 'counts no link epochs', breaks: ['I12'], says: 'came after', make: server.countsNoEpochs },
  { name: 'queues a second command', breaks: ['I6'], says: 'answered after', make: server.queuesCommands },
  { name: 'shows states to all', breaks: ['I7'], says: 'was shown', make: server.showsStatesToAll },
  {
    name: 'forgets outcomes that the database refused',
    breaks: ['I9', 'I10'],
    says: 'stays',
    make: server.forgetsRefusedOutcomes,
  },
  { name: 'leaves pending commands behind', breaks: ['I9', 'I10'], says: 'stays', make: server.leavesPendingBehind },
  { name: 'keeps the link of a revoked device', breaks: ['I13'], says: 'was open', make: server.ignoresRevocations },
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
  {
    name: 'goes on without its database',
    breaks: ['I14'],
    says: 'could not be recorded',
    make: doubt.goesOnWithoutDatabase,
  },
  { name: 'fails over bad input', breaks: ['I14'], says: 'nothing had failed', make: doubt.failsOverBadInput },
  { name: 'tells no guard of locks', breaks: ['locks'], says: 'although it is locked', make: lock.tellsNoGuardOfLocks },
  { name: 'keeps locks in memory', breaks: ['locks'], says: 'although it is locked', make: lock.keepsLocksInMemory },
  { name: 'guesses the time', breaks: ['I14'], says: 'had not told the time', make: doubt.guessesTime },
  { name: 'trusts any key', breaks: ['I14'], says: 'without its key', make: doubt.trustsAnyKey },
  {
    name: 'takes an unknown mode for another',
    breaks: ['I14'],
    says: 'its mode was unknown',
    make: doubt.guessesModes,
  },
  { name: 'calls what is read now seen now', breaks: ['I11'], says: 'last seen', make: report.callsReadingsSeen },
  {
    name: 'calls what is read now observed now',
    breaks: ['I11'],
    says: 'heard nothing of it',
    make: report.callsReadingsObserved,
  },
  {
    name: 'calls a device linked that was seen lately',
    breaks: ['I11'],
    says: 'the link was not up',
    make: report.callsSeenLinked,
  },
  {
    name: 'takes the end of a link for a sign of life',
    breaks: ['I11'],
    says: 'last seen',
    make: report.callsLostSeen,
  },
  { name: 'keeps the first report', breaks: ['I11'], says: 'has heard of it since', make: report.keepsFirstReports },
  { name: 'checks no link epochs', breaks: ['I12'], says: 'was begun after', make: epoch.checksNoEpochs },
  { name: 'reads superseded links', breaks: ['I12'], says: 'superseded', make: epoch.readsSupersededLinks },
  {
    name: 'gives a replayed token a successor of its own',
    breaks: ['I13'],
    says: 'two successors',
    make: token.forksFamilies,
  },
  { name: 'replays lost answers for ever', breaks: ['I13'], says: 'long after', make: token.replaysForEver },
  { name: 'forgives the reuse of tokens', breaks: ['I13'], says: 'lives on', make: token.forgivesReuse },
  { name: 'gives no lost answer again', breaks: ['liveness'], says: 'not given again', make: token.replaysNothing },
  {
    name: 'takes the power-on policy "on" for "off"',
    breaks: ['I5'],
    says: 'was off when',
    make: device.forgetsPowerOn,
  },
  { name: 'leaves relays on at its start', breaks: ['I5'], says: 'was on when', make: device.startsWithoutRelease },
  {
    name: 'misses a revocation while a link opens',
    breaks: ['I13'],
    says: 'was open',
    make: server.missesRevocationAtOpening,
  },
  { name: 'shows commands to all', breaks: ['I7'], says: 'was shown', make: server.showsCommandsToAll },
  { name: 'confuses clients', breaks: ['I10'], says: 'answer to another', make: server.confusesClients },
  { name: 'moves no impulse, and says so', breaks: ['I3'], says: 'its relay had not moved', make: word.movesNoImpulse },
  { name: 'calls everything already set', breaks: ['I3'], says: 'said already-set', make: word.callsAllSet },
  {
    name: 'drops everything when it is told to stop',
    breaks: ['stop'],
    says: 'stopped in order',
    make: stop.stopsServerAtOnce,
  },
  {
    name: 'closes links before their commands are through',
    breaks: ['stop'],
    says: 'closed with a command in flight',
    make: stop.closesLinksFirst,
  },
  { name: 'leaves relays on when it is told to stop', breaks: ['stop'], says: 'is on', make: stop.leavesRelaysOn },
  { name: 'thinks that a server never reboots', breaks: ['I2', 'liveness'], make: device.keepsServerClock },
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
  { name: 'forces every change of settings', breaks: ['I4', 'I5', 'settings'], make: settings.forcesChanges },
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
  {
    name: 'forgets the old end of a pulse that is to be longer',
    breaks: ['I4'],
    says: 'made longer after its end',
    make: policy.forgetsOldEnd,
  },
  { name: 'extends no pulse, and says so', breaks: ['I3'], says: 'not pulsed anew', make: policy.extendsNothing },
  { name: 'extends pulses that must not be', breaks: ['I4'], says: 'which it must not be', make: policy.extendsAll },
  { name: 'arms maxOnMs anew at each command', breaks: ['I4'], says: 'ms were over', make: policy.rearmsMaxOn },
  { name: 'lets maxOnMs wait for the journal', breaks: ['I4'], says: 'ms were over', make: policy.capWaitsForJournal },
  { name: 'ends an output before its time is up', breaks: ['I5'], says: 'went off by itself', make: policy.endsEarly },
  {
    name: 'forgets what a policy has switched off',
    breaks: ['I5'],
    says: 'after its end',
    make: policy.forgetsPolicyOff,
  },
  {
    name: 'gives outputs maxOnMs anew at a restart',
    breaks: ['I4'],
    says: 'ms were over',
    make: policy.restartsMaxOn,
  },
  {
    name: 'forgets minSwitchIntervalMs at a restart',
    breaks: ['I14'],
    says: 'is too soon',
    make: policy.forgetsInterval,
  },
  { name: 'refuses to switch off too soon', breaks: ['I14'], says: 'was not switched off', make: policy.refusesOff },
  { name: 'breaks and makes without a wait', breaks: ['I14'], says: 'went off only', make: policy.waitsNotAtBreak },
  {
    name: 'lets starts of an interlock take no turns',
    breaks: ['I14'],
    says: 'of its interlock',
    make: policy.takesNoTurns,
  },
  {
    name: 'counts a stuck member of an interlock as off',
    breaks: ['I14'],
    says: 'of its interlock is on',
    make: policy.trustsStuckMember,
  },
  {
    name: 'powers on two members of an interlock',
    breaks: ['I14'],
    says: 'of its interlock is on',
    make: policy.powersOnTwoMembers,
  },
  {
    name: 'takes the presence of a stale link',
    breaks: ['I4'],
    says: 'the link had been away',
    make: policy.trustsStaleLink,
  },
  { name: 'hears no sign of life', breaks: ['I5'], says: 'went off by itself', make: policy.hearsNobody },
  {
    name: 'counts a hung agent as present',
    breaks: ['I4'],
    says: 'the agent had been away',
    make: policy.countsHungAgent,
  },
  {
    name: 'believes "already set" without proof',
    breaks: ['I3'],
    says: 'never showed it',
    make: policy.believesAlreadySet,
  },
  { name: 'tells what is not proven as done', breaks: ['I3'], make: policy.tellsUnprovenAsDone },
  { name: 'looks at no feedback input', breaks: ['I3'], says: 'never showed it', make: policy.provesNothing },
  {
    name: 'believes an input that showed it before the edge',
    breaks: ['I3'],
    says: 'had shown it before',
    make: policy.believesStuckInputs,
  },
];
