/** What is promised of each command, over all guards that it came to. */
import { strict as assert } from 'node:assert';
import type { DriveOrder } from '@relaygate/device-agent/relay/relay-driver';
import type { Clock, CommandConfirmation } from '@relaygate/shared';
import type { CompleteOutput, Level } from '@relaygate/shared/device';
import type { FakeBoard } from '../../../support/device/fake-board';
import { DRIVE_TIMEOUT_MS } from '../../../support/time/promised-times';
import type { TracedCommand } from './command-in-hand';
import { OUTPUTS } from './guard-outputs';
import type { SettingsInTurn } from './settings-in-turn';

/** What the world shows to who checks. */
export interface SeenWorld {
  clock: Clock;
  board: FakeBoard;
  commands: readonly TracedCommand[];
  settings: SettingsInTurn;
  journal(): string;
  inputOf(input: number): Level;
  /** When what the inputs go by was last turned over. */
  inputsTurnedMs(): number;
}

/** How things stand when the board is given an order. */
export interface WorldAtOrder {
  epoch: number;
  /** Until when the board or its answers were bad. */
  badMs: number;
  /** A technician works at the output. */
  isLocked: boolean;
  /** When the first guard of this boot that came to its outputs was started; null: this is another one. */
  newBootMs: number | null;
}

export class CommandJudge {
  readonly #world: SeenWorld;

  constructor(world: SeenWorld) {
    this.#world = world;
  }

  order({ line, level, notAfterMs }: DriveOrder, at: WorldAtOrder): void {
    const { clock, commands, journal } = this.#world;
    const { epoch: current, badMs, isLocked } = at;
    if (notAfterMs === null) {
      if (level === 'high') this.#onByItself(line, at);
      return;
    }
    const traced = commands.find(({ command }) => command.startBeforeMs === notAfterMs);
    assert(traced, 'I14: an order that no command asked for');
    const { commandId, epoch } = traced.command;
    traced.orders += 1;
    assert.equal(traced.orders, 1, 'I1: a command has moved something twice');
    const isOver = traced.isOver || traced.outcome === 'expired' || traced.outcome === 'refused';
    assert(!isOver, 'I1: a command moves something after it was called over');
    assert(clock.nowMs() < notAfterMs, 'I2: an edge after its deadline');
    assert(epoch === null || epoch === current, 'I12: an edge of a link that is superseded');
    assert(epoch === null || !isLocked, 'locks: a remote command moves a locked output');
    if (level === 'high') this.#on(traced, badMs);
    assert(journal().includes(`"started":"${commandId}"`), 'I1: an edge before its record');
  }

  #onByItself(line: number, { newBootMs }: WorldAtOrder): void {
    const { clock, settings } = this.#world;
    const nowMs = clock.nowMs();
    assert(settings.modeWithin(line, nowMs, nowMs) !== 'impulse', 'I4: an impulse output goes on without a command');
    const mayBe = (powerOn: CompleteOutput['powerOn'], atMs: number): boolean =>
      settings.within(line, atMs, atMs).some((one) => one.settings.powerOn === powerOn);
    const isWanted = mayBe('restore', nowMs) || (mayBe('on', nowMs) && newBootMs !== null && mayBe('on', newBootMs));
    assert(isWanted, 'I5: an output goes on that no policy wants on');
  }

  time({ answerByMs }: TracedCommand): void {
    assert(this.#world.clock.nowMs() <= answerByMs, 'I6: a command is answered too late');
  }

  reply(traced: TracedCommand, reply: CommandConfirmation | null): void {
    if (!reply) return;
    const { outcome, reason } = reply;
    traced.outcome ??= outcome;
    const isBlameless = reason === 'interlock-broken' || reason === 'board-failed';
    const hasNotMoved = (outcome === 'expired' || outcome === 'refused') && !isBlameless;
    assert(!hasNotMoved || !traced.hasBroken, `I3: ${outcome} (${reason}), and another output went off for it`);
    if (outcome === 'expired' || (outcome === 'refused' && reason !== 'board-failed'))
      assert.equal(traced.orders, 0, `I3: ${outcome} (${reason}), and something has moved`);
    this.#stopped(traced, reply);
    if (outcome === 'executed' && this.#modeOf(traced) === 'on-off')
      assert.equal(traced.orders, 1, 'I3: executed, and nothing has moved');
  }

  /** "Ended" is said of the pulse that was meant. */
  #stopped(traced: TracedCommand, { outcome }: CommandConfirmation): void {
    const { numOutput, command } = traced.command;
    if (command.action !== 'stop' || outcome !== 'executed') return;
    assert.notEqual(this.#modeOf(traced), 'on-off', 'I3: a pulse has ended where there is none');
    const own = this.#world.board.edges.filter(({ line }) => line === numOutput);
    const begin = own.findIndex(({ level, atMs }) => level === 'high' && atMs === command.pulseSinceMs);
    assert(own[begin]?.level === 'high' && own[begin + 1]?.level === 'low', 'I3: executed, and its pulse runs on');
  }

  /** Of an answer that is given now, not one from the journal. */
  proof(traced: TracedCommand, reply: CommandConfirmation | null): void {
    const { command } = traced;
    const { numOutput } = command;
    const { feedbackInput = null } = OUTPUTS[numOutput] ?? {};
    const mode = this.#modeOf(traced);
    if (feedbackInput === null || mode === null || (reply?.outcome !== 'executed' && reply?.outcome !== 'already-set'))
      return;
    if (command.command.action === 'stop' || (mode === 'impulse' && switchesOff(command))) return;
    const shown = mode === 'impulse' ? 'high' : this.#world.board.levels[numOutput];
    // Found so, and in the same millisecond moved by its interlock; or put off for a change then.
    const nowMs = this.#world.clock.nowMs();
    const isPutOff = this.#world.settings.isForcedWithin(numOutput, nowMs, nowMs);
    const hasMovedSince = (reply.outcome === 'already-set' || isPutOff) && this.#hasJustMoved(numOutput);
    // It was shown once the edge was out; a disk kept the answer waiting.
    const edgeMs = this.#world.board.edges.findLast(({ line }) => line === numOutput)?.atMs ?? 0;
    const hasTurnedSince = reply.outcome === 'executed' && this.#world.inputsTurnedMs() >= edgeMs;
    assert(
      hasMovedSince || hasTurnedSince || this.#world.inputOf(feedbackInput) === shown,
      `I3: ${reply.outcome}, and its input does not show it`,
    );
  }

  /** What came later or was there before counts. */
  #on(order: TracedCommand, badMs: number): void {
    const { command, came } = order;
    const { numOutput } = command;
    const mode = this.#modeOf(order);
    if (mode === null) return;
    const isPulse = mode === 'impulse';
    const nowMs = this.#world.clock.nowMs();
    const wasBad = badMs + DRIVE_TIMEOUT_MS >= nowMs;
    // It waited while the pulse was ended for a change.
    const isPutOff = this.#world.settings.isForcedWithin(numOutput, order.givenMs, nowMs);
    if (isPulse) assert(!came?.isOn || wasBad || isPutOff, 'I14: a command during a pulse has moved something');
    // A frame that was lost and comes again later is new to the guard.
    const isLater = (traced: TracedCommand): boolean =>
      came !== null && traced.came?.guard === came.guard && traced.came.turn > came.turn;
    const isOff = this.#world.commands.some(
      (traced) =>
        !isPulse &&
        isLater(traced) &&
        traced.command.numOutput === numOutput &&
        switchesOff(traced.command) &&
        (traced.outcome === 'executed' || traced.outcome === 'already-set'),
    );
    assert(!isOff, 'I3: an output goes on after a later command has switched it off');
  }

  /** Null: it may have become the other since the command was given. */
  #modeOf({ command: { numOutput }, givenMs }: TracedCommand): CompleteOutput['mode'] | null {
    return this.#world.settings.modeWithin(numOutput, givenMs, this.#world.clock.nowMs());
  }

  #hasJustMoved(line: number): boolean {
    return this.#world.board.edges.some((edge) => edge.line === line && edge.atMs === this.#world.clock.nowMs());
  }
}

function switchesOff({ command }: TracedCommand['command']): boolean {
  return command.action === 'set' && command.state === 0;
}
