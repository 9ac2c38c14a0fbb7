import { timingSafeEqual } from 'node:crypto';
import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import type { RemovableFiles } from '../../../files/files';
import type { HashPin } from '../../../files/hash-pin';
import { newPin, type PinRecord } from '../../../files/pin-record';
import { causeText } from '../../../locales/en/causes';
import { quarantineText } from '../../../locales/en/guard-faults';
import type { Log } from '../../../runtime/log';
import { problemOf } from '../../../runtime/problem';
import { inTurn, type RequestLife } from '../../commands/late-request';
import { factsOfPin } from '../../history/facts';
import type { History } from '../../history/history';
import { PageTries, type Source, type Visitor } from './page-tries';
import { PinFile } from './pin-file';
import { WrongTries } from './wrong-tries';

export interface PinDeps {
  files: RemovableFiles;
  path: string;
  clock: Clock;
  randomness: Randomness;
  hashPin: HashPin;
  log: Log;
}

export type PinVerdict =
  /** `browserToken`: the browser is known by it from now on. */
  | { ok: true; browserToken?: string }
  /**
   * `waitS`: how long every PIN is refused unchecked; 0: it may be tried again at once. `byOthers`: because of too many
   * tries of others.
   */
  | { ok: false; problem: 'wrong' | 'wait'; waitS: number; byOthers?: true }
  /** Nobody has made one: `relayctl identity --new-pin` does. */
  | { ok: false; problem: 'no-pin' };

/** How many checks may wait for their turn, of one source and of all who were never let in; one more is refused. I15. */
const MAX_WAITING = 4;
const MAX_STRANGERS_WAITING = 8;

/** Who asks: the serial console, or a visitor of the page. */
export type Asker = 'console' | Visitor;

/**
 * The PIN that a serial console or a page asks for. Only its hash is kept. The console counts its wrong ones for itself, the page
 * each address and each browser that was let in before: nobody in the network closes the console, or the page for whoever is
 * known there. What is counted is durable before a wrong one is answered, unless the card refuses it or hangs, so a restart
 * gives no new tries.
 */
export class PinGate {
  readonly #deps: PinDeps;
  readonly #file: PinFile;
  #record: PinRecord | null;
  #console: WrongTries;
  #page: PageTries;
  /** The sources of checks that wait for their turn. */
  readonly #waiting: Source[] = [];
  readonly #mutex = new Mutex();

  private constructor(deps: PinDeps, file: PinFile, record: PinRecord | null) {
    const { clock, randomness } = deps;
    this.#deps = deps;
    this.#file = file;
    this.#record = record;
    this.#console = new WrongTries(clock.nowMs(), record?.wrongAtConsole);
    this.#page = new PageTries(randomness, clock.nowMs(), record?.wrong, record?.browsers);
  }

  /** Opens it. A file that cannot be used is quarantined: a new PIN must be made then. Never rejects. */
  static async open(deps: PinDeps): Promise<PinGate> {
    const { path, log } = deps;
    const { file, record, corruption } = await PinFile.open(deps);
    if (corruption) {
      const { problem, kept } = corruption;
      const why = problem === null ? 'is corrupt' : `cannot be used (${causeText(problem)})`;
      log.warn(`${path} ${why}: ${quarantineText(kept)}; make a new PIN.`);
    }
    return new PinGate(deps, file, record);
  }

  /** Tells one PIN from another; null: there is none. */
  get id(): string | null {
    return this.#record?.id ?? null;
  }

  /**
   * Makes a new PIN, which replaces the old one. It is never shown again. If it rejects, nothing has changed; with `refused`,
   * because its turn came too late for whoever asked.
   */
  renew(actor: string, history: Pick<History, 'change'>, life: RequestLife): Promise<string> {
    return inTurn(this.#mutex, this.#deps.clock, () => this.#renewNow(actor, history), life);
  }

  async #renewNow(actor: string, history: Pick<History, 'change'>): Promise<string> {
    const { randomness, hashPin, path } = this.#deps;
    const former = this.#record;
    const { pin, record } = await newPin(randomness, hashPin);
    let stands = false;
    const wanted = {
      actor,
      kind: 'pin' as const,
      before: factsOfPin(former?.id ?? null),
      after: factsOfPin(record.id),
      concerns: (member: string) => member === 'pin.id',
      stands: () => stands,
    };
    await history.change(wanted, async () => {
      try {
        await this.#file.save(record);
      } catch (error) {
        // The PIN may have come as far as the file; then nobody knows the PIN that would be in force.
        stands = await this.#file.takeBack(record, former);
        if (stands) this.#accept(record);
        const left = stands ? 'make another one: nobody knows the one that stands there now' : 'nothing was changed';
        const why = `${path} cannot be written (${problemOf(error)}); ${left}.`;
        throw new RelaygateError('refused', why, { cause: error });
      }
      this.#accept(record);
    });
    return pin;
  }

  /** Checks PINs one after the other. Counts wrong ones, and says how long to wait. */
  async check(pin: string, from: Asker): Promise<PinVerdict> {
    // Who must wait delays nobody.
    const refused = this.#refusalOf(from);
    if (refused) return refused;
    const source = this.#sourceOf(from);
    const ofSource = this.#waiting.filter(({ name }) => name === source.name).length;
    const ofStrangers = source.isKnown ? 0 : this.#waiting.filter(({ isKnown }) => !isKnown).length;
    if (ofSource >= MAX_WAITING || ofStrangers >= MAX_STRANGERS_WAITING)
      return { ok: false, problem: 'wait', waitS: 1 };
    this.#waiting.push(source);
    try {
      return await this.#mutex.runExclusive(() => this.#checkNow(pin, from));
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(source), 1);
    }
  }

  async #checkNow(pin: string, from: Asker): Promise<PinVerdict> {
    const record = this.#record;
    if (!record) return { ok: false, problem: 'no-pin' };
    const refused = this.#refusalOf(from);
    if (refused) return refused;
    const hash = await this.#deps.hashPin(pin, Buffer.from(record.salt, 'base64url'));
    const expected = Buffer.from(record.hash, 'base64url');
    const isRight = hash.length === expected.length && timingSafeEqual(hash, expected);
    const verdict = isRight ? this.#right(from) : this.#wrong(from);
    await this.#keepCounts(record);
    return verdict;
  }

  #right(from: Asker): PinVerdict {
    if (from !== 'console') return { ok: true, browserToken: this.#page.right(from, this.#deps.clock.nowMs()) };
    this.#console.clear();
    return { ok: true };
  }

  #wrong(from: Asker): PinVerdict {
    const nowMs = this.#deps.clock.nowMs();
    if (from === 'console') this.#console.add(nowMs);
    else this.#page.wrong(from, nowMs);
    return { ok: false, problem: 'wrong', ...this.#waitOf(from) };
  }

  #refusalOf(from: Asker): PinVerdict | null {
    const wait = this.#waitOf(from);
    return this.#record && wait.waitS > 0 ? { ok: false, problem: 'wait', ...wait } : null;
  }

  #waitOf(from: Asker): { waitS: number; byOthers?: true } {
    const nowMs = this.#deps.clock.nowMs();
    const { waitMs, byOthers } =
      from === 'console'
        ? { waitMs: Math.max(0, this.#console.untilMs - nowMs), byOthers: false }
        : this.#page.waitOf(from, nowMs);
    return { waitS: Math.ceil(waitMs / 1_000), ...(byOthers ? { byOthers } : {}) };
  }

  #sourceOf(from: Asker): Source {
    return from === 'console' ? { name: from, isKnown: true } : this.#page.sourceOf(from);
  }

  /** Takes a PIN; counts and known browsers belong to the former one. */
  #accept(record: PinRecord): void {
    const { clock, randomness } = this.#deps;
    this.#record = record;
    this.#console = new WrongTries(clock.nowMs());
    this.#page = new PageTries(randomness, clock.nowMs());
  }

  /**
   * Saves the counts. A card that refuses, or says nothing for a second, keeps nobody out and lets nobody in; the next check
   * tries it again.
   */
  async #keepCounts({ id, salt, hash }: PinRecord): Promise<void> {
    const { clock, log, path } = this.#deps;
    const { wrong, browsers } = this.#page.kept(clock.nowMs());
    const wrongAtConsole = this.#console.inRow;
    const counted: PinRecord = {
      ...{ id, salt, hash },
      ...(wrong > 0 ? { wrong } : {}),
      ...(wrongAtConsole > 0 ? { wrongAtConsole } : {}),
      ...(browsers.length > 0 ? { browsers } : {}),
    };
    this.#record = counted;
    try {
      await this.#file.save(counted);
    } catch (error) {
      log.warn(`wrong PINs and known browsers could not be saved in ${path}: ${problemOf(error)}`);
    }
  }
}
