/**
 * One output as a pure state machine: what happens to it comes in as events, what must be done goes out as effects.
 * `RunningOutput` feeds it one command at a time and carries the effects out.
 *
 * I4: the end of a pulse is timed from its leading edge and tried until the board has done it. I5: an output set to
 * `restore` saves "off" before its edge and "on" after it, and its answer waits for both; I8: so does the answer that
 * it is so already. Failures end inactive.
 */
import { failuresOf, hasCommand, isSettled, isToComeBack, isTurningOn, stateOf, staysOff } from './output-phase';
import {
  alreadySet,
  commanded,
  confirmSet,
  done,
  driveOff,
  ENDED_BY_STOP,
  failure,
  forgetOn,
  hasWorked,
  IGNORED,
  movedNothing,
  noMoreTries,
  notDriven,
  notExtended,
  notReleased,
  notSwitched,
  policyOff,
  pulseAgain,
  pulseFrom,
  refused,
  release,
  releaseAfter,
  type Step,
  settledAt,
  startPulse,
  stopPulse,
  switchingTo,
  switchOff,
  switchOn,
  type Transition,
  unwanted,
  waitForNextTry,
} from './output-steps';
import type { EventKind, Output, OutputEffect, OutputEvent, OutputRules, Phase } from './output-types';

type Transitions<P extends Phase> = { [K in EventKind]?: Transition<P, K> };

/** An event that stands in neither table leaves the output as it is. */
export function step(output: Output, event: OutputEvent, rules: OutputRules): Step {
  if (event.kind === 'command' && !isSettled(output))
    throw new Error(`a command came while the output was ${output.phase}`);
  const transition = IN_PHASE[output.phase][event.kind] ?? IN_ANY_PHASE[event.kind];
  // The lookup by phase and event makes sure that it takes them; the compiler does not see that.
  return (transition as Transition<Phase, EventKind> | undefined)?.({ output, event, rules }) ?? [output, []];
}

/** For phases without a transition of their own. */
const IN_ANY_PHASE: Transitions<Phase> = {
  start({ output, event: { active } }) {
    if (!active) return release(null);
    const switching = { ...switchingTo(true), isPolicy: true, failures: failuresOf(output) };
    return [switching, [{ do: 'drive', active, command: false }]];
  },
  defer: ({ output, event: { active, until } }) => [
    { phase: 'waiting', active, until, failures: failuresOf(output) },
    [],
  ],
  // The edge is out, or comes with the release; nobody knows whether a power cut undoes it.
  release: ({ output }) =>
    release(stateOf(output), [{ do: 'stop-waiting' }, ...(hasCommand(output) ? [done('executed', false)] : [])]),
  unwanted: ({ output }) => [staysOff(output), []],
  // An output that is to be restored comes back as it durably was; I4, I5: nothing else does, above all no pulse.
  'board-lost': ({ output, rules }) => {
    const active = isToComeBack(output, rules);
    const answer = active ? [refused('board-failed')] : failure(output, rules);
    return [
      { phase: 'waiting', active, until: 'board-back' },
      [{ do: 'stop-waiting' }, ...(hasCommand(output) ? answer : [])],
    ];
  },
};

const IN_PHASE: { [P in Phase]: Transitions<P> } = {
  unknown: {
    // The power-on policy has yet to speak.
    'board-lost': ({ output }) => [output, []],
  },

  waiting: {
    command({ output, event, rules }) {
      if (output.until !== 'next-try') return [output, [refused('board-away')]];
      // It has been switched off, and a command has the last word unless it is refused.
      const [next, effects] = step({ phase: 'inactive' }, event, rules);
      if (effects.every((effect) => effect.do === 'settle' && effect.outcome === 'refused')) return [output, effects];
      const deferred = next.phase === 'switching' || next.phase === 'looking' ? { deferred: failuresOf(output) } : {};
      // The wait goes on, because commands that move nothing must not delay the next try without end.
      return [{ ...next, ...deferred }, effects];
    },
    due: ({ output }) =>
      output.until === 'next-try' ? [{ ...output, until: 'board-back' }, [{ do: 'put-back' }]] : [output, []],
    limit: ({ output, rules }) => unwanted(output, forgetOn(rules)),
    unwanted: ({ output }) => unwanted(output),
  },

  inactive: {
    command: commanded({ on: switchOn, off: alreadySet, pulse: startPulse }),
    found: ({ output, event }) => [event.active ? { phase: 'active', isOnUncommanded: true } : output, []],
    release: ({ output }) => [output, []],
  },

  switching: {
    ordered: ({ output }) => [{ ...output, isOrdered: true }, []],
    due: ({ output }) => [{ ...output, isDue: true }, []],
    driven({ output, event, rules }) {
      const { active, isDurable } = output;
      if (!hasWorked(event, active)) return notSwitched(output, rules);
      if (active && rules.powerOn === 'restore')
        return [{ phase: 'saving-on', ...(isTurningOn(output) && { wasOn: true }) }, [{ do: 'save', active: true }]];
      return [settledAt(active), [done('executed', isDurable)]];
    },
    'drive-failed': ({ output, rules }) => notSwitched(output, rules),
    'not-driven'({ output, event, rules }) {
      // Off was saved for an edge that did not come.
      const isSavedOff = output.wasActive && !output.isOnUncommanded && rules.powerOn === 'restore';
      const on: OutputEffect[] = isSavedOff ? [{ do: 'save', active: true }] : [];
      return movedNothing(output, [...on, notDriven(event)]);
    },
    // Once the board has its order, its answer comes within a second, and a failure releases too.
    limit: ({ output, rules }) =>
      output.wasActive && !output.isOrdered ? policyOff(rules) : noMoreTries(output, rules),
    // An order that is out decides by its answer, and is not tried again.
    unwanted: ({ output }) => [isTurningOn(output) ? { ...switchingTo(true), isPolicy: true } : staysOff(output), []],
  },

  'saving-on': {
    saved: () => [{ phase: 'active' }, [done('executed', true)]],
    'save-failed': () => [{ phase: 'active' }, [done('executed', false)]],
    limit: ({ rules }) => release(1, [...forgetOn(rules), done('executed', false)]),
  },

  active: {
    command: commanded({ on: alreadySet, off: switchOff, pulse: startPulse }),
    found: ({ output, event, rules }) => (event.active ? [output, []] : [{ phase: 'inactive' }, forgetOn(rules)]),
    limit: ({ rules }) => release(1, forgetOn(rules)),
  },

  // I3: a relay whose board has lost its own supply is not "set already". It is switched as ordered.
  looking: {
    seen({ output, event, rules }) {
      const { active } = output;
      if (event.active === null || event.active === active) return confirmSet(active, rules);
      if (!active) return switchOff({ output: { phase: 'active', isOnUncommanded: true }, rules });
      const [next, effects] = switchOn({ event, rules });
      // Until the edge is out, a power cut must find the output as it is.
      return [next, [...forgetOn(rules), ...effects]];
    },
    due: ({ output }) => [{ ...output, isDue: true }, []],
    'not-seen': ({ output }) => movedNothing(output, [refused('board-failed')]),
    'not-driven': ({ output, event }) => movedNothing(output, [notDriven(event)]),
    limit: ({ output, rules }) => (output.active ? policyOff(rules) : noMoreTries(output, rules)),
  },

  'saving-same': {
    saved: ({ output: { active } }) => [settledAt(active), [done('already-set', true)]],
    'save-failed': ({ output: { active } }) => [settledAt(active), [done('already-set', false)]],
    limit: ({ output, rules }) => (output.active ? policyOff(rules) : [output, []]),
  },

  'saving-off': {
    saved: ({ output }) => driveOff(output, true),
    // Off is safe, so a full disk does not prevent it; but no answer says that it would outlast a power cut.
    'save-failed': ({ output }) => driveOff(output, false),
    limit: ({ rules }) => policyOff(rules),
  },

  'starting-pulse': {
    driven: ({ output, event, rules }) =>
      hasWorked(event, true) ? pulseFrom(event, output) : release(null, failure(output, rules)),
    'drive-failed': ({ output, rules }) => release(null, failure(output, rules)),
    'not-driven': ({ event }) => [{ phase: 'inactive' }, [notDriven(event)]],
  },

  pulsing: {
    command: pulseAgain,
    found: ({ output, event }) => (event.active ? [output, []] : release(0, [{ do: 'stop-waiting' }])),
    due: () => release(1),
    stop: ({ output, event }) => stopPulse(output, event, []),
  },

  'looking-at-pulse': {
    // The pulse has ended by itself. I4: it is switched off, in case the board was wrong, and the command begins a pulse of
    // its own.
    seen: ({ output: { sinceMs }, event }) =>
      event.active === false
        ? release(0, [{ do: 'stop-waiting' }, { do: 'postpone' }])
        : [{ phase: 'pulsing', sinceMs }, [IGNORED]],
    'not-seen': ({ output: { sinceMs } }) => [{ phase: 'pulsing', sinceMs }, [refused('board-failed')]],
    'not-driven': ({ output: { sinceMs }, event }) => [{ phase: 'pulsing', sinceMs }, [notDriven(event)]],
    due: () => release(1, [{ do: 'postpone' }]),
    stop: ({ output, event }) => stopPulse(output, event, [refused('stopped')]),
  },

  // I4: a pulse ends at its time, unless the board has its order by then that it is a longer one.
  extending: {
    ordered: ({ output }) => [{ ...output, isOrdered: true }, []],
    driven: ({ output, event, rules }) =>
      hasWorked(event, true) ? pulseFrom(event, output) : notExtended(output, rules),
    'drive-failed': ({ output, rules }) => notExtended(output, rules),
    // The pulse ends at its old end.
    'not-driven': ({ output: { sinceMs, isOver }, event }) =>
      isOver ? release(1, [notDriven(event)]) : [{ phase: 'pulsing', sinceMs }, [notDriven(event)]],
    due: ({ output }) => (output.isOrdered ? [{ ...output, isOver: true }, []] : release(1, [{ do: 'postpone' }])),
    stop: ({ output, event }) => stopPulse(output, event, output.isOrdered ? [ENDED_BY_STOP] : [refused('stopped')]),
  },

  releasing: {
    driven({ output, event }) {
      if (!hasWorked(event, false)) return notReleased(output, event);
      return output.failures === undefined ? [{ phase: 'inactive' }, []] : waitForNextTry(output.failures);
    },
    'drive-failed': ({ output, event }) => notReleased(output, event),
    'not-driven': ({ output }) => notReleased(output),
    limit: ({ output, rules }) => noMoreTries(output, rules),
    release: ({ output }) => [staysOff(output), []],
  },

  stuck: {
    command: ({ output }) => [output, [refused('board-failed')]],
    due: ({ output }) => releaseAfter(output),
    limit: ({ output, rules }) => noMoreTries(output, rules),
    release: ({ output }) => [staysOff(output), []],
  },
};
