/**
 * One output in a small world of its own: a relay, a board that answers well or badly, a disk, a clock, power cuts. The
 * world keeps what the machine cannot see (where the relay really is, what a power cut would leave, what somebody was
 * told) and judges every effect by the invariants; it knows nothing of the machine's phases.
 */
import { strict as assert } from 'node:assert';
import { DRIVE_TIMEOUT_MS } from '@relaygate/device-agent/guard/board-line';
import {
  isSettled,
  type Output,
  type OutputCommand,
  type OutputEffect,
  type OutputEvent,
  type OutputRules,
  RELEASE_RETRY_MS,
  stateOf,
  type step,
} from '@relaygate/device-agent/guard/output';
import type { powerOnActive } from '@relaygate/device-agent/guard/power-on';
import { type InHand, inHand, wantedBy } from './command-in-hand';
import type { BoardAnswer, OutputMove } from './output-moves';

/** The pure parts of the guard that decide what an output does; a mutant changes one. */
export interface OutputLogic {
  step: typeof step;
  powerOnActive: typeof powerOnActive;
}

interface Order {
  active: boolean;
  command: boolean;
  timeoutMs: number;
  /** null: a command's record is not written yet. */
  sentMs: number | null;
}

export class OutputWorld {
  readonly #logic: OutputLogic;
  #rules: OutputRules;
  #output: Output = { phase: 'unknown' };
  #nowMs = 1_000;
  #boot = 1;
  /** Where the relay is. */
  #isOn = false;
  #edgeMs = 0;
  #edgePulseMs = 0;
  /** The board failed or was lost since the last leading edge, or another guard made it: the pulse may end late. */
  #isDisturbed = false;
  #order: Order | null = null;
  #timerMs: number | null = null;
  #inHand: InHand | 'start' | null = null;
  #postponed: OutputCommand | null = null;
  /** What a power cut leaves, and what the state file is on its way to. */
  #durable = false;
  #wanted = false;
  #saves: number[] = [];
  #lastSave = 0;
  /** What somebody was told that the output is, and would still be after a power cut. */
  #told: boolean | null = null;

  constructor(logic: OutputLogic, rules: OutputRules) {
    this.#logic = logic;
    this.#rules = rules;
    this.#start(true, null);
  }

  make(move: OutputMove): void {
    switch (move.move) {
      case 'command':
        if (this.#inHand !== null || !isSettled(this.#output)) return;
        return this.#begin(move.command);
      case 'board':
        return this.#boardAnswers(move.answer);
      case 'send-order':
        return this.#sendOrder();
      case 'stop-order':
        if (!this.#order?.command) return;
        this.#order = null;
        if (this.#running) this.#running.wasStopped = true;
        return this.#feed({ kind: 'not-driven', outcome: move.outcome });
      case 'disk':
        return this.#diskAnswers(move.works);
      case 'calm':
        while (this.#order !== null || this.#saves.length > 0) {
          this.#boardAnswers('works');
          this.#diskAnswers(true);
        }
        return;
      case 'pass':
        return this.#pass(move.ms, move.silentBoardMoves);
      case 'pulse-length':
        this.#rules = { ...this.#rules, pulseMs: move.pulseMs };
        return;
      case 'lose-board':
        this.#isDisturbed = true;
        this.#told = null;
        return this.#feed({ kind: 'board-lost' });
      case 'put-off':
        if (this.#inHand !== null || !isSettled(this.#output)) return;
        this.#wanted = this.#durable = false;
        this.#told = false;
        return this.#feed({ kind: 'release' });
      case 'restart':
        return this.#restart(move.newBoot, move.clean);
      default:
        move satisfies never;
    }
  }

  #start(isNewBoot: boolean, told: boolean | null): void {
    const { mode, powerOn } = this.#rules;
    const settings = { ...this.#rules, name: 'Gate', activeLevel: 'high' } as const;
    const bootId = isNewBoot ? `boot-${this.#boot - 1}` : `boot-${this.#boot}`;
    const remembered = { bootId, active: new Map([[0, this.#durable]]) };
    const [active = false] = this.#logic.powerOnActive([settings], remembered, `boot-${this.#boot}`);
    if (active) {
      assert.equal(mode, 'on-off', 'I5: an impulse output starts active');
      const isWanted = powerOn === 'on' ? isNewBoot : powerOn === 'restore' && this.#durable;
      assert(isWanted, `I5: power-on ${powerOn} starts active where it must not`);
    }
    if (mode === 'on-off' && powerOn === 'restore' && told !== null)
      assert.equal(active, told, 'I8: a power cut undid what somebody was told');
    this.#inHand = active ? 'start' : null;
    this.#told = told;
    this.#feed({ kind: 'start', active });
  }

  #restart(newBoot: boolean, clean: boolean): void {
    if (clean) this.#feed({ kind: 'release' });
    // A command that was under way may have got anywhere; a disk that refuses is a fault that is shown.
    const isQuiet =
      this.#inHand === null && this.#postponed === null && this.#saves.length === 0 && this.#wanted === this.#durable;
    const told = isQuiet ? this.#told : null;
    this.#order = null;
    this.#timerMs = null;
    this.#postponed = null;
    this.#saves = [];
    this.#wanted = this.#durable;
    this.#output = { phase: 'unknown' };
    this.#isDisturbed = true;
    if (newBoot) this.#boot += 1;
    if (newBoot) this.#isOn = false;
    this.#start(newBoot, told);
  }

  #sendOrder(): void {
    const order = this.#order;
    if (!order || order.sentMs !== null) return;
    order.sentMs = this.#nowMs;
    this.#feed({ kind: 'ordered' });
  }

  #boardAnswers(answer: BoardAnswer): void {
    this.#sendOrder();
    const order = this.#order;
    if (!order) return;
    this.#order = null;
    const sentMs = order.sentMs ?? this.#nowMs;
    if (answer === 'works' || answer === 'works-unread' || answer === 'moves-but-fails')
      this.#relayMoves(order, sentMs);
    const isGood = answer === 'works' || answer === 'works-unread';
    if (!isGood) {
      this.#isDisturbed = true;
      this.#told = null;
    }
    if (answer === 'does-nothing' || answer === 'moves-but-fails') return this.#feed({ kind: 'drive-failed' });
    const active = answer === 'works-unread' ? null : answer === 'works' ? order.active : !order.active;
    this.#feed({ kind: 'driven', active, atMs: sentMs });
  }

  #relayMoves({ active, command }: Order, sentMs: number): void {
    const { mode, pulseMs } = this.#rules;
    if (active && (!this.#isOn || mode === 'impulse')) {
      this.#edgeMs = sentMs;
      this.#edgePulseMs = this.#running?.pulseMs ?? pulseMs;
      this.#isDisturbed = false;
      assert(command || mode === 'on-off', 'I4: an impulse output goes on without a command');
    }
    if (command && this.#running) this.#running.hasMoved = true;
    this.#isOn = active;
  }

  #diskAnswers(works: boolean): void {
    const save = this.#saves.shift();
    // Whatever was asked for meanwhile goes along; what could not be saved is tried again.
    if (works) this.#durable = this.#wanted;
    if (save !== undefined && save === this.#lastSave) this.#feed({ kind: works ? 'saved' : 'save-failed' });
  }

  #pass(ms: number, silentBoardMoves: boolean): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const { sentMs = null, timeoutMs = 0 } = this.#order ?? {};
      const orderMs = sentMs === null ? Number.POSITIVE_INFINITY : sentMs + timeoutMs;
      const timerMs = this.#timerMs ?? Number.POSITIVE_INFINITY;
      const nextMs = Math.min(orderMs, timerMs);
      if (nextMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
      if (timerMs <= orderMs) {
        this.#timerMs = null;
        this.#feed({ kind: 'due' });
      } else {
        this.#boardAnswers(silentBoardMoves ? 'moves-but-fails' : 'does-nothing');
      }
    }
    this.#nowMs = untilMs;
    this.#check();
  }

  #feed(event: OutputEvent): void {
    const [output, effects] = this.#logic.step(this.#output, event, this.#rules);
    this.#output = output;
    for (const effect of effects) this.#carryOut(effect, event);
    this.#check();
    const again = this.#postponed;
    if (again === null || !isSettled(output)) return;
    this.#postponed = null;
    this.#begin(again);
  }

  #begin(command: OutputCommand): void {
    this.#inHand = inHand(command, this.#isOn, this.#rules.pulseMs);
    this.#feed({ kind: 'command', command });
  }

  #carryOut(effect: OutputEffect, event: OutputEvent): void {
    switch (effect.do) {
      case 'drive':
        return this.#takeOrder(effect, event);
      case 'save':
        if (effect.active) assert(this.#isOn, 'I5: "on" is saved before its edge');
        this.#wanted = effect.active;
        this.#lastSave += 1;
        this.#saves.push(this.#lastSave);
        return;
      case 'wait':
        this.#timerMs = Math.max(this.#nowMs, (effect.sinceMs ?? this.#nowMs) + effect.delayMs);
        return;
      case 'stop-waiting':
        this.#timerMs = null;
        return;
      case 'settle':
        assert(this.#inHand !== null, 'I10: an answer for which no command waits');
        if (this.#running) this.#judge(this.#running, effect);
        this.#inHand = null;
        return;
      case 'postpone':
        assert(this.#running, 'I14: what nobody asked for is postponed');
        assert(this.#running.orders === 0 || this.#order?.sentMs === null, 'I1: postponed, and the board was told');
        this.#postponed = this.#running.command;
        this.#inHand = null;
        return;
      default:
        effect satisfies never;
    }
  }

  #takeOrder(effect: Extract<OutputEffect, { do: 'drive' }>, event: OutputEvent): void {
    const { active, command, pulseMs } = effect;
    const { mode, powerOn, retrigger } = this.#rules;
    const running = this.#running;
    if (command) {
      assert(running, 'I14: an order for a command that nobody gave');
      running.orders += 1;
      assert.equal(running.orders, 1, 'I1: one command drives twice');
      const isExtended = mode === 'impulse' && this.#isOn && !this.#isDisturbed;
      assert(!isExtended || retrigger === 'extend', 'I4: a command makes a pulse longer that it must not');
      if (mode === 'on-off' && powerOn === 'restore' && !active)
        assert(!this.#durable || event.kind === 'save-failed', 'I5: "off" leaves before it is saved');
      assert.equal(pulseMs, mode === 'impulse' ? running.pulseMs : undefined, 'I4: not the pulse that is set');
    } else if (active) {
      assert.equal(event.kind, 'start', 'I14: driven active without a command');
    } else if (mode === 'impulse' && this.#isOn && !this.#isDisturbed && event.kind === 'due') {
      assert(this.#nowMs >= this.#edgeMs + this.#edgePulseMs, 'I4: the pulse is cut short');
    }
    const timeoutMs = Math.min(DRIVE_TIMEOUT_MS, pulseMs ?? DRIVE_TIMEOUT_MS);
    this.#order = { active, command, timeoutMs, sentMs: command ? null : this.#nowMs };
  }

  #judge(running: InHand, { outcome }: Extract<OutputEffect, { do: 'settle' }>): void {
    const { mode, powerOn } = this.#rules;
    const wanted = wantedBy(running, mode);
    const isRestored = mode === 'on-off' && powerOn === 'restore';
    // A command that was stopped leaves everything as it was.
    if (!running.wasStopped) this.#told = null;
    switch (outcome) {
      case 'executed':
      case 'already-set':
        if (outcome === 'already-set') {
          assert(mode === 'on-off' && running.command.action === 'set', 'I3: already-set is for on-off outputs');
          assert.equal(running.orders, 0, 'I3: already-set, yet the board was told');
        }
        if (wanted !== null) assert.equal(this.#isOn, wanted, `I3: ${outcome}, and the relay is elsewhere`);
        if (isRestored) assert.equal(this.#durable, wanted, `I8: ${outcome}, and a power cut would undo it`);
        if (mode === 'on-off') this.#told = wanted;
        else if (wanted === true && this.#rules.retrigger === 'extend')
          assert.equal(running.orders, 1, 'I3: executed, and no pulse has begun');
        return;
      case 'expired':
        assert(!running.hasMoved, 'I2: expired, and the relay moved');
        return;
      case 'refused':
      case 'unproven':
        return;
      default:
        outcome satisfies never;
    }
  }

  #check(): void {
    const { mode } = this.#rules;
    const settled = isSettled(this.#output);
    const isStuck = this.#output.phase === 'stuck';
    const timerMs = this.#timerMs ?? Number.POSITIVE_INFINITY;
    if (settled) assert.equal(this.#inHand, null, 'I6: a command is through, and was never answered');
    else assert(this.#order ?? this.#saves.length > 0, 'I6: nothing will ever end what is under way');
    if (isStuck) assert(timerMs <= this.#nowMs + RELEASE_RETRY_MS, 'I4: a relay that stays on is not tried again');
    const state = stateOf(this.#output);
    if (settled && state !== null) assert.equal(state === 1, this.#isOn, 'I11: the state is not where the relay is');
    if (mode === 'impulse' && this.#isOn && (this.#order === null || this.#order.sentMs === null)) {
      const endMs = this.#isDisturbed ? this.#nowMs + RELEASE_RETRY_MS : this.#edgeMs + this.#edgePulseMs;
      assert(timerMs <= endMs, 'I4: the pulse will be too long');
    }
  }

  get #running(): InHand | null {
    return this.#inHand === 'start' ? null : this.#inHand;
  }
}
