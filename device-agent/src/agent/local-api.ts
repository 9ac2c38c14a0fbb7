import {
  type Clock,
  EXECUTION_DEADLINE_MS,
  type OutputSettings,
  PULSE_MIN_MS,
  parseOutputSettings,
  type Randomness,
  RelaygateError,
  wholeOutput,
} from '@relaygate/shared';
import { boardWords } from '../boards/board-words';
import { allowedValue } from '../files/allowed-values';
import type { OutputCommand } from '../guard/protocol';
import type { ServeLines } from '../local/line-connection';
import { AnswerLostError } from '../local/request-client';
import { type Actions, action, requestSession } from '../local/request-session';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import { commandProblem } from './command-problem';
import type { GuardContact } from './guard-contact';
import {
  type BoardReply,
  BoardRequest,
  type CommandReply,
  type DeviceStatus,
  type IdentityReply,
  IdentityRequest,
  type OutputReply,
  OutputRequest,
  PulseRequest,
  SetRequest,
  StatusRequest,
} from './local-messages';
import type { SettingsKeeper } from './settings-keeper';

const COMMAND_ID_BYTES = 12;
/** An output that is all right, to try one member at a time with. */
const PROBE: OutputSettings = { name: 'a', mode: 'on-off', pulseMs: PULSE_MIN_MS, activeLevel: 'high', powerOn: 'off' };

export interface LocalApiParts {
  guard: GuardContact;
  settings: SettingsKeeper;
  clock: Clock;
  randomness: Randomness;
  log: Log;
  status(): DeviceStatus;
  identity(): Promise<IdentityReply>;
}

/** The technician's side of the agent: what relayctl (and later the local page) may ask for. */
export class LocalApi {
  readonly #parts: LocalApiParts;

  constructor(parts: LocalApiParts) {
    this.#parts = parts;
  }

  serve(): ServeLines {
    const { log } = this.#parts;
    const actions: Actions = new Map([
      ['status', action(StatusRequest, async () => this.#parts.status())],
      ['identity', action(IdentityRequest, () => this.#parts.identity())],
      [
        'set',
        action(SetRequest, ({ numOutput, state, actor }) => this.#command(numOutput, { action: 'set', state }, actor)),
      ],
      ['pulse', action(PulseRequest, ({ numOutput, actor }) => this.#command(numOutput, { action: 'pulse' }, actor))],
      ['output', action(OutputRequest, (request) => this.#output(request))],
      ['board', action(BoardRequest, (request) => this.#board(request))],
    ]);
    const unexpected = (error: unknown): void => log.warn(`a local request failed: ${problemOf(error)}`);
    return (connection) => requestSession(connection, actions, () => {}, unexpected);
  }

  /** Like a remote command: at most once, and not later than its execution deadline. */
  async #command(numOutput: number, command: OutputCommand, actor: string): Promise<CommandReply> {
    const { guard, clock, randomness, log, settings } = this.#parts;
    const commandId = `local-${Buffer.from(randomness.bytes(COMMAND_ID_BYTES)).toString('hex')}`;
    const startBeforeMs = clock.nowMs() + EXECUTION_DEADLINE_MS;
    const words = `${command.action} of output ${numOutput} by ${actor}`;
    const reply = await answered(guard.execute({ commandId, numOutput, command, startBeforeMs, epoch: null }));
    if (reply === null) throw noAnswer();
    const { outcome, reason, state } = reply;
    log.info(`${words}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`);
    if (outcome !== 'executed' && outcome !== 'already-set') {
      throw commandProblem(numOutput, outcome, reason, settings.settings.outputs);
    }
    return { outcome, numOutput, ...(state === undefined ? {} : { state }) };
  }

  async #output({ numOutput, change, force, actor }: OutputRequest): Promise<OutputReply> {
    const { settings, log } = this.#parts;
    checkRanges(change);
    const { before, after } = await answered(settings.change({ numOutput, change, force }));
    for (const member of Object.keys(change)) log.info(`output ${numOutput}: ${member} set by ${actor}`);
    return { numOutput, before: wholeOutput(before), after: wholeOutput(after) };
  }

  async #board({ actor, ...change }: BoardRequest): Promise<BoardReply> {
    const { settings, log } = this.#parts;
    const { before, after, outputs, mustRestart } = await settings.changeBoard(change);
    if (mustRestart) log.info(`board: ${boardWords(after)}, chosen by ${actor}, from the next start on`);
    return { before, after, outputs, mustRestart };
  }
}

/** Where no answer came, it may have happened all the same. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof AnswerLostError ? noAnswer(error) : error;
  }
}

function noAnswer(cause?: Error): RelaygateError {
  return new RelaygateError('guard-unreachable', 'The guard gave no answer; look at the output before trying again.', {
    cause,
  });
}

/** The settings' own schema says what each may be; the table of words says it to people. */
function checkRanges(change: OutputRequest['change']): void {
  for (const [member, value] of Object.entries(change)) {
    if (parseOutputSettings({ ...PROBE, [member]: value }).ok) continue;
    const flag = member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new RelaygateError('out-of-range', `${flag} is ${allowedValue(member)}, not ${JSON.stringify(value)}.`);
  }
}
