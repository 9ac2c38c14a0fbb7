import type { GuardCommand } from '@relaygate/device-agent/guard/commands/command-outcomes';
import type { OutputRules } from '@relaygate/device-agent/guard/output-types';
import type { QueuedCommand } from '@relaygate/device-agent/guard/protocol';
import type { DeviceOutcome } from '@relaygate/shared';

/** A command that has begun, and what came of it so far. */
export interface InHand {
  command: QueuedCommand;
  wasOn: boolean;
  pulseMs: number;
  orders: number;
  hasMoved: boolean;
  /** Its order was stopped before it left. */
  wasStopped: boolean;
}

export function inHand(command: QueuedCommand, wasOn: boolean, pulseMs: number): InHand {
  return { command, wasOn, pulseMs, orders: 0, hasMoved: false, wasStopped: false };
}

/** Where the relay must be after the command has been executed; null: anywhere. */
export function wantedBy({ command, wasOn }: InHand, mode: OutputRules['mode']): boolean | null {
  if (mode === 'impulse') return command.action === 'set' && command.state === 0 ? null : true;
  return command.action === 'set' ? command.state === 1 : !wasOn;
}

/** A command given to a guard, and what came of it so far, whatever guard had it. */
export interface TracedCommand {
  command: GuardCommand;
  givenMs: number;
  bootId: string;
  orders: number;
  /** The server was told that it was never started, and never will be. */
  isOver: boolean;
  isAsked: boolean;
  /** The guard that has it; its answer is still to come. */
  pendingAt: number | null;
  answerByMs: number;
  /** When its frame first came to the guard that has it, or had it last, and whether its output was on; null: no guard has. */
  came: { guard: number; turn: number; isOn: boolean } | null;
  /** A newer link has taken over since. */
  isOld: boolean;
  /** Another output of its interlock went off for it. */
  hasBroken: boolean;
  outcome: DeviceOutcome | null;
}
