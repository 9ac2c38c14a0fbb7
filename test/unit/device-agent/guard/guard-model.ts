/**
 * A whole guard over a board and files in memory, killed and started again at any moment. Every order that reaches the
 * board is traced to its command, and every edge is kept; that is what the invariants are judged by.
 */
import { strict as assert } from 'node:assert';
import type { GuardCommand } from '@relaygate/device-agent/guard/commands/command-outcomes';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import type { OpenGuardDeps } from '@relaygate/device-agent/guard/open-guard';
import type { DriveOrder } from '@relaygate/device-agent/relay/relay-driver';
import type { Level, OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { JOURNAL, portsOf } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { mortalPorts } from '../../../support/device/mortal-ports';
import { DRIVE_TIMEOUT_MS, SAVE_PATIENCE_MS } from '../../../support/time/promised-times';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';
import type { TracedCommand } from './command-in-hand';
import { CommandJudge } from './command-judge';
import { onSince } from './edge-judge';
import { FailingBoard } from './failing-board';
import { FailingDisk } from './failing-disk';
import type { BoardMode, GuardMove } from './guard-moves';
import { OUTPUTS, SHOWN_MEMBER } from './guard-outputs';
import { PolarisedBoard } from './polarised-board';
import { PolicyJudge } from './policy-judge';
import { SettingsInTurn } from './settings-in-turn';

/** After its deadline: a board that hangs, a disk that hangs, a proof; and a timer of each. */
const ANSWER_MS = DRIVE_TIMEOUT_MS + SAVE_PATIENCE_MS + 200 + 10;

/** Settings that no output has changed while it is on. */
const PUT_OFF_FOR = ['mode', 'activeLevel', 'interlock'] as const;

export type GuardUnderTest = Pick<
  Guard,
  'execute' | 'enterEpoch' | 'outcomesOf' | 'agentIsThere' | 'lock' | 'configure' | 'view'
>;
export type OpenGuard = (outputs: readonly OutputSettings[], ports: OpenGuardDeps) => Promise<GuardUnderTest>;

type Given = Pick<GuardCommand, 'numOutput' | 'command'> &
  Pick<Extract<GuardMove, { move: 'command' }>, 'inMs' | 'epoch'>;

export class GuardWorld {
  readonly #open: OpenGuard;
  readonly #clock = new VirtualClock();
  readonly #files = new MemoryFiles();
  readonly #disk = new FailingDisk(this.#files, this.#clock);
  readonly #settings = new SettingsInTurn(OUTPUTS);
  /** What relays do: `high` is energised. */
  readonly #board = new FakeBoard(this.#clock, OUTPUTS.length);
  readonly #boardState = new FailingBoard(this.#board, this.#clock);
  #guard: GuardUnderTest | null = null;
  readonly #lines = new PolarisedBoard(this.#board, (line) => this.#polarityOf(line));
  /** Guards of before are dead: nothing that they still do counts. */
  #guards = 0;
  /** Frames that came to guards so far. */
  #turns = 0;
  #kill: () => void = () => {};
  readonly #startsMs: number[] = [];
  #boot = 1;
  #epoch = 0;
  readonly #commands: TracedCommand[] = [];
  /** Lines that this guard has given an order. */
  readonly #ordered = new Set<number>();
  #shows: 'relays' | Level = 'relays';
  #showsSinceMs = 0;
  /** As the settings were read, of the first guard of this boot to come to its outputs; null: another one runs. */
  #newBootMs: number | null = null;
  #isBootBegun = false;
  readonly #policies: PolicyJudge;
  readonly #judge: CommandJudge;
  /** Until when outputs are locked; a technician was told so. */
  readonly #locks = new Map<number, number>();
  #violation: unknown = null;

  constructor(open: OpenGuard) {
    this.#open = open;
    this.#policies = new PolicyJudge(this.#board, this.#settings, this.#clock.nowMs());
    this.#judge = new CommandJudge({
      clock: this.#clock,
      board: this.#board,
      commands: this.#commands,
      settings: this.#settings,
      journal: () => this.#files.texts.get(JOURNAL) ?? '',
      inputOf: (input) => this.#inputOf(input),
      inputsTurnedMs: () => this.#showsSinceMs,
    });
    this.#board.inputLevel = (input) => this.#inputOf(input);
    this.#board.answer = (order) => {
      this.#noting(() => this.#judgeOrder(order));
      return this.#boardState.answer(order);
    };
    this.#start();
  }

  async make(move: GuardMove): Promise<void> {
    switch (move.move) {
      case 'command':
        this.#give(move);
        break;
      case 'stop':
        this.#stop(move);
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
        this.#setBoard(move.mode);
        break;
      case 'disk':
        this.#disk.enter(move.mode);
        break;
      case 'feedback':
        // What it has shown until now the guard may have seen.
        this.#judgeSeesInput();
        this.#shows = move.shows;
        this.#showsSinceMs = this.#clock.nowMs();
        this.#judgeSeesInput();
        break;
      case 'presence':
        if (!this.#guard) break;
        this.#guard.agentIsThere(move.linkIsUp);
        this.#policies.heard(move.linkIsUp, this.#clock.nowMs());
        break;
      case 'lock':
        this.#lock(move);
        break;
      case 'configure':
        this.#configure(move);
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
    assert.equal(this.#pending.length, 0, 'I6: a command is never answered');
    assert(!this.#settings.isOpen, 'settings: a change is never answered');
    assert.deepEqual(this.#lines.turnedOver, [], 'settings: a line has its inactive level of before');
    for (const [line, { mode }] of this.#settings.inFile.entries())
      if (mode === 'impulse') assert.equal(this.#board.levels[line], 'low', 'I4: an impulse never ends');
  }

  get #bootId(): string {
    return `boot-${this.#boot}`;
  }

  get #pending(): TracedCommand[] {
    return this.#commands.filter(({ pendingAt }) => pendingAt === this.#guards);
  }

  #judgeSeesInput(): void {
    this.#policies.inputShows(this.#inputOf(SHOWN_MEMBER), this.#clock.nowMs());
  }

  #inputOf(input: number): Level {
    return this.#shows === 'relays' ? (this.#board.levels[input] ?? 'low') : this.#shows;
  }

  /** What a guard that starts goes by is in the file. */
  #polarityOf(line: number): Level {
    const settings = this.#guard?.view().outputs[line]?.settings ?? this.#settings.inFile[line];
    return settings?.activeLevel ?? 'high';
  }

  #start(): void {
    this.#guards += 1;
    this.#startsMs.push(this.#clock.nowMs());
    this.#guard = null;
    const mine = this.#guards;
    const isAlive = (): boolean => this.#guards === mine;
    this.#settings.answered(true, this.#clock.nowMs());
    this.#newBootMs = this.#isBootBegun ? null : this.#clock.nowMs();
    this.#ordered.clear();
    this.#kill();
    const { ports, kill } = mortalPorts({
      ...portsOf({ clock: this.#clock, files: this.#files, board: this.#board }),
      driver: this.#lines,
      bootId: this.#bootId,
    });
    this.#kill = kill;
    void this.#open(this.#settings.inFile, ports).then((guard) => {
      if (!isAlive()) return;
      this.#guard = guard;
      this.#isBootBegun = true;
      // The agent says it again to each guard that it finds, before any command.
      if (this.#locks.size > 0) void guard.lock(this.#lockList);
      if (this.#epoch > 0) void guard.enterEpoch({ epoch: this.#epoch });
    });
  }

  /** Relays fall, and what was in memory only is gone. */
  #powerCut(): void {
    this.#guard = null;
    this.#boot += 1;
    this.#isBootBegun = false;
    this.#epoch = 0;
    this.#files.texts.delete(JOURNAL);
    this.#policies.newBoot(this.#clock.nowMs());
    for (const line of this.#board.levels.keys()) this.#board.move({ line, level: 'low', notAfterMs: null });
  }

  /** Of what the technician saw: the relay that went on last, or the time before. */
  #stop({ numOutput, isLate, inMs }: Extract<GuardMove, { move: 'stop' }>): void {
    const own = this.#board.edges.filter(({ line }) => line === numOutput);
    const isRunning = own.at(-1)?.level === 'high';
    const begins = own.filter(({ level }) => level === 'high').map(({ atMs }) => atMs);
    const seen = isLate ? begins.at(isRunning ? -2 : -1) : isRunning ? begins.at(-1) : undefined;
    const command = { action: 'stop', pulseSinceMs: seen ?? null } as const;
    this.#give({ numOutput, command, inMs, epoch: null });
  }

  #give({ numOutput, command, inMs, epoch }: Given): void {
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
    const traced: TracedCommand = {
      command: given,
      givenMs: this.#clock.nowMs(),
      bootId: this.#bootId,
      orders: 0,
      isOver: false,
      isAsked: false,
      pendingAt: null,
      came: null,
      answerByMs: 0,
      isOld: false,
      hasBroken: false,
      outcome: null,
    };
    this.#commands.push(traced);
    this.#execute(traced);
  }

  #execute(traced: TracedCommand): void {
    const guards = this.#guards;
    const isFirst = !traced.isAsked;
    traced.isAsked = true;
    if (!this.#guard) return;
    traced.pendingAt = guards;
    // One that the journal tells of is not done again. What it has not taken yet when a guard dies is new to the next one;
    // the agent keeps what was refused (remote-commands).
    const isKnown = this.#files.texts.get(JOURNAL)?.includes(`"outcome":{"commandId":"${traced.command.commandId}"`);
    if (traced.came?.guard !== guards && !isKnown) {
      const isOn = this.#board.levels[traced.command.numOutput] === 'high';
      traced.came = { guard: guards, turn: this.#turns++, isOn };
      traced.outcome = null;
    }
    traced.answerByMs = Math.max(this.#clock.nowMs(), traced.command.startBeforeMs) + ANSWER_MS;
    void this.#guard.execute(traced.command).then((reply) => {
      if (this.#guards !== guards) return;
      traced.pendingAt = null;
      this.#noting(() => this.#judge.time(traced));
      if (isFirst) this.#noting(() => this.#judge.proof(traced, reply));
      this.#noting(() => this.#judge.reply(traced, reply));
    });
  }

  #resume(): void {
    const guard = this.#guard;
    if (!guard) return;
    this.#epoch += 1;
    for (const traced of this.#commands)
      traced.isOld ||= traced.command.epoch !== null && traced.command.epoch !== this.#epoch;
    void guard.enterEpoch({ epoch: this.#epoch });
    // Those of this boot that a server may still wait for.
    const asked = this.#commands.filter(({ command, bootId }) => command.epoch !== null && bootId === this.#bootId);
    const { notStarted } = guard.outcomesOf(asked.map(({ command }) => command.commandId));
    for (const traced of asked.filter(({ command }) => notStarted.includes(command.commandId))) {
      assert.equal(traced.orders, 0, 'I1: calls a command never started that has moved something');
      traced.isOver = true;
    }
  }

  #lock({ numOutput, forMs }: Extract<GuardMove, { move: 'lock' }>): void {
    if (forMs === 0) this.#locks.delete(numOutput);
    else this.#locks.set(numOutput, this.#clock.nowMs() + forMs);
    // What the board has in hand by now moves yet: that is why a lock is confirmed only after it.
    if (this.#guard) void this.#guard.lock(this.#lockList);
  }

  get #lockList(): { numOutput: number; untilMs: number }[] {
    return [...this.#locks].map(([numOutput, untilMs]) => ({ numOutput, untilMs }));
  }

  #isLocked(numOutput: number): boolean {
    return this.#clock.nowMs() < (this.#locks.get(numOutput) ?? 0);
  }

  /** As the agent does: one change after the other, in the file before the guard is asked. */
  #configure({ numOutput, change, force }: Extract<GuardMove, { move: 'configure' }>): void {
    const guard = this.#guard;
    const before = this.#settings.inFile[numOutput];
    if (!guard || !before || this.#settings.isOpen) return;
    const guards = this.#guards;
    const settings = { ...before, ...change };
    const askedMs = this.#clock.nowMs();
    const onMs = onSince(this.#board.edges, numOutput);
    this.#settings.ask(numOutput, settings, force, askedMs);
    const answered = (isMade: boolean): void => {
      if (this.#guards !== guards) return;
      this.#settings.answered(isMade, this.#clock.nowMs());
      const changed = PUT_OFF_FOR.find((name) => settings[name] !== before[name]);
      if (!isMade || changed === undefined || onMs === null || this.#boardState.badUntilMs >= onMs) return;
      const isPutOff = onSince(this.#board.edges, numOutput) !== onMs;
      this.#noting(() => assert(force && isPutOff, `settings: ${changed} of an output that is on has changed`));
    };
    guard.configure([{ numOutput, settings }], force).then(
      () => answered(true),
      () => answered(false),
    );
  }

  #setBoard(mode: BoardMode): void {
    // As after a restart, a policy decides of each.
    if (this.#boardState.isAway && mode !== 'away') this.#ordered.clear();
    this.#boardState.enter(mode);
  }

  #judgeOrder(order: DriveOrder): void {
    const { line } = order;
    const isLocked = this.#isLocked(line);
    this.#policies.judgeOrder(order, {
      nowMs: this.#clock.nowMs(),
      badMs: this.#boardState.badUntilMs,
      isStart: !this.#ordered.has(line),
      pending: this.#pending,
      input: this.#inputOf(SHOWN_MEMBER),
      isLocked,
      givenMs: this.#commands.find(({ command }) => command.startBeforeMs === order.notAfterMs)?.givenMs ?? null,
    });
    this.#ordered.add(line);
    const { badUntilMs: badMs } = this.#boardState;
    this.#judge.order(order, { epoch: this.#epoch, badMs, isLocked, newBootMs: this.#newBootMs });
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
    for (const traced of this.#pending) this.#judge.time(traced);
    this.#policies.judgeEdges(this.#clock.nowMs(), {
      badMs: this.#boardState.badUntilMs,
      startsMs: this.#startsMs,
      isStopped: (line, atMs, untilMs) =>
        this.#settings.isForcedWithin(line, atMs, untilMs) ||
        this.#commands.some(
          ({ command: { numOutput, command } }) =>
            numOutput === line && command.action === 'stop' && command.pulseSinceMs === atMs,
        ),
    });
  }
}
