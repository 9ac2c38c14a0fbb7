/** One output's machine, fed by hand. */
import { step } from '@relaygate/device-agent/guard/output';
import type { Output, OutputEffect, OutputEvent, OutputRules } from '@relaygate/device-agent/guard/output-types';
import type { QueuedCommand } from '@relaygate/device-agent/guard/protocol';
import { completeOutput } from '@relaygate/shared/device';
import { ON_OFF } from '../../../support/device/guard-in-memory';

export const onOff = rulesOf({});
export const restored = rulesOf({ powerOn: 'restore' });
export const impulse = rulesOf({ mode: 'impulse' });

export const on: QueuedCommand = { action: 'set', state: 1 };
export const off: QueuedCommand = { action: 'set', state: 0 };
export const toggle: QueuedCommand = { action: 'toggle' };
export const pulse: QueuedCommand = { action: 'pulse' };

export const drove = (active: boolean) => ({ kind: 'driven', active, atMs: 100 }) as const satisfies OutputEvent;
export const commanded = (command: QueuedCommand, { canLook = false } = {}): OutputEvent => ({
  kind: 'command',
  command,
  sinceEdgeMs: 1_000,
  canLook,
});
/** As `drove` has begun it. */
export const PULSING = { phase: 'pulsing', sinceMs: 100 } as const;
export const executed: OutputEffect = { do: 'settle', outcome: 'executed' };

/** Feeds events one after the other; gives the last state and all effects. */
export function play(
  output: Output,
  events: OutputEvent[],
  rules: OutputRules,
): { output: Output; effects: OutputEffect[] } {
  const effects: OutputEffect[] = [];
  let now = output;
  for (const event of events) {
    const [next, more] = step(now, event, rules);
    now = next;
    effects.push(...more);
  }
  return { output: now, effects };
}

export function rulesOf(settings: Partial<OutputRules>): OutputRules {
  return completeOutput({ ...ON_OFF, ...settings });
}
