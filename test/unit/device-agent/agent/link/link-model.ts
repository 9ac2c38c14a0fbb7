/**
 * A device's link in a small world of its own: a socket, a guard, timers, and a server whose clock has another origin
 * and another speed on each link. The world knows the true time of the server, what was heard and said on this
 * connection, and judges every effect by it; it knows nothing of the machine's stages.
 */
import { strict as assert } from 'node:assert';
import {
  type Link,
  type LinkEffect,
  type LinkEvent,
  type LinkTimer,
  NEW_LINK,
  type stepLink,
} from '@relaygate/device-agent/agent/link/link';
import {
  BACKOFF_CAP_MS,
  type Command,
  DEAD_LINK_MS,
  HANDSHAKE_MS,
  HEARTBEAT_MS,
  REPLACED_WAIT_CAP_MS,
  type ServerMessage,
  TIME_SAMPLES_BEFORE_RESUME,
} from '@relaygate/shared';
import { judgeExecution } from './execution-judge';
import {
  type Connection,
  commandFrame,
  newConnection,
  nextFrame,
  oddFrame,
  REPORT,
  RESUME,
  SERVER_NAME,
} from './link-connection';
import type { LinkMove, OddFrame } from './link-moves';
import { RetryModel } from './retry-model';

export class LinkWorld {
  readonly #step: typeof stepLink;
  #link: Link = NEW_LINK;
  #nowMs = 1_000;
  #connections = 0;
  #connection: Connection | null = null;
  readonly #timers = new Map<LinkTimer, number>();
  #epoch = 5;
  #commands = 0;
  /** The frame that is being looked at, while nothing has come of it. */
  #command: Command | null = null;
  #retryWaitMs = 0;
  readonly #retries = new RetryModel();

  constructor(step: typeof stepLink) {
    this.#step = step;
    this.#feed({ kind: 'start' });
  }

  make(move: LinkMove): void {
    const connection = this.#connection;
    switch (move.move) {
      case 'pass':
        return this.#pass(move.ms);
      case 'link-up':
        return this.#comeUp(move.rttMs);
      case 'open':
        if (connection?.state === 'dialling') this.#open(connection);
        return;
      case 'close':
        if (connection) this.#close(connection, move.code, move.chance);
        return;
      case 'guard':
        if (connection) this.#guardAnswers(connection);
        return;
      default:
        if (connection?.state === 'open') this.#serverSpeaks(connection, move);
    }
  }

  #serverSpeaks(
    connection: Connection,
    move: Extract<LinkMove, { move: 'answer' | 'repeat' | 'odd-frame' | 'command' }>,
  ): void {
    switch (move.move) {
      case 'answer':
        return this.#serverAnswers(connection, move.fraction);
      case 'repeat':
        for (const frame of connection.frames.slice(move.which, move.which + 1)) this.#hear(connection, frame);
        return;
      case 'odd-frame':
        return this.#hearOddly(connection, move.which);
      case 'command':
        this.#commands += 1;
        return this.#hear(connection, commandFrame(connection, this.#nowMs, `c${this.#commands}`, move));
      default:
        move satisfies never;
    }
  }

  #comeUp(rttMs: number): void {
    for (let turn = 0; turn < 12; turn += 1) {
      const connection = this.#connection;
      if (connection?.upMs === null && connection.state === 'open') {
        if (connection.asked) this.#pass(rttMs);
        this.#guardAnswers(connection);
        if (connection.state === 'open') this.#serverAnswers(connection, 0.5);
      } else if (connection?.state === 'dialling') {
        this.#open(connection);
      } else if (!connection) {
        this.#pass(Math.max(0, (this.#timers.get('retry') ?? 0) - this.#nowMs));
      }
    }
  }

  #open(connection: Connection): void {
    connection.state = 'open';
    connection.heardMs = this.#nowMs;
    this.#feed({ kind: 'opened', deviceNonce: `nonce-${this.#connections}` });
  }

  #serverAnswers(connection: Connection, fraction: number): void {
    const frame = nextFrame(connection, this.#nowMs, fraction, this.#epoch + 1);
    if (!frame) return;
    if (frame.type === 'welcome') this.#epoch = frame.epoch;
    this.#hear(connection, frame);
  }

  #hearOddly(connection: Connection, which: OddFrame): void {
    switch (which) {
      case 'unknown':
        connection.heardMs = this.#nowMs;
        return this.#feed({ kind: 'ignored-frame' });
      case 'broken':
        return this.#feed({ kind: 'broken-frame', problem: 'no JSON' });
      default:
        return this.#hear(connection, oddFrame(which, connection, this.#epoch));
    }
  }

  #hear(connection: Connection, message: ServerMessage): void {
    const { said, time } = connection;
    connection.frames.push(message);
    connection.heardMs = this.#nowMs;
    if (message.type === 'challenge' && said.at(-1) === 'hello')
      connection.mayProve = message.serverName === SERVER_NAME;
    if (message.type === 'welcome' && said.includes('proof')) connection.epoch ??= message.epoch;
    if (message.type === 'time' && connection.asked?.seq === message.seq) {
      time.exchanged({ sentMs: connection.asked.sentMs, receivedMs: this.#nowMs });
      connection.asked = null;
    }
    this.#command = message.type === 'command' ? message : null;
    this.#feed({ kind: 'message', message, nowMs: this.#nowMs });
    if (this.#command && connection.upMs !== null)
      assert.notEqual(this.#command.epoch, connection.epoch, 'I3: a command of this link has come to nothing');
    this.#command = null;
  }

  #guardAnswers(connection: Connection): void {
    const asked = connection.guardAsked;
    connection.guardAsked = null;
    if (asked === null || connection.state !== 'open') return;
    if (asked === 'epoch') {
      connection.guardKnows = true;
      return this.#feed({ kind: 'epoch-entered', nowMs: this.#nowMs });
    }
    this.#feed({ kind: 'gathered', report: REPORT, resume: RESUME, nowMs: this.#nowMs });
  }

  #close({ upMs }: Connection, code: number | null, chance: number): void {
    this.#connection = null;
    this.#retries.ended(upMs === null ? null : this.#nowMs - upMs, code);
    this.#feed({ kind: 'closed', code, problem: 'gone', nowMs: this.#nowMs, chance });
    this.#retries.judge(this.#retryWaitMs, code, chance);
  }

  #pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].sort(([, one], [, other]) => one - other);
      if (!next || next[1] > untilMs) break;
      const [timer, dueMs] = next;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      this.#timers.delete(timer);
      this.#feed({ kind: 'timer', timer, nowMs: this.#nowMs });
    }
    this.#nowMs = untilMs;
    this.#check();
  }

  #feed(event: LinkEvent): void {
    const [link, effects] = this.#step(this.#link, event, SERVER_NAME);
    this.#link = link;
    for (const effect of effects) this.#carryOut(effect);
    this.#check();
  }

  #carryOut(effect: LinkEffect): void {
    switch (effect.do) {
      case 'connect':
        assert.equal(this.#connection, null, 'I12: two sockets at once');
        this.#connections += 1;
        this.#connection = newConnection(this.#nowMs, this.#connections);
        return;
      case 'start-timer':
        this.#timers.set(effect.timer, this.#nowMs + effect.delayMs);
        if (effect.timer === 'retry') this.#retryWaitMs = effect.delayMs;
        return;
      case 'stop-timer':
        this.#timers.delete(effect.timer);
        return;
      case 'stop-timers':
        this.#timers.clear();
        return;
      case 'log':
      case 'welcomed':
      case 'history-kept':
        return;
      default:
        assert(this.#connection, `${effect.do} without a connection`);
        this.#carryOutOn(this.#connection, effect);
    }
  }

  #carryOutOn(
    connection: Connection,
    effect: Extract<LinkEffect, { do: 'send' | 'greet' | 'prove' | 'enter-epoch' | 'gather' | 'execute' | 'hang-up' }>,
  ): void {
    const { said, epoch, time, state } = connection;
    if (effect.do !== 'hang-up') assert.equal(state, 'open', `${effect.do} on a socket that is not open`);
    switch (effect.do) {
      case 'greet':
        said.push('hello');
        return;
      case 'prove':
        assert(connection.mayProve, 'I13: proves itself to another server than its own');
        said.push('proof');
        return;
      case 'enter-epoch':
        assert.equal(effect.epoch, epoch, 'I12: tells the guard of another epoch');
        connection.guardAsked = 'epoch';
        return;
      case 'gather':
        assert(time.exchanges >= TIME_SAMPLES_BEFORE_RESUME, 'I2: resumes before it knows the time');
        connection.guardAsked = 'outcomes';
        return;
      case 'execute':
        return this.#judgeExecution(connection, effect);
      case 'hang-up':
        assert.notEqual(connection.state, 'hung-up', 'hangs up twice');
        connection.state = 'hung-up';
        return;
      case 'send':
        return this.#judgeMessage(connection, effect.message);
      default:
        effect satisfies never;
    }
  }

  #judgeMessage(connection: Connection, message: Extract<LinkEffect, { do: 'send' }>['message']): void {
    assert(connection.guardKnows, 'I12: speaks before the guard knows the epoch');
    connection.said.push(message.type);
    switch (message.type) {
      case 'time':
        connection.asked = { seq: message.seq, sentMs: this.#nowMs };
        return;
      case 'resume':
        assert.equal(connection.said.at(-2), 'report', 'I11: resumes before it reports its outputs');
        connection.upMs = this.#nowMs;
        return;
      case 'result':
        assert(this.#command, 'I10: a result that no command asked for');
        assert(!connection.time.isKnownAt(this.#nowMs), 'I3: refuses a command though it knows the time');
        this.#command = null;
        return;
      default:
    }
  }

  #judgeExecution(connection: Connection, effect: Extract<LinkEffect, { do: 'execute' }>): void {
    const { commandId } = effect.command;
    assert.equal(commandId, this.#command?.commandId, 'I1: executes what was not asked for, or was already');
    this.#command = null;
    judgeExecution(connection, effect, this.#nowMs);
  }

  #check(): void {
    const connection = this.#connection;
    const dueMs = (timer: LinkTimer): number => this.#timers.get(timer) ?? Number.POSITIVE_INFINITY;
    if (!connection) {
      const leastMs = Math.max(BACKOFF_CAP_MS, REPLACED_WAIT_CAP_MS);
      assert(dueMs('retry') <= this.#nowMs + leastMs, 'a device without a link never tries again');
      return;
    }
    if (connection.state === 'hung-up') return;
    if (connection.state === 'open')
      assert(dueMs('silence') <= connection.heardMs + DEAD_LINK_MS, 'T9: a dead link is not noticed');
    if (connection.upMs === null)
      assert(dueMs('handshake') <= connection.sinceMs + 2 * HANDSHAKE_MS, 'T9: a handshake has no end');
    else assert(dueMs('heartbeat') <= this.#nowMs + HEARTBEAT_MS, 'T9: the server hears nothing of this device');
  }
}
