import * as board from './board-faults';
import * as click from './click-faults';
import type { DeliberateFault } from './deliberate-fault';
import * as line from './line-faults';

/** Deliberate faults of what becomes of outputs whose board goes away and comes back, of relays that click, and of lines that are read. */
export const BOARD_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'brings pulses back with their board',
    breaks: ['I5'],
    says: 'when its board was back',
    make: board.bringsAllBack,
  },
  {
    name: 'leaves relays as they are when their board is back',
    breaks: ['I4'],
    says: 'which nothing excuses',
    make: board.drivesNothingOffWhenBack,
  },
  {
    name: 'restores nothing when its board is back',
    breaks: ['I8'],
    says: 'since its board is back',
    make: board.restoresNothingWhenBack,
  },
  {
    name: 'tells nobody that its board is away',
    breaks: ['I4'],
    says: 'called its board well',
    make: board.hidesAbsence,
  },
  {
    name: 'keeps commands for the return of the board',
    breaks: ['I14'],
    says: 'was commanded while its board was away',
    make: board.keepsCommandsForBoard,
  },
  {
    name: 'takes answers about relays that nobody has heard',
    breaks: ['proof'],
    says: 'had not clicked',
    make: click.asksForNoClicks,
  },
  {
    name: 'takes wrong answers for a proof',
    breaks: ['proof'],
    says: 'took the wrong answers',
    make: click.takesWrongAnswers,
  },
  { name: 'lets relays click for 80 ms more', breaks: ['I4'], says: 'clicked for', make: click.clicksForLong },
  {
    name: 'moves relays from afar while another one clicks',
    breaks: ['proof'],
    says: 'while another one clicked',
    make: click.letsOthersIn,
  },
  { name: 'believes orders and no line', breaks: ['I3'], says: 'its relay had not moved', make: line.believesOrders },
  { name: 'calls what was only written read', breaks: ['I11'], says: 'reads nothing', make: line.callsWrittenRead },
  {
    name: 'asks no board how its relays are',
    breaks: ['I3'],
    says: 'its relay was not so',
    make: line.asksNoLines,
  },
];
