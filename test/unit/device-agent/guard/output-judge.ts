/** What an order to the board and an answer to a command must be like, in the eyes of one who sees the relay. */
import { strict as assert } from 'node:assert';
import type { OnLimitRules } from '@relaygate/device-agent/guard/on-limit';
import type { OutputEffect, OutputEvent, OutputRules } from '@relaygate/device-agent/guard/output-types';
import { RELEASE_RETRY_MS } from '../../../support/time/promised-times';
import { type InHand, wantedBy } from './command-in-hand';

/** Of the machine, and of what ends it from outside. */
export type GameRules = OutputRules & OnLimitRules;

export interface Order {
  active: boolean;
  command: boolean;
  timeoutMs: number;
  /** null: a command's record is not written yet. */
  sentMs: number | null;
}

export interface OutputTruth {
  rules: GameRules;
  nowMs: number;
  /** Where the relay is, since when (or since its policy wants it on), and how long its pulse may be. */
  isOn: boolean;
  edgeMs: number;
  edgePulseMs: number;
  /** When it went on last, also where its pulse was made longer since. */
  wentOnMs: number;
  /** Since it moved last, either way, and since the board was last done with an order. */
  sinceMovedMs: number;
  sinceDoneMs: number;
  isDisturbed: boolean;
  isAway: boolean;
  /** When agent and link were there last. */
  agentMs: number;
  linkMs: number;
  /** What a power cut would leave. */
  isDurable: boolean;
  /** What is to be saved: a disk that refused is tried again. */
  isToBeDurable: boolean;
}

/** Counts the order as one of the command's. */
export function judgeOrder(
  { active, command, pulseMs }: Extract<OutputEffect, { do: 'drive' }>,
  event: OutputEvent,
  running: InHand | null,
  truth: OutputTruth,
): void {
  const { mode, powerOn, minSwitchIntervalMs } = truth.rules;
  if (command) {
    assert(running, 'I14: an order for a command that nobody gave');
    running.orders += 1;
    assert.equal(running.orders, 1, 'I1: one command drives twice');
    const isExtended = mode === 'impulse' && truth.isOn && !truth.isDisturbed;
    assert(!isExtended || truth.rules.retrigger === 'extend', 'I4: a command makes a pulse longer that it must not');
    if (active && !truth.isOn)
      assert(truth.sinceMovedMs >= minSwitchIntervalMs, 'I14: on again sooner than minSwitchIntervalMs');
    if (mode === 'on-off' && powerOn === 'restore' && !active)
      assert(!truth.isDurable || event.kind === 'save-failed', 'I5: "off" leaves before it is saved');
    assert.equal(pulseMs, mode === 'impulse' ? running.pulseMs : undefined, 'I4: not the pulse that is set');
  } else if (active) {
    assert.equal(event.kind, 'start', 'I14: driven active without a command');
  } else if (event.kind === 'limit') {
    const endMs = latestOffMs(truth);
    const isOver = truth.isDisturbed ? endMs < Number.POSITIVE_INFINITY : truth.nowMs >= endMs;
    assert(mode === 'on-off' && isOver, 'I3: an output goes off that may stay on');
  } else if (event.kind === 'stop') {
    assert(mode === 'impulse', 'I3: an output goes off that may stay on');
    assert(!truth.isOn || event.sinceMs === truth.wentOnMs, 'I4: a stop ends another pulse');
  } else if (mode === 'impulse' && truth.isOn && !truth.isDisturbed && event.kind === 'due') {
    assert(truth.nowMs >= truth.edgeMs + truth.edgePulseMs, 'I4: the pulse is cut short');
  }
}

/** `told`: what somebody was told that the output is, and would still be after a power cut; null: nothing. */
export function judgePowerOn(active: boolean, isNewBoot: boolean, told: boolean | null, truth: OutputTruth): void {
  const { mode, powerOn, maxOnMs, onLinkLoss, onAgentLoss } = truth.rules;
  if (active) {
    assert.equal(mode, 'on-off', 'I5: an impulse output starts active');
    const isWanted = powerOn === 'on' ? isNewBoot : powerOn === 'restore' && truth.isDurable;
    assert(isWanted, `I5: power-on ${powerOn} starts active where it must not`);
  }
  const isCapped = (maxOnMs > 0 || onLinkLoss === 'off' || onAgentLoss === 'off') && !isNewBoot;
  if (active) assert(!isCapped || powerOn === 'on', 'I14: brought back, and nobody knows how long it was on');
  if (mode === 'on-off' && powerOn === 'restore' && told !== null && !isCapped)
    assert.equal(active, told, 'I8: a power cut undid what somebody was told');
}

/**
 * What is wanted of an output whose board is back. `isStarting`: it was being brought on by its policy. `told`: as above, and
 * no policy has ended it since.
 */
export function judgeReturn(active: boolean, isStarting: boolean, told: boolean | null, truth: OutputTruth): void {
  const { rules, isToBeDurable, nowMs } = truth;
  const isRestored = rules.mode === 'on-off' && rules.powerOn === 'restore';
  if (active) assert(nowMs <= latestOffMs(truth), 'I4: a board that comes back switches on what a policy has ended');
  const mayGoOn = isStarting ? rules.mode === 'on-off' : isRestored && isToBeDurable;
  if (active) assert(mayGoOn, 'I5: a board that comes back switches on what must stay off');
  if (told !== null) assert.equal(active, isRestored && told, 'I8: a board that was away undid what somebody was told');
}

/** Of an output that is on while the board has no order: when its timer and its limit fall due. */
export function judgeEnd(timerMs: number, limitMs: number, truth: OutputTruth): void {
  const { nowMs, edgeMs, edgePulseMs, isDisturbed } = truth;
  if (truth.rules.mode === 'impulse') {
    const endMs = isDisturbed ? nowMs + RELEASE_RETRY_MS : edgeMs + edgePulseMs;
    assert(timerMs <= endMs, 'I4: the pulse will be too long');
  } else if (!isDisturbed) {
    // Where the board was late, the limit is over at once.
    assert(Math.min(nowMs, limitMs) <= latestOffMs(truth), 'I4: on for longer than a policy allows');
  }
}

/** When an on-off output that is on has to be off by its policies; Infinity: never. */
function latestOffMs({ rules, edgeMs, agentMs, linkMs }: OutputTruth): number {
  const ends = [
    ...(rules.maxOnMs > 0 ? [edgeMs + rules.maxOnMs] : []),
    ...(rules.onAgentLoss === 'off' ? [Math.max(edgeMs, agentMs) + rules.agentLossMs] : []),
    ...(rules.onLinkLoss === 'off' ? [Math.max(edgeMs, linkMs) + rules.linkLossMs] : []),
  ];
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

export function judgeAnswer(
  { outcome, reason }: Extract<OutputEffect, { do: 'settle' }>,
  running: InHand,
  { rules, isOn, isAway, isDurable, sinceDoneMs }: OutputTruth,
): void {
  const { mode, powerOn, retrigger } = rules;
  const wanted = wantedBy(running, mode);
  const isRestored = mode === 'on-off' && powerOn === 'restore';
  if (isAway) assert.equal(outcome, 'refused', 'I3: something is confirmed, and the board is away');
  switch (outcome) {
    case 'executed':
    case 'already-set':
      if (outcome === 'already-set') {
        assert(mode === 'on-off' && running.command.action === 'set', 'I3: already-set is for on-off outputs');
        assert.equal(running.orders, 0, 'I3: already-set, yet the board was told');
      }
      if (wanted !== null) assert.equal(isOn, wanted, `I3: ${outcome}, and the relay is elsewhere`);
      if (isRestored) assert.equal(isDurable, wanted, `I8: ${outcome}, and a power cut would undo it`);
      if (mode === 'impulse' && wanted === true && retrigger === 'extend')
        assert.equal(running.orders, 1, 'I3: executed, and no pulse has begun');
      return;
    case 'expired':
      assert(!running.hasMoved, 'I2: expired, and the relay moved');
      return;
    case 'refused':
      if (reason === 'board-away') assert(isAway && running.orders === 0, 'I3: the board is not away, or was told');
      if (reason === 'policy-off') assert(!running.hasMoved, 'I3: refused, and the relay moved');
      if (reason === 'switched-too-soon') {
        assert(!isOn && wanted === true, 'I3: switching off is refused');
        assert(sinceDoneMs < rules.minSwitchIntervalMs, 'I3: called too soon, and it is not');
      }
      return;
    case 'unproven':
      return;
    default:
      outcome satisfies never;
  }
}
