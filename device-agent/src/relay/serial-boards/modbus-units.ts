import type { Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause, Reason } from '../../runtime/cause';
import { cause, causeOf, Failure, failure } from '../../runtime/problem';
import type { DriveOrder } from '../relay-driver';
import {
  coilsOff,
  type Expected,
  FLASH_MAX_UNITS,
  FLASH_UNIT_MS,
  flashOn,
  gapMs,
  levelsOf,
  NO_SUCH_ADDRESS,
  READ_INPUTS,
  type Request,
  readCoils,
  readReply,
  wireMs,
  writeCoil,
} from './modbus-frames';
import { modbusInputs } from './modbus-inputs';
import type { Driven, ProtocolInputs, SerialProtocol } from './serial-board';
import { PortHangs, type SerialTalk } from './serial-talk';

export interface ModbusUnit {
  address: number;
  relays: number;
  /** The board times pulses by itself. */
  flashOn: boolean;
  /** Discrete inputs; 0 by default. */
  inputs?: number;
}

export interface ModbusOptions {
  clock: Clock;
  baud: number;
  units: readonly ModbusUnit[];
  /** How long a board may take before its answer begins. */
  answerMs: number;
}

/**
 * After so many silences or garbled answers in a row a board is not asked for a time: it must not take the bus from the
 * others.
 */
const PATIENCE = 3;
const SILENT_REST_MS = 1_000;
/** How long board and adapter usually take for an answer, beside the time on the wire. */
const TYPICAL_ANSWER_MS = 20;
/** How long after its time a board that times a pulse is ordered to end it: its order may have come late. */
const END_GRACE_MS = 50;
/** How much too early the guard's order for the end may come, because its clock is rounded. */
const END_EARLY_MS = 1;
/** The longest wait for an idle bus, however long the noise. */
const LONGEST_REST_MS = 50;

interface Line extends ModbusUnit {
  coil: number;
}

interface Silence {
  count: number;
  untilMs: number;
  /** The last failure. */
  problem: Reason;
}

/** The board has answered with an exception. */
class Refusal extends Failure {}

/**
 * Relay boards that speak Modbus RTU, one or several on a bus. Every write is read back, so an adapter that repeats what is
 * sent confirms nothing. A write's answer repeats it byte for byte and boards answer in order, so late answers are over by
 * the time the coils are read.
 */
export class ModbusUnits implements SerialProtocol {
  /** Every write is answered; a silent board is a failed one. */
  readonly unread = null;
  readonly #options: ModbusOptions;
  readonly #lines: readonly Line[];
  readonly inputs: ProtocolInputs;
  readonly #silences = new Map<number, Silence>();
  /** When the board ends the pulse of a line by itself. */
  readonly #ends = new Map<number, number>();
  /** For each address: whether the board has switched several relays off by one frame, or did not know that frame. */
  readonly #takesSeveral = new Map<number, boolean>();
  /**
   * Addresses where one such frame got no answer, so it is not known yet. After the second the board counts as one that
   * does not know it.
   */
  readonly #ignoredSeveral = new Set<number>();
  /**
   * For each address: how long the board took for its fastest answer to a write, beside the time on the wire, in ms. Less
   * than 0 if its bytes have fewer bits than are reckoned with.
   */
  readonly #fastestMs = new Map<number, number>();

  constructor(options: ModbusOptions) {
    this.#options = options;
    this.#lines = options.units.flatMap((unit) =>
      Array.from({ length: unit.relays }, (_, coil) => ({ ...unit, coil })),
    );
    this.inputs = modbusInputs(options.units, {
      ask: (talk, unit, request) => {
        this.#refuseSilent(unit);
        return this.#ask(talk, unit, request);
      },
      // The board may be silent, and the bus noisy.
      longestMs: (request) => options.answerMs + LONGEST_REST_MS + this.#exchangeMs(request),
    });
  }

  get lines(): number {
    return this.#lines.length;
  }

  /** The bus is there if one board answers; orders find out about the others. */
  async greet(talk: SerialTalk): Promise<(Level | null)[]> {
    this.#silences.clear();
    this.#takesSeveral.clear();
    this.#ignoredSeveral.clear();
    this.#fastestMs.clear();
    const found: (Level | null)[] = [];
    const problems: Cause[] = [];
    for (const unit of this.#options.units) {
      await this.untilBusIdle(talk);
      try {
        found.push(...(await this.#read(talk, unit)));
      } catch (error) {
        problems.push(causeOf(error));
        found.push(...Array<null>(unit.relays).fill(null));
      }
    }
    if (problems.length === this.#options.units.length) throw failure('several', { problems });
    return found;
  }

  async drive(
    talk: SerialTalk,
    order: DriveOrder,
    mayStart: () => boolean,
    waitingOff: () => readonly number[],
  ): Promise<Driven | 'again' | null> {
    const { clock } = this.#options;
    const line = this.#lineOf(order.line);
    if (this.#silenceOf(line)) return this.#orderBlindly(talk, line, order, mayStart);
    if (await this.#endsByItself(talk, line, order)) return { readBack: 'low', endsPulse: false };
    const flashUnits = flashUnitsOf(line, order);
    const request =
      flashUnits === null
        ? writeCoil(line.address, line.coil, order.level)
        : flashOn(line.address, line.coil, flashUnits);
    this.#refuseTooShort(line, order, request);
    if (!mayStart()) return null;
    const together = order.level === 'low' ? this.#together(order.line, waitingOff()) : [];
    if (together.length > 1) return this.#putOff(talk, order.line, together);
    const startMs = clock.nowMs();
    await this.#ask(talk, line, request);
    const endsPulse = flashUnits !== null && flashUnits * FLASH_UNIT_MS === order.pulseMs;
    if (endsPulse) this.#ends.set(order.line, startMs + flashUnits * FLASH_UNIT_MS);
    else this.#ends.delete(order.line);
    // So short a pulse would be over before its proof.
    if (order.pulseMs !== undefined && order.pulseMs < this.#proofMs(line)) return { readBack: null, endsPulse };
    await this.untilBusIdle(talk);
    const levels = await this.#read(talk, line);
    // The board may have ended the pulse before it was read.
    const isOver = flashUnits !== null && clock.nowMs() >= startMs + flashUnits * FLASH_UNIT_MS;
    return { readBack: isOver ? null : (levels[line.coil] ?? null), endsPulse };
  }

  /**
   * A pulse that ends before its board can confirm it is refused: it would click, and be refused all the same. Until the
   * board has answered a write, nobody knows.
   */
  #refuseTooShort({ address }: Line, { pulseMs }: DriveOrder, request: Request): void {
    const leastMs = this.#exchangeMs(request) + (this.#fastestMs.get(address) ?? Number.NEGATIVE_INFINITY);
    if (pulseMs !== undefined && pulseMs < leastMs) throw failure('pulse-too-short', { ms: Math.ceil(leastMs) });
  }

  /** Lines of one board side by side, `numLine` among them, that one frame may switch off. */
  #together(numLine: number, waitingOff: readonly number[]): number[] {
    const { address } = this.#lineOf(numLine);
    if (this.#takesSeveral.get(address) === false) return [numLine];
    const isAlong = (other: number): boolean =>
      // The board itself ends a pulse that it times.
      waitingOff.includes(other) && this.#lines[other]?.address === address && !this.#ends.has(other);
    let first = numLine;
    while (isAlong(first - 1)) first -= 1;
    let last = numLine;
    while (isAlong(last + 1)) last += 1;
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  }

  async #putOff(talk: SerialTalk, numLine: number, together: readonly number[]): Promise<Driven | 'again'> {
    const line = this.#lineOf(numLine);
    const [first = numLine] = together;
    try {
      await this.#ask(talk, line, coilsOff(line.address, this.#lineOf(first).coil, together.length));
    } catch (error) {
      if (error instanceof PortHangs || this.#takesSeveral.has(line.address)) throw error;
      // The board may not know this frame, or a byte was lost. It must know the frame for a single relay.
      if (error instanceof Refusal || this.#ignoredSeveral.has(line.address))
        this.#takesSeveral.set(line.address, false);
      else this.#ignoredSeveral.add(line.address);
      return 'again';
    }
    this.#takesSeveral.set(line.address, true);
    this.#ends.delete(numLine);
    await this.untilBusIdle(talk);
    const levels = await this.#read(talk, line);
    const levelOf = (other: number): Level | null => levels[this.#lineOf(other).coil] ?? null;
    const others = new Map(together.filter((other) => other !== numLine).map((other) => [other, levelOf(other)]));
    return { readBack: levelOf(numLine), endsPulse: false, others };
  }

  async read(talk: SerialTalk, numLine: number): Promise<Level | null> {
    const line = this.#lineOf(numLine);
    this.#refuseSilent(line);
    return (await this.#read(talk, line))[line.coil] ?? null;
  }

  #lineOf(numLine: number): Line {
    const line = this.#lines[numLine];
    if (!line) throw failure('no-line', { line: numLine });
    return line;
  }

  #refuseSilent(unit: ModbusUnit): void {
    const silence = this.#silenceOf(unit);
    if (silence) throw new Failure(silence.problem);
  }

  /** The failure of a board that is not asked for a time; undefined: it may be asked. */
  #silenceOf({ address }: ModbusUnit): Silence | undefined {
    const silence = this.#silences.get(address);
    return silence && silence.untilMs > this.#options.clock.nowMs() ? silence : undefined;
  }

  /** If the board times the pulse, its end is only read: an order from here could come before the time. */
  async #endsByItself(talk: SerialTalk, line: Line, order: DriveOrder): Promise<boolean> {
    // The order may still fail, and then the running pulse ends as before.
    if (order.level === 'high') return false;
    const { clock } = this.#options;
    const endMs = this.#ends.get(order.line);
    this.#ends.delete(order.line);
    if (endMs === undefined || clock.nowMs() < endMs - END_EARLY_MS) return false;
    do {
      if ((await this.#read(talk, line))[line.coil] === 'low') return true;
      await this.untilBusIdle(talk);
    } while (clock.nowMs() < endMs + END_GRACE_MS);
    return false;
  }

  /** The board may hear orders although its answers do not arrive: "off" is written, and its answer is not waited for. */
  async #orderBlindly(talk: SerialTalk, line: Line, order: DriveOrder, mayStart: () => boolean): Promise<null> {
    if (order.level === 'low') {
      if (!mayStart()) return null;
      const { bytes } = writeCoil(line.address, line.coil, 'low');
      await talk.write(bytes, this.#wireMs(bytes.length));
    }
    throw new Failure(this.#silences.get(line.address)?.problem ?? cause('unit-silent', line));
  }

  untilBusIdle(talk: SerialTalk): Promise<void> {
    return talk.quiet(this.#gapMs, LONGEST_REST_MS);
  }

  costOf(line: number): { longestMs: number; isPrompt: boolean } {
    const unit = this.#lines[line];
    if (!unit) return { longestMs: 0, isPrompt: true };
    const { answerMs } = this.#options;
    // A pulse that the board ends by itself can wait for one that the guard ends.
    const isPrompt = !this.#silences.has(unit.address) && !this.#ends.has(line);
    return { longestMs: 2 * (answerMs + LONGEST_REST_MS) + this.#framesMs(unit), isPrompt };
  }

  /** How long an order with its reading back usually takes. */
  #proofMs(unit: ModbusUnit): number {
    return 2 * (TYPICAL_ANSWER_MS + this.#gapMs) + this.#framesMs(unit);
  }

  /** How long a write, a read and their answers take on the wire. */
  #framesMs({ address, relays }: ModbusUnit): number {
    return this.#exchangeMs(writeCoil(address, 0, 'low')) + this.#exchangeMs(readCoils(address, relays));
  }

  get #gapMs(): number {
    return gapMs(this.#options.baud);
  }

  async #read(talk: SerialTalk, unit: ModbusUnit): Promise<Level[]> {
    return levelsOf(await this.#ask(talk, unit, readCoils(unit.address, unit.relays)), unit.relays);
  }

  async #ask(talk: SerialTalk, unit: ModbusUnit, request: Request): Promise<Uint8Array> {
    const { clock, answerMs } = this.#options;
    const { bytes, expected } = request;
    const exchangeMs = this.#exchangeMs(request);
    const startMs = clock.nowMs();
    const received = await talk.ask({
      request: bytes,
      answerMs: answerMs + exchangeMs,
      isWhole: (soFar) => readReply(soFar, expected).kind !== 'incomplete',
    });
    const reply = readReply(received, expected);
    const { address } = unit;
    switch (reply.kind) {
      case 'answer':
        this.#silences.delete(address);
        if (expected.echo) this.#noteAnswer(address, clock.nowMs() - startMs - exchangeMs);
        return reply.frame;
      case 'exception':
        this.#silences.delete(address);
        throw new Refusal(refusalBy(expected, reply.code));
      case 'incomplete': {
        const garbled = reply.hasBadFrame
          ? cause('unit-bad-crc', { address })
          : cause('unit-garbled', { address, bytes: received.length });
        throw this.#noteSilence(unit, received.length === 0 ? cause('unit-silent', { address }) : garbled);
      }
      default:
        return reply satisfies never;
    }
  }

  #noteAnswer(address: number, tookMs: number): void {
    this.#fastestMs.set(address, Math.min(tookMs, this.#fastestMs.get(address) ?? Number.POSITIVE_INFINITY));
  }

  #noteSilence({ address }: ModbusUnit, problem: Reason): Error {
    const { clock } = this.#options;
    const count = (this.#silences.get(address)?.count ?? 0) + 1;
    this.#silences.set(address, { count, untilMs: count >= PATIENCE ? clock.nowMs() + SILENT_REST_MS : 0, problem });
    return new Failure(problem);
  }

  /** How long a request and its answer take on the wire. */
  #exchangeMs({ bytes, expected }: Request): number {
    return this.#wireMs(bytes.length + expected.sizeBytes);
  }

  #wireMs(bytes: number): number {
    return wireMs(bytes, this.#options.baud);
  }
}

/** Rounded up, so that the board ends a pulse soon if the guard cannot; null: the board does not time it. */
function flashUnitsOf({ flashOn: canFlash }: Line, { level, pulseMs }: DriveOrder): number | null {
  if (!canFlash || pulseMs === undefined || level !== 'high') return null;
  const units = Math.ceil(pulseMs / FLASH_UNIT_MS);
  return units <= FLASH_MAX_UNITS ? units : null;
}

function refusalBy({ address, function: asked }: Expected, exception: number): Reason {
  const isOfInputs = asked === READ_INPUTS && exception === NO_SUCH_ADDRESS;
  return isOfInputs ? cause('unit-lacks-input', { address }) : cause('unit-refuses', { address, exception });
}
