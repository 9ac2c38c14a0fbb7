/** Deliberate faults of the outputs' policies. No port shows most of them, so they change the guard's own code. */
import { CommandExecution } from '@relaygate/device-agent/guard/commands/command-execution';
import { FeedbackWatch } from '@relaygate/device-agent/guard/commands/feedback-watch';
import * as interlock from '@relaygate/device-agent/guard/commands/interlock';
import * as turns from '@relaygate/device-agent/guard/commands/interlock-turns';
import * as heartbeat from '@relaygate/device-agent/guard/heartbeat';
import { LimitWatch } from '@relaygate/device-agent/guard/limit-watch';
import * as onLimit from '@relaygate/device-agent/guard/on-limit';
import { stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { OutputEffect } from '@relaygate/device-agent/guard/output-types';
import { OutputsStart } from '@relaygate/device-agent/guard/outputs-start';
import * as powerOn from '@relaygate/device-agent/guard/power-on';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import { changed, withStep } from './changed';
import type { Sabotage } from './sabotage';

/** The old end of a pulse is dropped as soon as a command wants it longer, whether the board hears of that or not. */
export function forgetsOldEnd(): Sabotage {
  return withStep((step) => (output, event, rules) => {
    const [next, effects] = step(output, event, rules);
    const isExtending = event.kind === 'command' && next.phase === 'extending';
    const forget: OutputEffect[] = isExtending ? [{ do: 'stop-waiting' }] : [];
    return [next, [...forget, ...effects]];
  });
}

/** Pulses are not made longer, and that is confirmed. */
export function extendsNothing(): Sabotage {
  return withStep((step) => (output, event, rules) => step(output, event, { ...rules, retrigger: 'ignore' }));
}

/** A stop ends whatever pulse runs by then. */
export function stopsAnyPulse(): Sabotage {
  return {
    inside: () =>
      changed(RunningOutput.prototype, 'stop', (original) => {
        return function stopAny(this: RunningOutput, order) {
          const pulseSinceMs = this.pulseSinceMs ?? order.command.pulseSinceMs;
          return original.call(this, { ...order, command: { action: 'stop', pulseSinceMs } });
        };
      }),
  };
}

/** That a pulse was ended is said, and nothing is done. */
export function stopsNothing(): Sabotage {
  return {
    inside: () =>
      changed(RunningOutput.prototype, 'stop', () => async ({ commandId }) => ({ commandId, outcome: 'executed' })),
  };
}

/** Any pulse is made longer. */
export function extendsAll(): Sabotage {
  return withStep((step) => (output, event, rules) => step(output, event, { ...rules, retrigger: 'extend' }));
}

/** Whoever finds an output on gives it its whole time again. */
export function rearmsMaxOn(): Sabotage {
  return {
    inside: () =>
      changed(onLimit, 'onSinceMs', (original) => (sinceMs, output, event, nowMs) => {
        const isAgain = event.kind === 'command' && stateOf(output) === 1;
        return isAgain ? nowMs : original(sinceMs, output, event, nowMs);
      }),
  };
}

/** An output whose time is up waits for a command that is to switch it off anyway. */
export function capWaitsForJournal(): Sabotage {
  return withStep((step) => (output, event, rules) => {
    if (event.kind === 'limit' && output.phase === 'switching') return [output, []];
    return step(output, event, rules);
  });
}

/** What a policy has switched off is on again after a power cut. */
export function forgetsPolicyOff(): Sabotage {
  return withStep((step) => (output, event, rules) => {
    const [next, effects] = step(output, event, rules);
    return [next, event.kind === 'limit' ? effects.filter((effect) => effect.do !== 'save') : effects];
  });
}

/** An output whose time is nearly up goes off at once. */
export function endsEarly(): Sabotage {
  return {
    inside: () =>
      changed(onLimit, 'offAt', (original) => (...given) => {
        const { atMs, why } = original(...given);
        return { atMs: atMs - 300, why };
      }),
  };
}

/** An output that went on a moment ago is kept on. */
export function refusesOff(): Sabotage {
  return withStep((step) => (output, event, rules) => {
    const isSoon = event.kind === 'command' && event.sinceEdgeMs < rules.minSwitchIntervalMs;
    if (!isSoon || output.phase !== 'active') return step(output, event, rules);
    return [output, [{ do: 'settle', outcome: 'refused', reason: 'switched-too-soon' }]];
  });
}

/** A restarted guard gives what it finds on its whole time again. */
export function restartsMaxOn(): Sabotage {
  return { inside: () => changed(LimitWatch.prototype, 'resume', () => () => {}) };
}

/** A guard that starts knows of no edge before its first command. */
export function forgetsInterval(): Sabotage {
  const known = new WeakSet<object>();
  return withStep((step) => (output, event, rules) => {
    if (event.kind !== 'command' || known.has(rules)) return step(output, event, rules);
    known.add(rules);
    return step(output, { ...event, sinceEdgeMs: Number.POSITIVE_INFINITY }, rules);
  });
}

/** Break and make, without a wait. */
export function waitsNotAtBreak(): Sabotage {
  return { inside: () => changed(interlock, 'delayOf', () => () => 0) };
}

/** Starts of a group take no turns: each looks at the others for itself. */
export function takesNoTurns(): Sabotage {
  return {
    inside: () =>
      changed(turns, 'InterlockTurns', (Turns) => {
        return class extends Turns {
          readonly #alone: () => turns.InterlockTurns;

          constructor(...parts: ConstructorParameters<typeof Turns>) {
            super(...parts);
            this.#alone = () => new Turns(...parts);
          }

          override take(...start: Parameters<turns.InterlockTurns['take']>): turns.Turn {
            return this.#alone().take(...start);
          }
        };
      }),
  };
}

/** A relay that does not go off counts as off, as it was told to be. */
export function trustsStuckMember(): Sabotage {
  return {
    inside: () =>
      changed(interlock, 'memberOf', (original) => (numOutput, output, mode, line, off) => {
        const member = original(numOutput, output, mode, line, off);
        return output.phase === 'stuck' ? { numOutput, is: 'off', sinceMs: line.movedMs } : member;
      }),
  };
}

/** Each output powers on by its own policy, whatever its interlock says. */
export function powersOnTwoMembers(): Sabotage {
  return {
    inside() {
      const alone = changed(
        powerOn,
        'powerOnActive',
        (original) =>
          (outputs, ...known) =>
            original(
              outputs.map((output) => ({ ...output, interlock: null })),
              ...known,
            ),
      );
      const atOnce = changed(OutputsStart.prototype, 'putOn', (putOn) => {
        return async function (this: OutputsStart, wanted, earlier) {
          await Promise.all(wanted.map((output) => output.start(true)));
          return putOn.call(this, [], earlier);
        };
      });
      return () => {
        atOnce();
        alone();
      };
    },
  };
}

/** Who reports is there, and so is the link that it had once. */
export function trustsStaleLink(): Sabotage {
  return {
    inside: () =>
      changed(heartbeat, 'afterHeartbeat', () => (_before, linkIsUp, nowMs) => ({
        agentMs: nowMs,
        linkMs: nowMs,
        linkIsUp,
      })),
  };
}

/** Signs of life count for nothing. */
export function hearsNobody(): Sabotage {
  return { inside: () => changed(heartbeat, 'afterHeartbeat', () => (before) => before) };
}

/** An agent whose connection holds is there, whether it says anything or not. */
export function countsHungAgent(): Sabotage {
  return {
    guardSocket(socket, { scheduler }) {
      const sayAgain = (): void => {
        if (!socket.isOpen) return;
        socket.send(JSON.stringify({ id: 0, type: 'presence', linkIsUp: true }));
        scheduler.in(1_000, sayAgain);
      };
      scheduler.in(1_000, sayAgain);
    },
  };
}

/** What is so already needs no proof. */
export function believesAlreadySet(): Sabotage {
  return {
    inside: () =>
      changed(CommandExecution.prototype, 'settle', (settle) => {
        return function (this: CommandExecution, answer) {
          if (answer.outcome !== 'already-set') return settle.call(this, answer);
          this.end();
          this.job.answer(answer);
        };
      }),
  };
}

/** What is not proven is told as done. */
export function tellsUnprovenAsDone(): Sabotage {
  return {
    serverLink: () => ({
      received(text) {
        const message = JSON.parse(text);
        const isUnproven = message.type === 'result' && message.outcome === 'unproven';
        return isUnproven ? JSON.stringify({ ...message, outcome: 'executed', reason: undefined }) : text;
      },
    }),
  };
}

/** Inputs are not looked at. */
export function provesNothing(): Sabotage {
  return { inside: () => changed(FeedbackWatch.prototype, 'proof', () => async () => null) };
}

/** An input that shows it counts, whatever it showed before. */
export function believesStuckInputs(): Sabotage {
  return { inside: () => changed(FeedbackWatch.prototype, 'before', () => async () => null) };
}
