/**
 * A whole guard over a board and files in memory, killed and started again at any moment. Every order that reaches the
 * board is traced to its command, and every edge is kept; that is what the invariants are judged by.
 */
import { strict as assert } from 'node:assert';
import type { Guard, GuardCommand } from '@relaygate/device-agent/guard/guard';
import type { GuardPorts } from '@relaygate/device-agent/guard/open-guard';
import type { DriveOrder, DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import type { CommandConfirmation, Level, OutputSettings } from '@relaygate/shared';
import { outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { JOURNAL, portsOf, STATE } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { mortalPorts } from '../../../support/device/mortal-ports';
import { settled, VirtualClock } from '../../../support/virtual-clock';
import type { TracedCommand } from './command-in-hand';
import { judgeInterlock, judgePulses } from './edge-judge';
import type { GuardMove } from './guard-moves';

const INTERLOCK_DELAY_MS = 90;
const LOCKED = { interlock: 'pair', interlockDelayMs: INTERLOCK_DELAY_MS };
const OUTPUTS = outputsWith({
  0: { feedbackInput: 0, feedbackMs: 60 },
  1: { powerOn: 'restore', ...LOCKED },
  2: LOCKED,
  3: { pulseMs: 120 },
});
const PAIR = [1, 2];
const LATE_MS = 40;

export type GuardUnderTest = Pick<Guard, 'execute' | 'enterEpoch' | 'fatesOf'>;
export type OpenGuard = (outputs: readonly OutputSettings[], ports: GuardPorts) => Promise<GuardUnderTest>;

export class GuardWorld {
  readonly #open: OpenGuard;
  readonly #clock = new VirtualClock();
  readonly #files = new MemoryFiles();
  readonly #board = new FakeBoard(this.#clock, OUTPUTS.length);
  #guard: GuardUnderTest | null = null;
  /** Guards of before are dead: nothing that they still do counts. */
  #guards = 0;
  #kill: () => void = () => {};
  #boot = 1;
  #epoch = 0;
  readonly #commands: TracedCommand[] = [];
  /** Until when the board or its answers were bad. */
  #badMs = 0;
  #boardMode: 'works' | 'late' | 'fails' | 'hangs' = 'works';
  #follows = true;
  /** Commands that this guard has and that nobody has an answer to. */
  #unanswered = 0;
  #violation: unknown = null;

  constructor(open: OpenGuard) {
    this.#open = open;
    this.#board.inputLevel = () => this.#input;
    this.#board.answer = (order) => this.#boardAnswers(order);
    this.#start();
  }

  async make(move: GuardMove): Promise<void> {
    switch (move.move) {
      case 'command':
        this.#give(move);
        break;
      case 'repeat': {
        const traced = this.#commands[move.which];
        if (traced?.bootId === this.#bootId) this.#execute(traced);
        break;
      }
      case 'resume':
        this.#resume();
        break;
      case 'board':
        if (this.#isBad) this.#badMs = this.#clock.nowMs();
        this.#boardMode = move.mode;
        break;
      case 'disk':
        this.#setDisk(move.mode);
        break;
      case 'feedback':
        this.#follows = move.follows;
        break;
      case 'pass':
        await this.#clock.advance(move.ms);
        break;
      case 'restart':
        if (move.newBoot) this.#powerCut();
        this.#start();
        break;
      default:
        move satisfies never;
    }
    await settled();
    this.#check();
  }

  /** All gets well, and nothing more is asked for. */
  async end(): Promise<void> {
    await this.make({ move: 'board', mode: 'works' });
    await this.make({ move: 'disk', mode: 'works' });
    await this.make({ move: 'pass', ms: 10_000 });
    assert.equal(this.#unanswered, 0, 'I6: a command is never answered');
    for (const [line, { mode }] of OUTPUTS.entries())
      if (mode === 'impulse') assert.equal(this.#board.levels[line], 'low', 'I4: an impulse never ends');
  }

  get #bootId(): string {
    return `boot-${this.#boot}`;
  }

  get #input(): Level {
    return this.#follows ? (this.#board.levels[0] ?? 'low') : 'low';
  }

  get #isBad(): boolean {
    return this.#boardMode === 'fails' || this.#boardMode === 'hangs';
  }

  #start(): void {
    this.#guards += 1;
    this.#unanswered = 0;
    this.#guard = null;
    const mine = this.#guards;
    const isAlive = (): boolean => this.#guards === mine;
    this.#kill();
    const { ports, kill } = mortalPorts({
      ...portsOf({ clock: this.#clock, files: this.#files, board: this.#board }),
      bootId: this.#bootId,
    });
    this.#kill = kill;
    void this.#open(OUTPUTS, ports).then((guard) => {
      if (!isAlive()) return;
      this.#guard = guard;
      // The agent says it again to each guard that it finds, before any command.
      if (this.#epoch > 0) void guard.enterEpoch(this.#epoch);
    });
  }

  /** Relays fall, and what was in memory only is gone. */
  #powerCut(): void {
    this.#boot += 1;
    this.#epoch = 0;
    this.#files.texts.delete(JOURNAL);
    for (const line of this.#board.levels.keys()) this.#board.move({ line, level: 'low', notAfterMs: null });
  }

  #give({ numOutput, command, inMs, epoch }: Extract<GuardMove, { move: 'command' }>): void {
    // No two have the same deadline, so that it tells them apart at the board.
    const startBeforeMs = this.#clock.nowMs() + inMs + this.#commands.length / 1_000;
    const epochs = { current: this.#epoch, older: this.#epoch - 1 };
    const given: GuardCommand = {
      commandId: `c${this.#commands.length}`,
      numOutput,
      command,
      startBeforeMs,
      epoch: epoch === null ? null : epochs[epoch],
    };
    const traced = { command: given, bootId: this.#bootId, orders: 0, isOver: false, isAsked: false };
    this.#commands.push(traced);
    this.#execute(traced);
  }

  #execute(traced: TracedCommand): void {
    const guards = this.#guards;
    const isFirst = !traced.isAsked;
    traced.isAsked = true;
    if (!this.#guard) return;
    this.#unanswered += 1;
    void this.#guard.execute(traced.command).then((reply) => {
      if (this.#guards !== guards) return;
      this.#unanswered -= 1;
      if (isFirst) this.#noting(() => this.#judgeProof(traced, reply));
      this.#noting(() => this.#judgeReply(traced, reply));
    });
  }

  #resume(): void {
    const guard = this.#guard;
    if (!guard) return;
    this.#epoch += 1;
    void guard.enterEpoch(this.#epoch);
    // Those of this boot that a server may still wait for.
    const asked = this.#commands.filter(({ command, bootId }) => command.epoch !== null && bootId === this.#bootId);
    const { notStarted } = guard.fatesOf(asked.map(({ command }) => command.commandId));
    for (const traced of asked.filter(({ command }) => notStarted.includes(command.commandId))) {
      assert.equal(traced.orders, 0, 'I1: calls a command never started that has moved something');
      traced.isOver = true;
    }
  }

  #setDisk(mode: Extract<GuardMove, { move: 'disk' }>['mode']): void {
    this.#files.failing.clear();
    this.#files.slow.clear();
    if (mode === 'journal-fails') this.#files.failing.set(JOURNAL, 'ENOSPC');
    if (mode === 'state-fails') this.#files.failing.set(STATE, 'ENOSPC');
    if (mode === 'journal-hangs') {
      const written = new Promise<void>((resolve) => void this.#clock.after(300, resolve));
      this.#files.slow.set(JOURNAL, written);
    }
  }

  #boardAnswers(order: DriveOrder): DriveResult | Promise<DriveResult> | null {
    this.#noting(() => this.#judgeOrder(order));
    switch (this.#boardMode) {
      case 'works':
        return null;
      case 'late': {
        const result = this.#board.move(order);
        return new Promise((resolve) => void this.#clock.after(LATE_MS, () => resolve(result)));
      }
      case 'fails':
        return { kind: 'failed', problem: 'no power' };
      case 'hangs':
        return new Promise(() => {});
      default:
        return this.#boardMode satisfies never;
    }
  }

  #judgeOrder({ line, level, notAfterMs }: DriveOrder): void {
    if (notAfterMs === null) {
      const isImpulse = OUTPUTS[line]?.mode === 'impulse';
      assert(level === 'low' || !isImpulse, 'I4: an impulse output goes on without a command');
      return;
    }
    const traced = this.#commands.find(({ command }) => command.startBeforeMs === notAfterMs);
    assert(traced, 'I14: an order that no command asked for');
    const { commandId, epoch } = traced.command;
    traced.orders += 1;
    assert.equal(traced.orders, 1, 'I1: a command has moved something twice');
    assert(!traced.isOver, 'I1: a command moves something after it was called over');
    assert(this.#clock.nowMs() < notAfterMs, 'I2: an edge after its deadline');
    assert(epoch === null || epoch === this.#epoch, 'I12: an edge of a link that is superseded');
    const journal = this.#files.texts.get(JOURNAL) ?? '';
    assert(journal.includes(`"started":"${commandId}"`), 'I1: an edge before its record');
  }

  #judgeReply(traced: TracedCommand, reply: CommandConfirmation | null): void {
    if (!reply) return;
    const { outcome, reason } = reply;
    if (outcome === 'expired' || (outcome === 'refused' && reason !== 'board-failed')) {
      assert.equal(traced.orders, 0, `I3: ${outcome} (${reason}), and something has moved`);
      // What the journal does not take, a restarted guard cannot know: the agent keeps its refusal (remote-commands).
      traced.isOver = reason !== 'journal-failed';
    }
    const isOnOff = OUTPUTS[traced.command.numOutput]?.mode === 'on-off';
    if (outcome === 'executed' && isOnOff) assert.equal(traced.orders, 1, 'I3: executed, and nothing has moved');
  }

  /** Of an answer that is given now, not one from the journal. */
  #judgeProof({ command }: TracedCommand, reply: CommandConfirmation | null): void {
    if (command.numOutput !== 0 || (reply?.outcome !== 'executed' && reply?.outcome !== 'already-set')) return;
    assert.equal(this.#input, this.#board.levels[0], `I3: ${reply.outcome}, and its input does not show it`);
  }

  #noting(judge: () => void): void {
    try {
      judge();
    } catch (violation) {
      this.#violation ??= violation;
    }
  }

  #check(): void {
    if (this.#violation !== null) throw this.#violation;
    const { edges } = this.#board;
    judgeInterlock(
      edges.filter(({ line }) => PAIR.includes(line)),
      INTERLOCK_DELAY_MS,
    );
    const nowMs = this.#clock.nowMs();
    const badMs = this.#isBad ? nowMs : this.#badMs;
    for (const [line, { mode, pulseMs }] of OUTPUTS.entries()) {
      if (mode !== 'impulse') continue;
      judgePulses(
        edges.filter((edge) => edge.line === line),
        pulseMs,
        nowMs,
        badMs,
      );
    }
  }
}
