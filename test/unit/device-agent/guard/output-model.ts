/**
 * One output in a small world of its own: a relay, a board that answers well or badly, a disk, a clock, power cuts. The
 * world keeps what the machine cannot see (where the relay really is, what a power cut would leave, what somebody was
 * told) and checks every effect by the invariants; it reads nothing in the machine's phases.
 */
import { strict as assert } from 'node:assert';
import type { Output, OutputEffect, OutputEvent } from '@relaygate/device-agent/guard/output-types';
import type { QueuedCommand } from '@relaygate/device-agent/guard/protocol';
import type { OutputState } from '@relaygate/shared';
import { DRIVE_TIMEOUT_MS, RELEASE_RETRY_MS } from '../../../support/time/promised-times';
import { type InHand, inHand, wantedBy } from './command-in-hand';
import { OutputDisk } from './output-disk';
import {
  type GameRules,
  judgeAnswer,
  judgeEnd,
  judgeOrder,
  judgePowerOn,
  judgeReturn,
  type Order,
  type OutputTruth,
} from './output-judge';
import { OutputLimits } from './output-limits';
import type { OutputLogic } from './output-logic';
import type { BoardAnswer, LookAnswer, OutputMove } from './output-moves';

export class OutputWorld {
  readonly #logic: OutputLogic;
  #rules: GameRules;
  #output: Output = { phase: 'unknown' };
  #nowMs = 1_000;
  /** Where the relay is. */
  #isOn = false;
  #edgeMs = 0;
  #edgePulseMs = 0;
  /** Somebody or a policy has switched it on: it was not only found so. */
  #isWantedOn = false;
  /** When it went on, and the times before. */
  #wentOnMs: number[] = [];
  /** When it moved last, either way; when the board was last done with an order. */
  #movedMs = Number.NEGATIVE_INFINITY;
  #doneMs = Number.NEGATIVE_INFINITY;
  /** The board failed or was lost since the last leading edge, or another guard made it: the pulse may end late. */
  #isDisturbed = false;
  #isAway = false;
  /** When the board went, a policy was bringing the output on, and is the same since. */
  #isStarting = false;
  /** The power-on policy is another than at the start. */
  #isOtherPolicy = false;
  #order: Order | null = null;
  /** The board has not switched it off when it was last told to. */
  #isOffOwed = false;
  /** What the board will say of the relay: it is asked; null: it is not. */
  #look: LookAnswer | null = null;
  #timerMs: number | null = null;
  #inHand: InHand | 'start' | null = null;
  /** Its policy was bringing the output on when it began, and nothing has come since that ends that. */
  #wasTurningOn = false;
  /** What was to be durable when it began. */
  #wasToBeDurable = false;
  #postponed: QueuedCommand | null = null;
  /** What it would say for the command in hand; null: it cannot be asked. */
  #wouldSee: LookAnswer | null = null;
  readonly #disk = new OutputDisk();
  readonly #limits: OutputLimits;
  /** What somebody was told that the output is, and would still be after a power cut. */
  #told: boolean | null = null;

  constructor(logic: OutputLogic, rules: GameRules) {
    this.#logic = logic;
    this.#rules = rules;
    this.#limits = new OutputLimits(logic, this.#nowMs);
    this.#start(true, null);
  }

  make(move: OutputMove): void {
    switch (move.move) {
      case 'command':
        if (this.#isBusy) return;
        return this.#begin(move.command, move.look);
      case 'board':
        return this.#boardAnswers(move.answer);
      case 'send-order':
        return this.#sendOrder();
      case 'stop-order':
        if (!this.#order?.command && this.#look === null) return;
        this.#order = null;
        this.#look = null;
        if (this.#running) this.#running.wasStopped = true;
        return this.#feed({ kind: 'not-driven', outcome: move.outcome });
      case 'disk':
        return this.#diskAnswers(move.works);
      case 'calm':
        while (this.#order !== null || this.#disk.isBusy || this.#look !== null) {
          this.#boardAnswers('works');
          this.#diskAnswers(true);
        }
        return;
      case 'pass':
        return this.#pass(move.ms, move.silentBoardMoves);
      case 'report':
        return this.#limits.report(move.linkIsUp, this.#rules, this.#nowMs);
      case 'pulse-length':
        this.#rules = { ...this.#rules, pulseMs: move.pulseMs };
        return;
      case 'policy':
        return this.#changePolicy(move.powerOn);
      case 'lose-board':
        return this.#loseBoard(move.falls);
      case 'find-board':
        return this.#findBoard();
      case 'stop':
        return this.#stop(move.isLate);
      case 'put-off':
        if (this.#isBusy) return;
        this.#disk.holds(false);
        this.#told = false;
        return this.#feed({ kind: 'release' });
      case 'restart':
        return this.#restart(move.newBoot, move.clean);
      default:
        move satisfies never;
    }
  }

  #start(isNewBoot: boolean, told: boolean | null): void {
    this.#isOtherPolicy = false;
    const settings = { ...this.#rules, name: 'Gate', activeLevel: 'high' } as const;
    const remembered = { bootId: null, active: new Map([[0, this.#disk.durable]]) };
    // The guard before has left nothing of its time.
    const earlier = isNewBoot ? null : { onSinceMs: new Map(), heartbeat: null };
    const [active = false] = this.#logic.powerOnActive([settings], remembered, earlier, this.#nowMs);
    judgePowerOn(active, isNewBoot, told, this.#truth);
    if (active) this.#edgeMs = this.#nowMs;
    this.#inHand = active ? 'start' : null;
    // Where nobody knows how long it was on it is not brought back, nor by a board that comes back later. "On" is nobody's word.
    this.#told = told === active ? told : null;
    this.#feed({ kind: 'start', active });
  }

  #loseBoard(falls: boolean): void {
    if (!this.#isQuiet) this.#told = null;
    this.#isStarting = !this.#isOtherPolicy && (this.#inHand === 'start' || (this.#isAway && this.#isStarting));
    this.#isAway = true;
    this.#isDisturbed = true;
    this.#order = null;
    this.#isOffOwed = false;
    this.#look = null;
    if (falls) this.#isOn = false;
    this.#feed({ kind: 'board-lost' });
  }

  /** I5: from now on as a restart would find it. What somebody has switched on is restored, what only the old policy wanted is not. */
  #changePolicy(powerOn: GameRules['powerOn']): void {
    if (this.#running !== null || this.#postponed !== null || powerOn === this.#rules.powerOn) return;
    this.#rules = { ...this.#rules, powerOn };
    this.#isOtherPolicy = true;
    this.#isStarting = false;
    const isKnownOn = this.#order === null && this.#logic.stateOf(this.#output) === 1;
    const isToBeRestored = powerOn === 'restore' && this.#rules.mode === 'on-off' && isKnownOn && this.#isWantedOn;
    if (this.#told !== isToBeRestored) this.#told = null;
    this.#disk.holds(isToBeRestored);
    this.#feed({ kind: 'unwanted' });
  }

  #stop(isLate: boolean): void {
    const sinceMs = this.#wentOnMs.at(isLate ? -2 : -1);
    if (sinceMs === undefined || this.#rules.mode === 'on-off') return;
    const isToEnd = this.#isOn && !this.#isDisturbed && !isLate;
    this.#feed({ kind: 'stop', sinceMs });
    assert(!isToEnd || this.#order?.active === false, 'I3: a stop ends nothing');
  }

  #timeIsUp(): void {
    this.#told = null;
    this.#wasTurningOn = false;
    this.#feed({ kind: 'limit' });
  }

  #findBoard(): void {
    const wasAway = this.#isAway;
    // A board takes longer to come back than a timer that has been due since it went.
    if (this.#limits.dueMs <= this.#nowMs) this.#timeIsUp();
    this.#isAway = false;
    // What is tried again is by its own timer.
    if (wasAway && this.#order === null && !this.#isOffOwed) this.#putBack();
  }

  #putBack(): void {
    const active = this.#logic.isTurningOn(this.#output);
    judgeReturn(active, this.#isStarting, this.#told, this.#truth);
    this.#told = active ? this.#told : null;
    this.#inHand = active ? 'start' : null;
    this.#feed({ kind: 'start', active });
  }

  #restart(newBoot: boolean, clean: boolean): void {
    if (clean) this.#feed({ kind: 'release' });
    // A command that was under way may have got anywhere; a disk that refuses is a fault that is shown.
    const told = this.#isQuiet ? this.#told : null;
    this.#isAway = false;
    this.#order = null;
    this.#isOffOwed = false;
    this.#look = null;
    this.#timerMs = null;
    this.#postponed = null;
    this.#disk.restart();
    this.#limits.restart(this.#nowMs);
    this.#output = { phase: 'unknown' };
    this.#isDisturbed = true;
    this.#doneMs = Number.NEGATIVE_INFINITY;
    if (newBoot) this.#isOn = false;
    this.#start(newBoot, told);
  }

  #sendOrder(): void {
    const order = this.#order;
    if (!order || order.sentMs !== null) return;
    order.sentMs = this.#nowMs;
    this.#wasTurningOn = false;
    this.#feed({ kind: 'ordered' });
  }

  #boardAnswers(wanted: BoardAnswer): void {
    if (this.#look !== null) return this.#boardLooks(this.#look);
    const answer = this.#isAway ? 'does-nothing' : wanted;
    this.#sendOrder();
    const order = this.#order;
    if (!order) return;
    this.#order = null;
    this.#doneMs = this.#nowMs;
    const sentMs = order.sentMs ?? this.#nowMs;
    if (answer === 'works' || answer === 'works-unread' || answer === 'moves-but-fails')
      this.#relayMoves(order, sentMs);
    const isGood = answer === 'works' || answer === 'works-unread';
    if (!isGood) {
      this.#isDisturbed = true;
      this.#isOffOwed = !order.active;
      this.#told = null;
    }
    if (answer === 'does-nothing' || answer === 'moves-but-fails')
      return this.#feed({ kind: 'drive-failed', atMs: this.#nowMs });
    const active = answer === 'works-unread' ? null : answer === 'works' ? order.active : !order.active;
    this.#feed({ kind: 'driven', active, atMs: sentMs });
  }

  #boardLooks(answer: LookAnswer): void {
    this.#look = null;
    if (answer === 'fails') return this.#feed({ kind: 'not-seen' });
    if (answer === 'moved') {
      this.#isOn = !this.#isOn;
      if (this.#isOn) this.#edgeMs = this.#nowMs;
      this.#isWantedOn = false;
      this.#wasTurningOn = false;
      this.#isDisturbed = true;
      this.#told = null;
    }
    const active = answer === 'unknown' ? null : this.#isOn;
    this.#feed({ kind: 'seen', active, sinceEdgeMs: this.#nowMs - this.#doneMs });
  }

  #relayMoves({ active, command }: Order, sentMs: number): void {
    const { mode, pulseMs } = this.#rules;
    if (active && (!this.#isOn || mode === 'impulse')) {
      // What a policy brings on has its time from when that wanted it.
      if (command) this.#edgeMs = sentMs;
      this.#edgePulseMs = this.#running?.pulseMs ?? pulseMs;
      this.#isDisturbed = false;
      assert(command || mode === 'on-off', 'I4: an impulse output goes on without a command');
    }
    if (command && this.#running) this.#running.hasMoved = true;
    this.#isWantedOn = active;
    if (active !== this.#isOn) this.#movedMs = sentMs;
    if (active && !this.#isOn) this.#wentOnMs.push(sentMs);
    this.#isOn = active;
  }

  #diskAnswers(works: boolean): void {
    if (this.#disk.answers(works)) this.#feed({ kind: works ? 'saved' : 'save-failed' });
  }

  #pass(ms: number, silentBoardMoves: boolean): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const { sentMs = null, timeoutMs = 0 } = this.#order ?? {};
      const orderMs = sentMs === null ? Number.POSITIVE_INFINITY : sentMs + timeoutMs;
      const timerMs = this.#timerMs ?? Number.POSITIVE_INFINITY;
      const nextMs = Math.min(orderMs, timerMs, this.#limits.dueMs);
      if (nextMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
      if (this.#limits.dueMs <= nextMs) {
        this.#timeIsUp();
      } else if (timerMs <= orderMs) {
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
    this.#limits.follow(output, event, this.#rules, this.#nowMs);
    for (const effect of effects) this.#carryOut(effect, event);
    this.#check();
    const again = this.#postponed;
    if (again === null || this.#isBusy) return;
    this.#postponed = null;
    this.#begin(again, null);
  }

  #begin(command: QueuedCommand, look: LookAnswer | null): void {
    this.#wouldSee = look;
    this.#inHand = inHand(command, this.#isOn, this.#rules.pulseMs);
    this.#wasToBeDurable = this.#disk.wanted;
    this.#wasTurningOn = this.#logic.isTurningOn(this.#output);
    this.#feed({ kind: 'command', command, sinceEdgeMs: this.#nowMs - this.#doneMs, canLook: look !== null });
  }

  #carryOut(effect: OutputEffect, event: OutputEvent): void {
    switch (effect.do) {
      case 'drive':
        return this.#takeOrder(effect, event);
      case 'save':
        if (effect.active) this.#judgeSavedOn();
        else this.#wasTurningOn = false;
        return this.#disk.save(effect.active);
      case 'wait':
        this.#timerMs = Math.max(this.#nowMs, (effect.sinceMs ?? this.#nowMs) + effect.delayMs);
        return;
      case 'stop-waiting':
        this.#timerMs = null;
        return;
      case 'put-back':
        assert(!this.#isAway, 'I3: put back on a board that is away');
        return this.#putBack();
      case 'look':
        assert(this.#running?.orders === 0, 'I14: a board is asked, and nobody waits for it');
        assert(!this.#isAway, 'I3: a board is asked that is away');
        this.#look = this.#wouldSee;
        return;
      case 'settle':
        assert(this.#inHand !== null, 'I10: an answer for which no command waits');
        if (this.#running) this.#judge(this.#running, effect);
        this.#inHand = null;
        this.#look = null;
        return;
      case 'postpone':
        assert(this.#running, 'I14: what nobody asked for is postponed');
        assert(this.#running.orders === 0 || this.#order?.sentMs === null, 'I1: postponed, and the board was told');
        this.#postponed = this.#running.command;
        this.#inHand = null;
        // What it says now comes too late.
        this.#look = null;
        return;
      default:
        effect satisfies never;
    }
  }

  #judgeSavedOn(): void {
    const running = this.#running;
    assert(this.#isOn, 'I5: "on" is saved before its edge');
    const isCommanded = running === null || wantedBy(running, this.#rules.mode) === true;
    assert(isCommanded || this.#wasToBeDurable, 'I5: "on" is saved of a relay that was only found so');
  }

  #takeOrder(effect: Extract<OutputEffect, { do: 'drive' }>, event: OutputEvent): void {
    const { active, command, pulseMs } = effect;
    judgeOrder(effect, event, this.#running, this.#truth);
    const timeoutMs = Math.min(DRIVE_TIMEOUT_MS, pulseMs ?? DRIVE_TIMEOUT_MS);
    this.#isOffOwed = false;
    this.#order = { active, command, timeoutMs, sentMs: command ? null : this.#nowMs };
  }

  #judge(running: InHand, answer: Extract<OutputEffect, { do: 'settle' }>): void {
    judgeAnswer(answer, running, this.#truth);
    const isUntouched = answer.outcome === 'refused' || answer.outcome === 'expired';
    if (this.#wasTurningOn && isUntouched)
      assert(this.#logic.isTurningOn(this.#output), 'I8: a command that moved nothing ends what was to be restored');
    const { mode } = this.#rules;
    const isDone = answer.outcome === 'executed' || answer.outcome === 'already-set';
    if (isDone) this.#isWantedOn = wantedBy(running, mode) ?? this.#isWantedOn;
    // A command that was stopped leaves everything as it was.
    if (isDone && mode === 'on-off') this.#told = wantedBy(running, mode);
    else if (!running.wasStopped) this.#told = null;
  }

  #check(): void {
    const timerMs = this.#timerMs ?? Number.POSITIVE_INFINITY;
    if (this.#logic.isSettled(this.#output)) {
      assert.equal(this.#inHand, null, 'I6: a command is through, and was never answered');
      assert(!this.#isBusy, 'I6: the next command may begin, and the board is still at work');
    } else
      assert(this.#order ?? (this.#disk.isBusy || this.#look !== null), 'I6: nothing will ever end what is under way');
    if (this.#isOffOwed)
      assert(timerMs <= this.#nowMs + RELEASE_RETRY_MS, 'I4: a relay that stays on is not tried again');
    if (!this.#isBusy) this.#judgeState(this.#logic.stateOf(this.#output));
    const isEnding = this.#order !== null && this.#order.sentMs !== null;
    if (this.#isOn && !isEnding && !this.#isAway) judgeEnd(timerMs, this.#limits.dueMs, this.#truth);
  }

  /** Null stands for a relay of which nobody can know where it is. */
  #judgeState(state: OutputState | null): void {
    if (state === null) return assert(this.#isDisturbed, 'I11: nobody is told where the relay is');
    assert(!this.#isAway, 'I11: a state is told, and the board is away');
    assert.equal(state === 1, this.#isOn, 'I11: the state is not where the relay is');
  }

  get #truth(): OutputTruth {
    return {
      rules: this.#rules,
      nowMs: this.#nowMs,
      isOn: this.#isOn,
      edgeMs: this.#edgeMs,
      sinceMovedMs: this.#nowMs - this.#movedMs,
      sinceDoneMs: this.#nowMs - this.#doneMs,
      edgePulseMs: this.#edgePulseMs,
      wentOnMs: this.#wentOnMs.at(-1) ?? this.#nowMs,
      isDisturbed: this.#isDisturbed,
      isAway: this.#isAway,
      agentMs: this.#limits.agentMs,
      linkMs: this.#limits.linkMs,
      isDurable: this.#disk.durable,
      isToBeDurable: this.#disk.wanted,
    };
  }

  get #isQuiet(): boolean {
    return this.#inHand === null && this.#postponed === null && this.#disk.isQuiet;
  }

  /** A command, or what a policy ends, is not through. */
  get #isBusy(): boolean {
    return this.#inHand !== null || this.#order !== null || this.#look !== null;
  }

  get #running(): InHand | null {
    return this.#inHand === 'start' ? null : this.#inHand;
  }
}
