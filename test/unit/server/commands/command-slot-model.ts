/**
 * The slot of one command in a small world of its own: a database, a link, a device, the three timers. The world knows
 * what is durable, which bytes have left and what the device has said, and judges every effect by the invariants.
 */
import { strict as assert } from 'node:assert';
import type { CommandSlot, SlotEffect, SlotEvent, step } from '@relaygate/server/commands/command-slot';
import {
  AUTHORISATION_FRESH_MS,
  type CommandConfirmation,
  EXECUTION_DEADLINE_MS,
  RESPONSE_DEADLINE_MS,
  STORAGE_WRITE_TIMEOUT_MS,
} from '@relaygate/shared';
import type { Presence, SlotMove } from './command-slot-moves';

const DENIED: Extract<SlotEvent, { kind: 'denied' }> = {
  kind: 'denied',
  code: 'user-not-allowed',
  reason: 'not-allowed-any-more',
};

export class SlotWorld {
  readonly #step: typeof step;
  readonly #isUnlinked: boolean;
  readonly #timers: [number, SlotEvent][] = [
    [STORAGE_WRITE_TIMEOUT_MS, { kind: 'record-failed' }],
    [EXECUTION_DEADLINE_MS, { kind: 'execution-deadline' }],
    [RESPONSE_DEADLINE_MS, { kind: 'response-deadline' }],
  ];
  #slot: CommandSlot;
  /** Since the slot was taken. */
  #nowMs = 0;
  #isLinked: boolean;
  /** The database has answered; a write that failed may not come after all. */
  #record: 'under way' | 'durable' | 'failed' = 'under way';
  #isReading = false;
  /** When what the client may do was known last. */
  #allowedMs = 0;
  #isSent = false;
  #said: CommandConfirmation['outcome'] | 'not-started' | null = null;
  #isAnswered = false;
  #isResolved = false;

  constructor(logic: typeof step, presence: Presence) {
    this.#step = logic;
    this.#isUnlinked = presence === 'down';
    this.#isLinked = presence === 'up';
    this.#slot = this.#isUnlinked
      ? { phase: 'unlinked', isOnRecord: true }
      : { phase: 'unsent', recorded: false, linked: this.#isLinked };
  }

  make(move: SlotMove): void {
    switch (move.move) {
      case 'pass':
        return this.#pass(move.ms);
      case 'recorded':
      case 'record-failed':
      case 'record-unanswered':
        if (this.#record !== 'under way') return;
        this.#record = move.move === 'record-failed' ? 'failed' : 'durable';
        return this.#feed(move.move === 'recorded' ? { kind: move.move, ...this.#cleared() } : { kind: move.move });
      case 'link-up':
      case 'link-lost':
        this.#isLinked = move.move === 'link-up';
        return this.#feedWaiting(
          move.move === 'link-up' ? { kind: move.move, ...this.#cleared() } : { kind: move.move },
        );
      case 'device-revoked':
        this.#isLinked = false;
        this.#feedWaiting({ kind: 'link-lost' });
        this.#feedWaiting({ kind: 'device-revoked' });
        if (this.#record === 'durable' && !this.#isSent) assert(this.#isAnswered, 'I13: waits for a revoked device');
        return;
      case 'access':
        if (!this.#isReading) return;
        this.#isReading = false;
        if (move.allowed) this.#allowedMs = this.#nowMs;
        return this.#feed(move.allowed ? { kind: 'cleared' } : DENIED);
      case 'confirmed':
      case 'not-started':
        return this.#deviceSpeaks(move);
      default:
        move satisfies never;
    }
  }

  /** Nothing more comes but time, and the database: was everything that had to be said? */
  end(): void {
    this.#pass(RESPONSE_DEADLINE_MS);
    assert(this.#isAnswered, 'I6: the slot is never free again');
    this.make({ move: 'recorded' });
    if (this.#record === 'durable' && !this.#isUnlinked)
      assert(this.#isResolved, 'I9: the audit says pending for ever');
  }

  #deviceSpeaks(move: Extract<SlotMove, { move: 'confirmed' | 'not-started' }>): void {
    if (!this.#isSent || this.#said !== null || this.#isAnswered) return;
    if (move.move === 'not-started') {
      this.#said = 'not-started';
      this.#feed({ kind: 'not-started' });
    } else {
      this.#said = move.outcome;
      this.#feed({ kind: 'confirmed', confirmation: { commandId: 'c', outcome: move.outcome, version: null } });
    }
    assert(this.#isAnswered, 'I3: the device has spoken, and nobody is told');
  }

  #pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#timers[0]; next && next[0] <= untilMs && !this.#isAnswered; next = this.#timers[0]) {
      this.#timers.shift();
      this.#nowMs = next[0];
      this.#feed(next[1]);
    }
    this.#nowMs = untilMs;
  }

  /** The dispatcher knows nothing any more of a command that was answered. */
  #feedWaiting(event: SlotEvent): void {
    if (!this.#isAnswered) this.#feed(event);
  }

  #feed(event: SlotEvent): void {
    const [slot, effects] = this.#step(this.#slot, event);
    this.#slot = slot;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: SlotEffect): void {
    switch (effect.do) {
      case 'check':
        this.#isReading = true;
        return;
      case 'send':
        return this.#send();
      case 'answer':
        return this.#judgeAnswer(effect.answer);
      case 'resolve':
        return this.#judgeOutcome(effect.outcome);
      default:
        effect satisfies never;
    }
  }

  #cleared(): { isCleared: boolean } {
    return { isCleared: this.#nowMs < AUTHORISATION_FRESH_MS };
  }

  #send(): void {
    assert.equal(this.#record, 'durable', 'I9: sent before its record is durable');
    assert(!this.#isSent, 'I1: sent twice');
    assert(!this.#isAnswered, 'I2: sent after its answer');
    const isFresh = this.#nowMs - this.#allowedMs < AUTHORISATION_FRESH_MS;
    assert(isFresh, 'I13: sent on an authorisation that is no longer fresh');
    if (!this.#isLinked || this.#nowMs >= EXECUTION_DEADLINE_MS) return this.#feed({ kind: 'not-sent' });
    this.#isSent = true;
  }

  #judgeAnswer(answer: Extract<SlotEffect, { do: 'answer' }>['answer']): void {
    assert(!this.#isAnswered, 'I6: answered twice');
    this.#isAnswered = true;
    if (answer.kind === 'ok') assert.equal(this.#said, 'executed', 'I3: 200, and the device did not execute it');
    if (answer.kind === 'already-set') assert.equal(this.#said, 'already-set', 'I3: already-set, and it was not');
    if (answer.kind === 'error' && answer.code !== 'device-timeout')
      assert(!this.#isSent, `${answer.code}, and the command may be executed`);
  }

  #judgeOutcome(outcome: Extract<SlotEffect, { do: 'resolve' }>['outcome']): void {
    assert.equal(this.#record, 'durable', 'I9: an outcome for a record that is not there');
    assert(!this.#isResolved, 'I9: two outcomes');
    this.#isResolved = true;
    const isHeard = this.#said !== null && this.#said !== 'not-started';
    if (isHeard) assert.equal(outcome, this.#said, 'I9: the audit says something else than the device');
    else if (outcome === 'unknown') assert(this.#isSent, 'I9: unknown, though it never left');
    else if (outcome === 'expired') assert(!this.#isSent || this.#said, 'I9: expired, though it may be executed');
    else assert(outcome === 'refused' && !this.#isSent, `I9: ${outcome}, and the device did not say so`);
  }
}
