/**
 * The dispatcher with two products, their devices, a database and clients played by chance. The world knows what each
 * device has truly done, and judges by it what is sent, answered and written.
 */
import { strict as assert } from 'node:assert';
import type { Dispatcher, DispatcherDeps } from '@relaygate/server/commands/dispatcher';
import type { CommandAnswer } from '@relaygate/server/commands/order';
import {
  AUTHORISATION_FRESH_MS,
  EXECUTION_DEADLINE_MS,
  RECENTLY_LINKED_MS,
  RESPONSE_DEADLINE_MS,
  RelaygateError,
  type Resume,
} from '@relaygate/shared';
import { ALLOWED, DispatcherBench, type Sent } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';
import type { DispatcherMove, Login } from './dispatcher-moves';

interface Ask {
  login: Login;
  startMs: number;
  /** Another command of the product was in flight when it came. */
  wasTaken: boolean;
  answer: CommandAnswer | null;
}

/** A command that was handed to a link, and what its device truly did. */
interface Delivered {
  command: Sent;
  ask: Ask;
  bootId: string;
  truth: 'executed' | 'refused' | 'never' | null;
  wasTold: boolean;
}

export class DispatcherWorld {
  readonly #bench: DispatcherBench;
  /** The position is the output's number, so that every message can be traced to its request. */
  readonly #asks: Ask[] = [];
  readonly #delivered: Delivered[] = [];
  readonly #bootIds = new Map<Login, string>();
  #boots = 0;
  #heal: (() => void) | null = null;
  /** What a judgement in the middle of the dispatcher's work has found. */
  #violation: unknown = null;

  constructor(make: (deps: DispatcherDeps) => Dispatcher) {
    const bench = new DispatcherBench((deps) => make({ ...deps, links: this.#watched(deps.links) }));
    this.#bench = bench;
    for (const login of ['gate', 'door'] as const) this.#linkUp(login, true);
  }

  async make(move: DispatcherMove): Promise<void> {
    const { dispatcher, clock, links } = this.#bench;
    switch (move.move) {
      case 'ask':
        this.#ask(move.login);
        break;
      case 'execute': {
        const found = this.#delivered[move.which];
        if (found?.truth === null && clock.nowMs() < found.command.executeBeforeMs) found.truth = move.outcome;
        break;
      }
      case 'tell':
        this.#tell(move.which, move.asOther);
        break;
      case 'link-lost':
        if (links.get(move.login)?.kind !== 'up') break;
        links.set(move.login, { kind: 'recently-lost' });
        dispatcher.linkLost(move.login);
        clock.after(RECENTLY_LINKED_MS, () => {
          if (links.get(move.login)?.kind === 'recently-lost') links.set(move.login, { kind: 'down' });
        });
        break;
      case 'device-revoked':
        if (links.get(move.login)?.kind === 'up') dispatcher.linkLost(move.login);
        links.set(move.login, { kind: 'down' });
        dispatcher.deviceRevoked(move.login);
        break;
      case 'link-up':
        this.#linkUp(move.login, move.rebooted);
        break;
      case 'database':
        this.#setDatabase(move.mode);
        break;
      case 'access':
        this.#bench.access = move.allowed ? ALLOWED : { ...ALLOWED, associated: false };
        break;
      case 'pass':
        await clock.advance(move.ms);
        break;
      default:
        move satisfies never;
    }
    await settled();
    this.#check();
  }

  /** The world gets well: everything must have come to an end. */
  async end(): Promise<void> {
    const { clock, outcomes, records, open } = this.#bench;
    await clock.advance(RESPONSE_DEADLINE_MS);
    this.#check();
    this.#setDatabase('works');
    await clock.advance(60_000);
    this.#check();
    for (const { commandId, outcome } of records) {
      const written = outcomes.filter((one) => one.commandId === commandId).map((one) => one.outcome);
      assert(outcome !== 'pending' || written.length > 0, 'I9: the audit says pending for ever');
      assert(written.slice(0, -1).every((one) => one === 'unknown') && written.length <= 2, 'I9: two outcomes');
      assert(open.has(commandId) === (written.at(-1) === 'unknown'), 'I9: closed without an outcome');
    }
    for (const { commandId, outcome, reason } of outcomes) this.#judgeOutcome(commandId, outcome, reason);
  }

  #ask(login: Login): void {
    const { clock, dispatcher } = this.#bench;
    const wasTaken = this.#asks.some((ask) => ask.login === login && ask.answer === null);
    const ask: Ask = { login, startMs: clock.nowMs(), wasTaken, answer: null };
    const numOutput = this.#asks.push(ask) - 1;
    const order = { clientId: 'c', productLogin: login, numOutput, action: { action: 'toggle' } } as const;
    void dispatcher.dispatch(order).then((answer) => {
      ask.answer = answer;
      this.#noting(() => this.#judgeAnswer(ask, answer));
    });
  }

  #linkUp(login: Login, rebooted: boolean): void {
    const { links, dispatcher } = this.#bench;
    if (links.get(login)?.kind === 'up') return;
    if (rebooted) this.#boots += 1;
    const bootId = rebooted ? `boot-${this.#boots}` : (this.#bootIds.get(login) ?? 'boot-0');
    this.#bootIds.set(login, bootId);
    links.set(login, { kind: 'up', bootId });
    dispatcher.resumed(login, bootId, this.#resumeOf(login, bootId));
    dispatcher.linkUp(login, bootId);
  }

  /** A device that has booted anew knows nothing of what it did before, so it did not start it, says it. */
  #resumeOf(login: Login, bootId: string): Resume {
    const resume: Resume = { type: 'resume', outcomes: [], notStarted: [] };
    for (const one of this.#delivered.filter(({ ask }) => ask.login === login)) {
      const { command, truth } = one;
      const knows = one.bootId === bootId && (truth === 'executed' || truth === 'refused');
      if (knows) resume.outcomes.push({ commandId: command.commandId, outcome: truth });
      else resume.notStarted.push(command.commandId);
      if (knows) one.wasTold = true;
      // Frames of the link before are dropped.
      one.truth ??= 'never';
    }
    return resume;
  }

  #tell(which: number, asOther: boolean): void {
    const one = this.#delivered[which];
    if (!one || one.truth === null || one.truth === 'never') return;
    const { login } = one.ask;
    const teller = asOther ? otherThan(login) : login;
    if (this.#bench.links.get(teller)?.kind !== 'up') return;
    if (!asOther && this.#bootIds.get(login) !== one.bootId) return;
    if (!asOther) one.wasTold = true;
    // Another device may say whatever it likes.
    const outcome = asOther ? 'executed' : one.truth;
    this.#bench.dispatcher.confirmed(teller, { commandId: one.command.commandId, outcome, version: null });
  }

  #setDatabase(mode: 'works' | 'fails' | 'hangs'): void {
    this.#heal?.();
    this.#heal = null;
    if (mode === 'works') this.#bench.writing = async () => {};
    if (mode === 'fails') this.#bench.writing = () => Promise.reject(new RelaygateError('storage-unavailable'));
    if (mode === 'hangs') {
      const healed = new Promise<void>((resolve) => {
        this.#heal = resolve;
      });
      this.#bench.writing = () => healed;
    }
  }

  #watched(links: DispatcherDeps['links']): DispatcherDeps['links'] {
    return {
      stateOf: (login) => links.stateOf(login),
      send: (login, command) => {
        this.#noting(() => this.#judgeSending(login, command));
        return links.send(login, command);
      },
    };
  }

  #judgeSending(login: string, command: Sent): void {
    const { clock, records, access } = this.#bench;
    const ask = this.#asks[command.numOutput];
    assert(ask && ask.login === login, 'I7: sent to another product');
    const { commandId, executeBeforeMs } = command;
    assert(!this.#delivered.some((one) => one.command.commandId === commandId), 'I1: sent twice');
    assert.equal(ask.answer, null, 'I2: sent after its answer');
    assert.equal(executeBeforeMs, ask.startMs + EXECUTION_DEADLINE_MS, 'I2: another execution deadline');
    assert(clock.nowMs() < executeBeforeMs, 'I2: sent after the execution deadline');
    assert(
      records.some((record) => record.commandId === commandId),
      'I9: sent before its record is durable',
    );
    const isFresh = clock.nowMs() - ask.startMs < AUTHORISATION_FRESH_MS;
    assert(isFresh || access === ALLOWED, 'I13: sent though it is not allowed any more');
    const bootId = this.#bootIds.get(ask.login) ?? '';
    this.#delivered.push({ command, ask, bootId, truth: null, wasTold: false });
  }

  #judgeAnswer(ask: Ask, answer: CommandAnswer): void {
    const tookMs = this.#bench.clock.nowMs() - ask.startMs;
    if (answer.kind === 'error' && answer.code === 'request-already-pending') {
      assert(ask.wasTaken, 'I6: 409, and the slot was free');
      assert.equal(tookMs, 0, 'I6: 409 must come at once');
      return;
    }
    assert(!ask.wasTaken, 'I6: two commands of one product in flight');
    assert(tookMs <= RESPONSE_DEADLINE_MS, 'I6: answered too late');
    const delivered = this.#delivered.find((one) => one.ask === ask);
    if (answer.kind !== 'error')
      assert(delivered?.truth === 'executed' && delivered.wasTold, 'I3: 200, and its device did not say so');
    else if (answer.code !== 'device-timeout') assert(!delivered, `${answer.code}, and the command may be executed`);
  }

  #judgeOutcome(commandId: string, outcome: string, reason: string | null): void {
    const one = this.#delivered.find(({ command }) => command.commandId === commandId);
    const truth = one?.truth ?? 'never';
    if (outcome === 'executed' || outcome === 'confirmed-late')
      assert(truth === 'executed' && one?.wasTold, `I10: ${outcome}, and its device did not say so`);
    if (outcome === 'expired') assert.equal(truth, 'never', `I3: expired (${reason}), and it was executed`);
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
    const nowMs = this.#bench.clock.nowMs();
    const isOver = (ask: Ask): boolean => nowMs - ask.startMs >= RESPONSE_DEADLINE_MS;
    assert(!this.#asks.some((ask) => ask.answer === null && isOver(ask)), 'I6: the slot is not free in time');
  }
}

function otherThan(login: Login): Login {
  return login === 'gate' ? 'door' : 'gate';
}
