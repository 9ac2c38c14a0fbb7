import { timingSafeEqual } from 'node:crypto';
import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { keepAsideIfPossible } from '../../files/keep-aside';
import type { HashPin } from '../../local/hash-pin';
import { newPin, PIN_FILE_MODE, type PinRecord, parsePinRecord, pinRecordText } from '../../local/pin-record';
import type { Log } from '../../program/log';
import { problemOf } from '../../program/problem';
import { factsOfPin } from '../history/facts';
import type { History } from '../history/history';

export interface PinPorts {
  files: Files;
  path: string;
  clock: Clock;
  randomness: Randomness;
  hashPin: HashPin;
  log: Log;
}

export type PinVerdict =
  | { ok: true }
  /** `waitS`: so long every PIN is refused unseen; 0: it may be tried again at once. */
  | { ok: false; problem: 'wrong' | 'wait'; waitS: number }
  /** Nobody has made one: `relayctl identity --new-pin` does. */
  | { ok: false; problem: 'no-pin' };

const WRONG_BEFORE_WAIT = 5;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
/** Checks that wait for their turn; one more is sent away. I15. */
const MAX_WAITING = 4;

/**
 * The PIN that a serial console or a page asks for. Only its hash is kept. After five wrong ones in a row every try has to wait,
 * a minute at first and twice as long after each further one; so after a restart too, whose wait begins anew.
 */
export class PinGate {
  readonly #ports: PinPorts;
  #record: PinRecord | null;
  #wrong: number;
  #closedUntilMs = 0;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(ports: PinPorts, record: PinRecord | null) {
    this.#ports = ports;
    this.#record = record;
    this.#wrong = record?.wrong ?? 0;
    this.#close();
  }

  /** A file that cannot be used is kept aside: a new PIN has to be made then. Never rejects. */
  static async open(ports: PinPorts): Promise<PinGate> {
    const { files, path, log } = ports;
    try {
      const text = await files.read(path);
      if (text === null) return new PinGate(ports, null);
      const parsed = parsePinRecord(JSON.parse(text));
      if (parsed.ok) return new PinGate(ports, parsed.value);
      log.warn(`${path} is corrupt: ${await keepAsideIfPossible(files, path)}; make a new PIN.`);
    } catch (error) {
      log.warn(
        `${path} cannot be used (${problemOf(error)}): ${await keepAsideIfPossible(files, path)}; make a new PIN.`,
      );
    }
    return new PinGate(ports, null);
  }

  /** Tells one PIN from another; null: there is none. */
  get id(): string | null {
    return this.#record?.id ?? null;
  }

  /** Makes a new PIN, the only one from then on. It is never shown again. Rejects with nothing changed. */
  renew(actor: string, history: Pick<History, 'change'>): Promise<string> {
    return this.#inTurn(() => this.#renewNow(actor, history));
  }

  async #renewNow(actor: string, history: Pick<History, 'change'>): Promise<string> {
    const { files, path, randomness, hashPin } = this.#ports;
    const { pin, record } = await newPin(randomness, hashPin);
    let stands = false;
    const wanted = {
      actor,
      kind: 'pin',
      after: factsOfPin(record.id),
      concerns: (member: string) => member === 'pin.id',
      stands: () => stands,
    };
    await history.change(wanted, async () => {
      try {
        await files.replace(path, pinRecordText(record), { mode: PIN_FILE_MODE });
      } catch (error) {
        // It may have come as far as the file itself; then nobody knows the PIN that would be in force.
        stands = (await files.read(path).catch(() => null)) === pinRecordText(record);
        if (stands) this.#accept(record);
        const left = stands ? 'make another one: nobody knows the one that stands there now' : 'nothing was changed';
        const why = `${path} cannot be written (${problemOf(error)}); ${left}.`;
        throw new RelaygateError('refused', why, { cause: error });
      }
      this.#accept(record);
    });
    return pin;
  }

  /** One after the other. Counts, and says how long to wait. */
  async check(pin: string): Promise<PinVerdict> {
    if (this.#waiting >= MAX_WAITING) return { ok: false, problem: 'wait', waitS: 1 };
    this.#waiting += 1;
    try {
      return await this.#inTurn(() => this.#checkNow(pin));
    } finally {
      this.#waiting -= 1;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #checkNow(pin: string): Promise<PinVerdict> {
    const record = this.#record;
    if (!record) return { ok: false, problem: 'no-pin' };
    if (this.#waitS > 0) return { ok: false, problem: 'wait', waitS: this.#waitS };
    const hash = await this.#ports.hashPin(pin, Buffer.from(record.salt, 'base64url'));
    const expected = Buffer.from(record.hash, 'base64url');
    const isRight = hash.length === expected.length && timingSafeEqual(hash, expected);
    const wasKept = this.#wrong >= WRONG_BEFORE_WAIT;
    this.#wrong = isRight ? 0 : this.#wrong + 1;
    this.#close();
    if (wasKept || this.#wrong >= WRONG_BEFORE_WAIT) await this.#keepCount(record);
    return isRight ? { ok: true } : { ok: false, problem: 'wrong', waitS: this.#waitS };
  }

  get #waitS(): number {
    return Math.max(0, Math.ceil((this.#closedUntilMs - this.#ports.clock.nowMs()) / 1000));
  }

  #close(): void {
    const beyond = this.#wrong - WRONG_BEFORE_WAIT;
    const waitMs = beyond < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** beyond);
    this.#closedUntilMs = this.#ports.clock.nowMs() + waitMs;
  }

  #accept(record: PinRecord): void {
    this.#record = record;
    this.#wrong = 0;
    this.#close();
  }

  /** A card that refuses keeps nobody out, and lets nobody in. */
  async #keepCount(record: PinRecord): Promise<void> {
    const { files, path, log } = this.#ports;
    // A new PIN was made meanwhile.
    if (record !== this.#record) return;
    const { wrong: _, ...rest } = record;
    const counted = this.#wrong === 0 ? rest : { ...rest, wrong: this.#wrong };
    this.#record = counted;
    await files.replace(path, pinRecordText(counted), { mode: PIN_FILE_MODE }).catch((error: unknown) => {
      log.warn(`the wrong PINs could not be counted in ${path}: ${problemOf(error)}`);
    });
  }
}
