import { timingSafeEqual } from 'node:crypto';
import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { asideWords, keepAsideIfPossible } from '../../files/keep-aside';
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
/** Checks of one door that wait for their turn; one more is sent away. I15. */
const MAX_WAITING = 4;

/** Where it is asked for. */
export type Door = 'page' | 'console';
const DOORS: readonly Door[] = ['page', 'console'];
/** In which member of the record a door's wrong ones are counted. */
const COUNTERS = { page: 'wrong', console: 'wrongAtConsole' } as const;

interface DoorState {
  /** In a row. */
  wrong: number;
  closedUntilMs: number;
  waiting: number;
}

/**
 * The PIN that a serial console or a page asks for. Only its hash is kept. After five wrong ones in a row every try has to wait,
 * a minute at first and twice as long after each further one; so after a restart too, whose wait begins anew. Each door
 * counts its own, so that nobody in the network closes the console: at most some thirty guesses a day at each.
 */
export class PinGate {
  readonly #ports: PinPorts;
  #record: PinRecord | null;
  readonly #doors: Readonly<Record<Door, DoorState>>;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(ports: PinPorts, record: PinRecord | null) {
    this.#ports = ports;
    this.#record = record;
    const state = (door: Door): DoorState => ({ wrong: record?.[COUNTERS[door]] ?? 0, closedUntilMs: 0, waiting: 0 });
    this.#doors = { page: state('page'), console: state('console') };
    this.#closeAll();
  }

  /** A file that cannot be used is kept aside: a new PIN has to be made then. Never rejects. */
  static async open(ports: PinPorts): Promise<PinGate> {
    const { files, path, log } = ports;
    try {
      const text = await files.read(path);
      if (text === null) return new PinGate(ports, null);
      const parsed = parsePinRecord(JSON.parse(text));
      if (parsed.ok) return new PinGate(ports, parsed.value);
      log.warn(`${path} is corrupt: ${asideWords(await keepAsideIfPossible(files, path))}; make a new PIN.`);
    } catch (error) {
      log.warn(
        `${path} cannot be used (${problemOf(error)}): ${asideWords(await keepAsideIfPossible(files, path))}; make a new PIN.`,
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
      kind: 'pin' as const,
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
  async check(pin: string, door: Door): Promise<PinVerdict> {
    const state = this.#doors[door];
    if (state.waiting >= MAX_WAITING) return { ok: false, problem: 'wait', waitS: 1 };
    state.waiting += 1;
    try {
      return await this.#inTurn(() => this.#checkNow(pin, state));
    } finally {
      state.waiting -= 1;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #checkNow(pin: string, door: DoorState): Promise<PinVerdict> {
    const record = this.#record;
    if (!record) return { ok: false, problem: 'no-pin' };
    const waitS = this.#waitS(door);
    if (waitS > 0) return { ok: false, problem: 'wait', waitS };
    const hash = await this.#ports.hashPin(pin, Buffer.from(record.salt, 'base64url'));
    const expected = Buffer.from(record.hash, 'base64url');
    const isRight = hash.length === expected.length && timingSafeEqual(hash, expected);
    const wasKept = door.wrong >= WRONG_BEFORE_WAIT;
    door.wrong = isRight ? 0 : door.wrong + 1;
    this.#close(door);
    if (wasKept || door.wrong >= WRONG_BEFORE_WAIT) await this.#keepCounts(record);
    return isRight ? { ok: true } : { ok: false, problem: 'wrong', waitS: this.#waitS(door) };
  }

  #waitS({ closedUntilMs }: DoorState): number {
    return Math.max(0, Math.ceil((closedUntilMs - this.#ports.clock.nowMs()) / 1000));
  }

  #close(door: DoorState): void {
    const beyond = door.wrong - WRONG_BEFORE_WAIT;
    const waitMs = beyond < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** beyond);
    door.closedUntilMs = this.#ports.clock.nowMs() + waitMs;
  }

  #closeAll(): void {
    for (const door of DOORS) this.#close(this.#doors[door]);
  }

  #accept(record: PinRecord): void {
    this.#record = record;
    for (const door of DOORS) this.#doors[door].wrong = 0;
    this.#closeAll();
  }

  /** A card that refuses keeps nobody out, and lets nobody in. */
  async #keepCounts(record: PinRecord): Promise<void> {
    const { files, path, log } = this.#ports;
    // A new PIN was made meanwhile.
    if (record !== this.#record) return;
    const { id, salt, hash } = record;
    const kept = DOORS.filter((door) => this.#doors[door].wrong >= WRONG_BEFORE_WAIT);
    const counts = Object.fromEntries(kept.map((door) => [COUNTERS[door], this.#doors[door].wrong]));
    const counted: PinRecord = { id, salt, hash, ...counts };
    this.#record = counted;
    await files.replace(path, pinRecordText(counted), { mode: PIN_FILE_MODE }).catch((error: unknown) => {
      log.warn(`the wrong PINs could not be counted in ${path}: ${problemOf(error)}`);
    });
  }
}
