import type { Plan } from '../plan/plan';
import type { DeliberateFault } from './deliberate-fault';
import * as doubt from './doubt-faults';
import * as epoch from './epoch-faults';
import * as key from './key-faults';
import * as report from './report-faults';
import * as server from './server-faults';
import * as stop from './stop-faults';
import * as token from './token-faults';

/** Nothing else can show a fault of keys. */
function hasKeys({ steps }: Plan): boolean {
  return steps.some((step) => step.do === 'call' && 'key' in step.call);
}

/** Deliberate faults of the server and of what it tells. */
export const SERVER_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'writes a key down behind the sending',
    breaks: ['key'],
    says: 'before it was unknown',
    plays: hasKeys,
    make: key.storesKeysAfterSending,
  },
  {
    name: 'takes the key of one client for that of another',
    breaks: ['key'],
    says: 'it is of another key',
    plays: hasKeys,
    make: key.scopesKeysWithoutClient,
  },
  {
    name: 'runs a command anew that nobody has confirmed',
    breaks: ['key'],
    says: 'before it was unknown',
    plays: hasKeys,
    make: key.runsUnknownAnew,
  },
  {
    name: 'runs a command anew that its board has refused',
    breaks: ['key'],
    says: 'before it was refused (board-failed)',
    plays: hasKeys,
    make: key.runsFailedBoardsAnew,
  },
  {
    name: 'executes what it answers again',
    breaks: ['key'],
    says: 'under no key',
    plays: hasKeys,
    make: key.replaysAndExecutes,
  },
  {
    name: 'resends on reconnect, under a new id',
    breaks: ['I9'],
    says: 'before its audit record',
    make: server.resendsOnReconnect,
  },
  { name: 'retransmits after a second', breaks: ['I1'], says: 'sent a command twice', make: server.retransmits },
  { name: 'never releases the slot', breaks: ['I6'], says: 'answered after', make: server.neverReleasesSlot },
  {
    name: 'takes any result for the command that waits',
    breaks: ['I3', 'I9'],
    says: 'no guard had said',
    make: server.takesAnyResult,
  },
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
  {
    name: 'settles as lost what is in flight',
    breaks: ['I6'],
    says: 'while it was in flight',
    make: server.settlesWhatIsInFlight,
  },
  { name: 'keeps the link of a revoked device', breaks: ['I13'], says: 'was open', make: server.ignoresRevocations },
  {
    name: 'goes on without its database',
    breaks: ['I14'],
    says: 'could not be recorded',
    make: doubt.goesOnWithoutDatabase,
  },
  { name: 'fails over bad input', breaks: ['I14'], says: 'nothing had failed', make: doubt.failsOverBadInput },
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
    name: 'misses a revocation while a link opens',
    breaks: ['I13'],
    says: 'was open',
    make: server.missesRevocationAtOpening,
  },
  { name: 'shows commands to all', breaks: ['I7'], says: 'was shown', make: server.showsCommandsToAll },
  { name: 'confuses clients', breaks: ['I10'], says: 'answer to another', make: server.confusesClients },
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
];
