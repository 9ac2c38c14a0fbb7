/**
 * The words of the machine in `output.ts`: what an output can be in, what may happen to it, and what may have to be done.
 */
import type { DeviceOutcome, DeviceReason, OutputState } from '@relaygate/shared';
import type { CompleteOutput } from '@relaygate/shared/device';
import type { QueuedCommand } from './protocol';

export type Output =
  /** Before the guard has driven it. */
  | { phase: 'unknown' }
  /** Its policy wants it there after that. */
  | { phase: 'waiting'; active: boolean; until: Awaited; failures?: number }
  | { phase: 'inactive' }
  /** `isOnUncommanded`, here and below: the board says so, and nobody has commanded it. So nothing brings it on again (I14). */
  | { phase: 'active'; isOnUncommanded?: true }
  /** `restore`: off is being made durable, its edge comes next. */
  | { phase: 'saving-off'; isOnUncommanded?: true }
  /**
   * `isDurable`: what had to be saved before this edge is. `isPolicy`: no command asks for it. `failures`: how often the
   * board has not done it already; absent: it is not tried again. `deferred`, here and below: so many failures had what
   * waited for its next try before this command; it waits on if nothing was sent for the command. `isDue`: that try is due.
   */
  | {
      phase: 'switching';
      active: boolean;
      wasActive: boolean;
      isDurable: boolean;
      isOrdered: boolean;
      isPolicy: boolean;
      failures?: number;
      deferred?: number;
      isDue?: true;
      isOnUncommanded?: true;
    }
  /** `restore`: the edge is out, its state is not yet durable. `wasOn`: its policy has brought it on, so it durably was on. */
  | { phase: 'saving-on'; wasOn?: true }
  /** `restore`: found as asked for; the answer waits until a power cut would find it so too. */
  | { phase: 'saving-same'; active: boolean }
  /** Found as asked for, as far as the guard knows; the board is asked before that is answered. */
  | { phase: 'looking'; active: boolean; deferred?: number; isDue?: true; isOnUncommanded?: true }
  /** As `looking`, while a pulse runs: a command that finds it running is answered by it. */
  | { phase: 'looking-at-pulse'; sinceMs: number }
  | { phase: 'starting-pulse'; pulseMs: number }
  /** `sinceMs`, here and below: its leading edge, which names the pulse as long as it runs, made longer or not. */
  | { phase: 'pulsing'; sinceMs: number }
  /** `retrigger`: the pulse is started anew while it runs. `isOver`: its old end has come since the board got the order. */
  | { phase: 'extending'; pulseMs: number; sinceMs: number; isOrdered: boolean; isOver: boolean }
  /**
   * Being driven inactive without a command waiting: a pulse's end, or after a failure. `state`: as far as known.
   * `failures`: it is to be restored, and is tried again once it is off.
   */
  | { phase: 'releasing'; state: OutputState | null; failures?: number }
  /** Could not be driven inactive, is tried again. */
  | { phase: 'stuck'; failures?: number };

export type Phase = Output['phase'];

/** What an output waits for before it goes where its policy wants it. */
export type Awaited = 'board-back' | 'interlock-cleared' | 'next-try';

export type OutputEvent =
  /** The guard starts: the power-on policy has spoken. */
  | { kind: 'start'; active: boolean }
  /** The guard starts, and the output cannot be brought there yet. */
  | { kind: 'defer'; active: boolean; until: Awaited }
  /** `sinceEdgeMs`: since the board was last done with this output. `canLook`: the board can be asked how it is. */
  | { kind: 'command'; command: QueuedCommand; sinceEdgeMs: number; canLook: boolean }
  /** What the board says of an output that it was asked for; null: it does not know after all. */
  | { kind: 'seen'; active: boolean | null; sinceEdgeMs: number }
  /** The board was asked, and failed. */
  | { kind: 'not-seen' }
  /** The board answers after the end of the command that it was asked for. The output has had no order since. */
  | { kind: 'found'; active: boolean }
  /** The board gets the order of a command's edge now. */
  | { kind: 'ordered' }
  /** The board took the order. `active`: as read back; null: the board does not know. */
  | { kind: 'driven'; active: boolean | null; atMs: number }
  /** `atMs`: when the board answered, or its answer was overdue. */
  | { kind: 'drive-failed'; atMs: number }
  /** The command was stopped before its edge: nothing was sent. */
  | ({ kind: 'not-driven' } & Refusal)
  | { kind: 'saved' }
  | { kind: 'save-failed' }
  /** The time asked for by `wait` is over. */
  | { kind: 'due' }
  /** A policy ends an output that is on: its time is up. */
  | { kind: 'limit' }
  /** The power-on policy has changed: an output that the old policy was about to bring on stays off. */
  | { kind: 'unwanted' }
  /** Somebody ends the pulse that began then. */
  | { kind: 'stop'; sinceMs: number }
  /** Must be inactive now: the guard ends, or a forced change of settings. */
  | { kind: 'release' }
  | { kind: 'board-lost' };

/** What a command is answered with. */
export interface Answer {
  outcome: DeviceOutcome;
  reason?: DeviceReason;
  /** Executed by moving nothing: a pulse runs already. */
  ignored?: true;
}

/** Why a command does not begin, or has no edge. */
export interface Refusal {
  outcome: 'expired' | 'refused';
  reason?: DeviceReason;
}

export type EventKind = OutputEvent['kind'];

export type OutputEffect =
  /** `command`: only before the deadline, after a journal record, and answered by one of three events. */
  | { do: 'drive'; active: boolean; command: boolean; pulseMs?: number }
  /** The board is asked how the output is, for the command that has begun; answered by `seen` or one of the others. */
  | { do: 'look' }
  | { do: 'save'; active: boolean }
  /** Counts from `sinceMs`, or from now; replaces the wait before. */
  | { do: 'wait'; delayMs: number; sinceMs?: number }
  | { do: 'stop-waiting' }
  /** The command is answered. */
  | ({ do: 'settle' } & Answer)
  /** Bring it to where its policy wants it, as when the board is back. */
  | { do: 'put-back' }
  /** The command has moved nothing and begins anew, once the output is settled. */
  | { do: 'postpone' };

/** The settings that the machine goes by; the others are for those around it. */
export type OutputRules = Pick<
  CompleteOutput,
  'mode' | 'pulseMs' | 'powerOn' | 'retrigger' | 'maxOnMs' | 'minSwitchIntervalMs'
>;
