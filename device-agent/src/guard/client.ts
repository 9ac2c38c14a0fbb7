import { type Clock, GUARD_ANSWER_MS, type Parser } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { DeviceRefusal } from '../ipc/device-refusal';
import { CHANGED_EVENT, type LineConnection, MAX_OPEN_REQUESTS } from '../ipc/line-connection';
import { AnswerLostError, RequestClient, type RequestOptions } from '../ipc/request-client';
import { causeText } from '../locales/en/causes';
import { GUARD_REFUSALS } from '../locales/en/guard-refusals';
import { sentenceOf } from '../locales/sentence';
import {
  type EpochRequest,
  type ExecuteReply,
  type ExecuteRequest,
  type GuardStatus,
  type OutcomesReply,
  type OutputChange,
  type OutputLock,
  type PressesReply,
  type PressesRequest,
  parseEndReply,
  parseEpochReply,
  parseExecuteReply,
  parseGuardStatus,
  parseInputReply,
  parseOutcomesReply,
  parsePressesReply,
} from './protocol';

/** Longer than a guard goes on trying to switch off a relay whose board fails. */
const END_ANSWER_MS = 8_000;

/** Commands and readings of inputs leave room for the agent's own requests: locks, epoch, heartbeats. */
const MAX_OPEN_COMMANDS = MAX_OPEN_REQUESTS - 8;

/** Replies that a command waits for. */
const COMMAND_REPLIES = [parseEpochReply, parseExecuteReply, parseOutcomesReply];

/** Settings that the guard checks by itself. */
export interface AskedChange extends Omit<OutputChange, 'settings'> {
  settings: object;
}

interface ConfigureAsked {
  changes: readonly AskedChange[];
  force: boolean;
  startBeforeMs: number;
}

/**
 * The guard, asked over one connection. Every call rejects with RelaygateError when the guard refuses, and with
 * AnswerLostError when no answer comes: then what was asked for may have happened, as with the guard's code `unknown`.
 */
export class GuardClient {
  readonly #requests: RequestClient;

  constructor(connection: LineConnection, clock: Clock, onChanged: (status: GuardStatus) => void) {
    // No command waits for a disk that has the validator.
    for (const parse of COMMAND_REPLIES) parse.prepare();
    this.#requests = new RequestClient(connection, clock, (event, value) => {
      const status = parseGuardStatus(value);
      if (event === CHANGED_EVENT && status.ok) onChanged(status.value);
    });
  }

  status(timeoutMs: number): Promise<GuardStatus> {
    return this.#ask('status', {}, parseGuardStatus, timeoutMs);
  }

  execute(command: ExecuteRequest, givenUp?: AbortSignal): Promise<ExecuteReply> {
    return this.#ask('execute', command, parseExecuteReply, GUARD_ANSWER_MS, { maxOpen: MAX_OPEN_COMMANDS, givenUp });
  }

  async enterEpoch(entered: EpochRequest): Promise<number> {
    return (await this.#ask('epoch', entered, parseEpochReply)).epoch;
  }

  /** These maintenance locks and no others, from now on. */
  async lock(locks: readonly OutputLock[]): Promise<void> {
    await this.#request('locks', { locks }, GUARD_ANSWER_MS);
  }

  async heartbeat(linkIsUp: boolean): Promise<void> {
    await this.#request('presence', { linkIsUp }, GUARD_ANSWER_MS);
  }

  outcomes(commandIds: readonly string[]): Promise<OutcomesReply> {
    return this.#ask('outcomes', { commandIds }, parseOutcomesReply);
  }

  async configure(asked: ConfigureAsked, givenUp?: AbortSignal): Promise<void> {
    await this.#request('configure', asked, GUARD_ANSWER_MS, { givenUp });
  }

  /** null: it cannot be read. */
  async inputLevel(input: number): Promise<Level | null> {
    return (await this.#ask('input', { input }, parseInputReply, GUARD_ANSWER_MS, { maxOpen: MAX_OPEN_COMMANDS }))
      .level;
  }

  presses(request: PressesRequest): Promise<PressesReply> {
    return this.#ask('presses', request, parsePressesReply);
  }

  /**
   * Switches all outputs off for good; the guard ends with this connection. Resolves with the outputs that the board kept
   * on.
   */
  async switchOffForGood(startBeforeMs: number, givenUp?: AbortSignal): Promise<number[]> {
    return (await this.#ask('end', { startBeforeMs }, parseEndReply, END_ANSWER_MS, { givenUp })).stuck;
  }

  takeLine(line: string): boolean {
    return this.#requests.takeLine(line);
  }

  end(why: string): void {
    this.#requests.end(why);
  }

  async #ask<T>(
    type: string,
    body: object,
    parse: Parser<T>,
    timeoutMs = GUARD_ANSWER_MS,
    options?: RequestOptions,
  ): Promise<T> {
    const parsed = parse(await this.#request(type, body, timeoutMs, options));
    if (parsed.ok) return parsed.value;
    throw new AnswerLostError(type, `the answer cannot be read: ${parsed.problem}`);
  }

  async #request(type: string, body: object, timeoutMs: number, options?: RequestOptions): Promise<unknown> {
    try {
      return await this.#requests.request(type, body, timeoutMs, options);
    } catch (error) {
      throw error instanceof DeviceRefusal ? inEnglish(error) : error;
    }
  }
}

/** The guard refuses without a sentence. */
function inEnglish({ code, reason, message }: DeviceRefusal): DeviceRefusal {
  return new DeviceRefusal(code, reason, sentenceOf(reason, GUARD_REFUSALS, causeText) ?? message);
}
