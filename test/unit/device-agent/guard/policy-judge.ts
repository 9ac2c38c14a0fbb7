/** What the policies promise of the edges at a board, over all guards that there were. */
import { strict as assert } from 'node:assert';
import type { DriveOrder } from '@relaygate/device-agent/relay/relay-driver';
import type { Level } from '@relaygate/shared/device';
import type { FakeBoard } from '../../../support/device/fake-board';
import { DRIVE_TIMEOUT_MS, RELEASE_RETRY_MS, SILENCE_MS } from '../../../support/promised-times';
import type { TracedCommand } from './command-in-hand';
import { type Excuses, judgeInterlock, judgePulses, onSince } from './edge-judge';
import {
  AGENT_LOSS_MS,
  GROUP,
  INTERLOCK_DELAY_MS,
  LINK_LOSS_MS,
  MAX_ON_MS,
  OUTPUTS,
  SHOWN_MEMBER,
} from './guard-outputs';

/** What the world knows at the moment of an order. */
export interface AtOrder {
  nowMs: number;
  /** Until when the board or its answers were bad. */
  badMs: number;
  /** The guard has not given that line an order before: its power-on policy decides. */
  isStart: boolean;
  /** Given to this guard and not answered. */
  pending: readonly TracedCommand[];
  /** Of the feedback input of SHOWN_MEMBER. */
  input: Level;
  /** A technician has locked that line's output. */
  isLocked: boolean;
}

export class PolicyJudge {
  readonly #board: FakeBoard;
  #agentMs: number;
  #linkMs: number;
  #linkIsUp = false;
  /** From then on the power-on policies of this boot want outputs on, whatever guard brings them there. */
  #bootMs: number;
  /** Since when the input of SHOWN_MEMBER shows "on" without a break. */
  #shownMs: number | null = null;
  /** From when a line's time to be on counts: a guard that brings it back gives it no new time. */
  readonly #countsMs = new Map<number, number>();

  constructor(board: FakeBoard, nowMs: number) {
    this.#board = board;
    this.#agentMs = this.#linkMs = this.#bootMs = nowMs;
  }

  newBoot(nowMs: number): void {
    this.#agentMs = this.#linkMs = this.#bootMs = nowMs;
    this.#linkIsUp = false;
    this.#countsMs.clear();
  }

  /** An agent that is there says at once that its link has gone. */
  heard(linkIsUp: boolean, nowMs: number): void {
    const lostMs = nowMs - this.#agentMs <= SILENCE_MS ? nowMs : this.#agentMs;
    if (linkIsUp) this.#linkMs = nowMs;
    else if (this.#linkIsUp) this.#linkMs = lostMs;
    this.#linkIsUp = linkIsUp;
    this.#agentMs = nowMs;
  }

  inputShows(level: Level, nowMs: number): void {
    this.#shownMs = level === 'high' ? (this.#shownMs ?? nowMs) : null;
  }

  judgeOrder({ line, level, notAfterMs }: DriveOrder, at: AtOrder): void {
    this.inputShows(at.input, at.nowMs);
    if (level === 'high' && notAfterMs !== null) this.#countsMs.set(line, at.nowMs);
    else if (level === 'high' && !this.#countsMs.has(line)) this.#countsMs.set(line, this.#bootMs);
    if (!GROUP.includes(line)) return;
    if (level === 'low' && notAfterMs === null) this.#judgeBreak(line, at);
    if (level === 'low') return;
    if (notAfterMs === null) this.#judgeComeback(line);
    const offMs = this.#board.edges.findLast((edge) => edge.line === SHOWN_MEMBER)?.atMs;
    const isSeenOff = this.#shownMs === null || offMs === undefined || this.#shownMs >= offMs;
    assert(line === SHOWN_MEMBER || isSeenOff, 'I14: another output of an interlock was never seen off');
  }

  judgeEdges(nowMs: number, excuses: Excuses): void {
    const { badMs } = excuses;
    const { edges } = this.#board;
    judgeInterlock(
      edges.filter(({ line }) => GROUP.includes(line)),
      INTERLOCK_DELAY_MS,
    );
    for (const [line, { mode, pulseMs }] of OUTPUTS.entries()) {
      const own = edges.filter((edge) => edge.line === line);
      if (mode === 'impulse') judgePulses(own, pulseMs, nowMs, excuses);
    }
    for (const line of OUTPUTS.keys()) {
      const untilMs = Math.max(
        this.#onUntilMs(line, onSince(edges, line)),
        badMs + DRIVE_TIMEOUT_MS + RELEASE_RETRY_MS,
      );
      if (onSince(edges, line) !== null)
        assert(nowMs <= untilMs, `I4: output ${line} is on for longer than its policy allows`);
    }
  }

  #onUntilMs(line: number, sinceMs: number | null): number {
    const rules = OUTPUTS[line];
    if (sinceMs === null || rules?.mode !== 'on-off') return Number.POSITIVE_INFINITY;
    if (rules.maxOnMs > 0) return sinceMs + MAX_ON_MS;
    if (rules.onAgentLoss === 'hold') return Number.POSITIVE_INFINITY;
    return Math.min(Math.max(sinceMs, this.#agentMs) + AGENT_LOSS_MS, Math.max(sinceMs, this.#linkMs) + LINK_LOSS_MS);
  }

  /** An on-off output of the group goes off by an order of the guard's own. */
  #judgeBreak(line: number, { nowMs, badMs, isStart, pending, isLocked }: AtOrder): void {
    const sinceMs = onSince(this.#board.edges, line);
    if (sinceMs === null || isStart || OUTPUTS[line]?.mode === 'impulse') return;
    const isDue = badMs >= sinceMs || nowMs >= this.#onUntilMs(line, this.#countsMs.get(line) ?? sinceMs);
    const isCommanded = pending.some(({ command }) => command.numOutput === line);
    if (isDue || isCommanded) return;
    const others = pending.filter(
      ({ command: { numOutput, command, startBeforeMs }, isOld }) =>
        GROUP.includes(numOutput) && command.action !== 'stop' && startBeforeMs > nowMs && !isOld,
    );
    assert(others.length > 0, 'I12: an output of an interlock goes off for a command that is over');
    const isLocal = others.some(({ command }) => command.epoch === null);
    assert(!isLocked || isLocal, 'locks: a locked output goes off for a remote command');
    if (others.length === 1 && others[0]) others[0].hasBroken = true;
  }

  /** The guard itself puts one on: it must be the last one that was on. */
  #judgeComeback(line: number): void {
    const last = this.#board.edges.findLast((edge) => GROUP.includes(edge.line) && edge.level === 'high');
    assert(
      last === undefined || last.line === line,
      'I14: an output of an interlock comes back that another one has replaced',
    );
  }
}
