import type { DeliberateFault } from './deliberate-fault';
import * as policy from './policy-faults';

/** Deliberate faults of what the policies of outputs promise. */
export const POLICY_FAULTS: readonly DeliberateFault[] = [
  {
    name: 'forgets the old end of a pulse that is to be longer',
    breaks: ['I4'],
    says: 'made longer after its end',
    make: policy.forgetsOldEnd,
  },
  { name: 'extends no pulse, and says so', breaks: ['I3'], says: 'not pulsed anew', make: policy.extendsNothing },
  { name: 'extends pulses that must not be', breaks: ['I4'], says: 'which it must not be', make: policy.extendsAll },
  { name: 'ends the next pulse for a late stop', breaks: ['I4'], says: 'ended after', make: policy.stopsAnyPulse },
  {
    name: 'ends no pulse, and says so',
    breaks: ['I3'],
    says: 'its pulse had not been ended',
    make: policy.stopsNothing,
  },
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
  {
    name: 'tells what is not proven as done',
    breaks: ['I3'],
    says: 'no guard had said',
    make: policy.tellsUnprovenAsDone,
  },
  { name: 'looks at no feedback input', breaks: ['I3'], says: 'never showed it', make: policy.provesNothing },
  {
    name: 'believes an input that showed it before the edge',
    breaks: ['I3'],
    says: 'had shown it before',
    make: policy.believesStuckInputs,
  },
];
