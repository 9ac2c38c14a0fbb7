/** What the policies promise of the edges at a board, over all guards that there were. */
import { strict as assert } from 'node:assert';
import type { DriveOrder } from '@relaygate/device-agent/relay/relay-driver';
import type { Level } from '@relaygate/shared/device';
import type { FakeBoard } from '../../../support/device/fake-board';
import { DRIVE_TIMEOUT_MS, RELEASE_RETRY_MS, SILENCE_MS } from '../../../support/time/promised-times';
import type { TracedCommand } from './command-in-hand';
import { type Excuses, judgeInterlock, judgePulses, onSince, type PulseLength } from './edge-judge';
import { OUTPUTS, SHOWN_MEMBER } from './guard-outputs';
import type { SettingsInTurn } from './settings-in-turn';

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
  /** When the command was given that it is for; null: it is for none. */
  givenMs: number | null;
}

export class PolicyJudge {
  readonly #board: FakeBoard;
  readonly #settings: SettingsInTurn;
  /** Orders of commands to go on, and when these were given. */
  readonly #begun: { line: number; atMs: number; givenMs: number }[] = [];
  #agentMs: number;
  #linkMs: number;
  #linkIsUp = false;
  /** From then on the power-on policies of this boot want outputs on, whatever guard brings them there. */
  #bootMs: number;
  /** Since when the input of SHOWN_MEMBER shows "on" without a break. */
  #shownMs: number | null = null;
  /** From when a line's time to be on counts: a guard that brings it back gives it no new time. */
  readonly #countsMs = new Map<number, number>();

  constructor(board: FakeBoard, settings: SettingsInTurn, nowMs: number) {
    this.#board = board;
    this.#settings = settings;
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
    if (level === 'high' && at.givenMs !== null) this.#begun.push({ line, atMs: at.nowMs, givenMs: at.givenMs });
    if (level === 'high' && notAfterMs !== null) this.#countsMs.set(line, at.nowMs);
    else if (level === 'high' && !this.#countsMs.has(line)) this.#countsMs.set(line, this.#bootMs);
    if (!this.#settings.mayBeInterlocked(line, at.nowMs, at.nowMs)) return;
    if (level === 'low' && notAfterMs === null) this.#judgeBreak(line, at);
    if (level === 'low') return;
    if (notAfterMs === null) this.#judgeComeback(line, at.nowMs);
    if (!this.#settings.areInterlocked(line, SHOWN_MEMBER, at.nowMs, at.nowMs)) return;
    const offMs = this.#board.edges.findLast((edge) => edge.line === SHOWN_MEMBER)?.atMs;
    const isSeenOff = this.#shownMs === null || offMs === undefined || this.#shownMs >= offMs;
    assert(line === SHOWN_MEMBER || isSeenOff, 'I14: another output of an interlock was never seen off');
  }

  judgeEdges(nowMs: number, excuses: Excuses): void {
    const { badMs } = excuses;
    const { edges } = this.#board;
    judgeInterlock(edges, (one, other, fromMs, untilMs) => this.#delayMs(one, other, fromMs, untilMs));
    for (const line of OUTPUTS.keys()) {
      const own = edges.filter((edge) => edge.line === line);
      judgePulses(own, (edge) => this.#lengthOf(edge), nowMs, excuses);
      const untilMs = Math.max(
        ...this.#limitsMs(line, onSince(edges, line), { fromMs: nowMs, untilMs: nowMs }),
        // A new limit counts from when it holds.
        this.#settings.answeredMs(line),
        badMs + DRIVE_TIMEOUT_MS + RELEASE_RETRY_MS,
      );
      if (onSince(edges, line) !== null)
        assert(nowMs <= untilMs, `I4: output ${line} is on for longer than its policy allows`);
    }
  }

  /** The shortest wait of their interlock that may have held: each output's, and the longest of them. */
  #delayMs(one: number, other: number, fromMs: number, untilMs: number): number | null {
    if (!this.#settings.areInterlocked(one, other, fromMs, untilMs)) return null;
    const group = [...OUTPUTS.keys()].filter((line) => this.#settings.areInterlocked(one, line, fromMs, untilMs));
    const delays = group.map((line) =>
      this.#settings.within(line, fromMs, untilMs).map(({ settings: { interlockDelayMs } }) => interlockDelayMs),
    );
    return Math.max(...delays.map((each) => Math.min(...each)));
  }

  /** I4: as the settings had it when the pulse began. Its command brings it along. */
  #lengthOf({ line, atMs }: FakeBoard['edges'][number]): PulseLength | null {
    const fromMs = this.#begun.findLast((one) => one.line === line && one.atMs <= atMs)?.givenMs ?? atMs;
    if (this.#settings.modeWithin(line, fromMs, atMs) !== 'impulse') return null;
    const lengths = this.#settings.within(line, fromMs, atMs).map(({ settings: { pulseMs } }) => pulseMs);
    return { leastMs: Math.min(...lengths), mostMs: Math.max(...lengths) };
  }

  /** Until when it may be on, by each of the settings that may hold at some time from..until. */
  #limitsMs(line: number, sinceMs: number | null, { fromMs, untilMs }: { fromMs: number; untilMs: number }): number[] {
    if (sinceMs === null) return [Number.POSITIVE_INFINITY];
    return this.#settings.within(line, fromMs, untilMs).map(({ settings }) => {
      if (settings.mode !== 'on-off') return Number.POSITIVE_INFINITY;
      const { maxOnMs, onAgentLoss, agentLossMs, onLinkLoss, linkLossMs } = settings;
      return Math.min(
        maxOnMs > 0 ? sinceMs + maxOnMs : Number.POSITIVE_INFINITY,
        onAgentLoss === 'off' ? Math.max(sinceMs, this.#agentMs) + agentLossMs : Number.POSITIVE_INFINITY,
        onLinkLoss === 'off' ? Math.max(sinceMs, this.#linkMs) + linkLossMs : Number.POSITIVE_INFINITY,
      );
    });
  }

  /** An on-off output of the group goes off by an order of the guard's own. */
  #judgeBreak(line: number, { nowMs, badMs, isStart, pending, isLocked }: AtOrder): void {
    const sinceMs = onSince(this.#board.edges, line);
    if (sinceMs === null || isStart || OUTPUTS[line]?.mode === 'impulse') return;
    const countsMs = this.#countsMs.get(line) ?? sinceMs;
    const limitsMs = this.#limitsMs(line, countsMs, { fromMs: sinceMs, untilMs: nowMs });
    const isDue =
      badMs >= sinceMs || nowMs >= Math.min(...limitsMs) || this.#settings.isForcedWithin(line, nowMs, nowMs);
    const isCommanded = pending.some(({ command }) => command.numOutput === line);
    if (isDue || isCommanded) return;
    const others = pending.filter(
      ({ command: { numOutput, command, startBeforeMs }, isOld }) =>
        this.#settings.mayBeInterlocked(numOutput, nowMs, nowMs) &&
        command.action !== 'stop' &&
        startBeforeMs > nowMs &&
        !isOld,
    );
    assert(others.length > 0, 'I12: an output of an interlock goes off for a command that is over');
    const isLocal = others.some(({ command }) => command.epoch === null);
    assert(!isLocked || isLocal, 'locks: a locked output goes off for a remote command');
    if (others.length === 1 && others[0]) others[0].hasBroken = true;
  }

  /** The guard itself puts one on: it must be the last one that was on, or to be on whatever was before. */
  #judgeComeback(line: number, nowMs: number): void {
    if (this.#settings.within(line, nowMs, nowMs).some(({ settings: { powerOn } }) => powerOn === 'on')) return;
    const last = this.#board.edges.findLast(
      (edge) => edge.level === 'high' && this.#settings.areInterlocked(edge.line, line, edge.atMs, nowMs),
    );
    assert(
      last === undefined || last.line === line,
      'I14: an output of an interlock comes back that another one has replaced',
    );
  }
}
