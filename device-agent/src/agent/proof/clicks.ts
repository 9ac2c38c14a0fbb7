import {
  type Clock,
  type DeviceReason,
  EXECUTION_DEADLINE_MS,
  pause,
  type Randomness,
  RelaygateError,
} from '@relaygate/shared';
import { isSameOutput, type OutputSettings } from '@relaygate/shared/device';
import type { AskedChange } from '../../guard/client';
import { causeOf } from '../../runtime/problem';
import { noSuchOutput, refused } from '../../runtime/refused';
import { commandProblem } from '../commands/command-problem';
import { outcomeOf } from '../commands/command-words';
import { refusalOf } from '../commands/guard-answer';
import type { GuardContact } from '../commands/guard-contact';
import type { RequestLife } from '../commands/late-request';
import { localCommandId } from '../commands/local-command-id';
import type { EventLog } from '../history/event-log';
import { happened } from '../history/happened';
import type { Became, History } from '../history/history';
import type { LostAnswers, LostCommand } from '../link/lost-answers';
import type { SettingsKeeper } from '../settings/settings-keeper';
import { isSameWiring, type Wiring, wiringInUse } from '../settings/wiring';
import type { ClickedOutputs } from './clicked-outputs';

const CLICKS = 3;
/** Long enough to be heard and seen, short enough for whatever hangs on the relay. */
const CLICK_MS = 300;
const PAUSE_MS = 400;
/** How often the end of a late pulse is looked for, and how often settings are given back. */
const LOOK_MS = 50;
/**
 * How long after the deadline of the first click the others may begin: whoever asked gives up then, and watches no more.
 */
const CLICKS_PATIENCE_MS = 9_500;
/** How long the other outputs wait for a failed board to let go of this one. */
const GIVE_BACK_MS = 2_000;

/** So long after the clicks no button moves an output: whoever watches has yet to say which relay it was, and whether it is on. */
const ANSWER_MS = 10_000;

export interface ClicksDeps {
  guard: Pick<GuardContact, 'configure' | 'execute' | 'status'>;
  settings: Pick<SettingsKeeper, 'settings' | 'alone' | 'refuseOtherBoard'>;
  history: Pick<History, 'enterAction' | 'knownLater'>;
  lostAnswers: Pick<LostAnswers, 'add'>;
  clicked: Pick<ClickedOutputs, 'add'>;
  events: Pick<EventLog, 'logOutcome'>;
  clock: Clock;
  randomness: Randomness;
}

/**
 * Clicks a relay for somebody who watches. Meanwhile the guard has the output as a short impulse output, so it ends the
 * pulse whatever becomes of the agent (I4). Afterwards the output gets its settings back, from this agent or from the next
 * one.
 */
export class Clicks {
  readonly #deps: ClicksDeps;
  #isAsked = false;
  #isRunning = false;
  /** The outcome of the running click so far; null: nothing was asked of the guard. */
  #became: Became | null = null;
  /** The pulse whose answer was lost; `isFirst`: none has clicked before. */
  #lostPulse: (Pick<LostCommand, 'commandId' | 'startBeforeMs'> & { isFirst: boolean }) | null = null;

  #commandIds: readonly string[] = [];

  constructor(deps: ClicksDeps) {
    this.#deps = deps;
  }

  /**
   * Why commands for this output are refused, whoever's click it was: "on" would be a short pulse, and be confirmed (I3).
   */
  refusalReason(numOutput: number): DeviceReason | null {
    if (this.#isRunning) return 'not-proven';
    return this.#isShort(numOutput) ? 'guard-refused' : null;
  }

  /** The commands of the last click's pulses, three at most. */
  get commandIds(): readonly string[] {
    return this.#commandIds;
  }

  /** The answers are there: buttons count again. */
  async answered(): Promise<void> {
    if (!this.#isRunning) await this.#deps.guard.configure([], false).catch(() => {});
  }

  /**
   * `by`: who watches. Nothing clicks too late for them. Resolves when the relay has clicked three times. Rejects with
   * `output-active` while any output is on, and with `refused` while another click runs or waits, because nobody would
   * watch when its turn comes.
   */
  async click(numOutput: number, by: string, life: RequestLife): Promise<void> {
    if (this.#isAsked) throw refused('refused', 'click-runs', {});
    this.#isAsked = true;
    this.#became = null;
    this.#lostPulse = null;
    this.#commandIds = [];
    try {
      await this.#clickInTurn(numOutput, by, life);
      await this.#enter(numOutput, by, { outcome: 'executed' });
    } catch (error) {
      const reason = error instanceof RelaygateError ? error.code : 'guard-unreachable';
      await this.#enter(numOutput, by, this.#became ?? { outcome: 'refused', reason });
      throw this.#problemOf(error);
    } finally {
      this.#isAsked = false;
    }
  }

  /** "Refused" or "unreachable" would say that nothing has moved. */
  #problemOf(error: unknown): unknown {
    if (this.#became?.outcome !== 'unproven' || !(error instanceof RelaygateError)) return error;
    return refused('unproven', 'clicks-uncertain', { clicks: CLICKS, why: causeOf(error) }, { cause: error });
  }

  async #enter(numOutput: number, by: string, became: Became): Promise<void> {
    const { history, events, lostAnswers } = this.#deps;
    const { commandIds } = this;
    const log = (now: Became): void => {
      const what = happened('click', { numOutput, by, ...outcomeOf(now) });
      events.logOutcome(now.outcome === 'unknown' ? [] : commandIds, what);
    };
    log(became);
    const seq = await history.enterAction({ actor: by, kind: 'click', numOutput, ...became });
    if (this.#lostPulse === null) return;
    const { isFirst, commandId, startBeforeMs } = this.#lostPulse;
    const known = (pulse: Became): void => {
      const hasClicked = !isFirst || pulse.outcome === 'executed';
      const now = hasClicked ? { outcome: 'unproven' } : pulse;
      log(now);
      history.knownLater(seq, numOutput, now);
    };
    lostAnswers.add({ commandId, startBeforeMs, known });
  }

  async #clickInTurn(numOutput: number, by: string, life: RequestLife): Promise<void> {
    const rest = { notAfterMs: life.notAfterMs + CLICKS_PATIENCE_MS, givenUp: life.givenUp };
    await this.#deps.settings.alone(async () => {
      this.#deps.settings.refuseOtherBoard();
      const own = this.#outputOf(numOutput);
      // Checked before the settings change.
      this.#refuseActive();
      this.#isRunning = true;
      const wiring = this.#wiring();
      try {
        await this.#asImpulse(numOutput, own, life, (again) => this.#clickAll(numOutput, by, rest, again));
        if (isSameWiring(wiring, this.#wiring())) this.#deps.clicked.add(numOutput, wiring);
      } finally {
        this.#isRunning = false;
      }
    }, life);
  }

  #wiring(): Wiring {
    const { settings, guard } = this.#deps;
    return wiringInUse(settings.settings, guard.status);
  }

  async #asImpulse(
    numOutput: number,
    own: OutputSettings,
    life: RequestLife,
    work: (again: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { guard, clock } = this.#deps;
    const clicks = { numOutput, settings: shortOf(own), clicksUntilMs: life.notAfterMs + CLICKS_PATIENCE_MS };
    await guard.configure([clicks], false, life);
    let answerMs = 0;
    try {
      await work(() => this.#renew(clicks));
      answerMs = life.givenUp.aborted ? 0 : ANSWER_MS;
    } finally {
      const nowMs = clock.nowMs();
      const endMs = Math.min(nowMs + GIVE_BACK_MS, life.notAfterMs + CLICKS_PATIENCE_MS);
      await this.#giveBack({ numOutput, settings: own, clicksUntilMs: nowMs + answerMs }, endMs);
    }
  }

  /**
   * If the board failed at a click, it ends late and its guard refuses until then (I14). If the board is away, it reads the
   * settings from the file. If the guard refuses longer, it gets them with its next change, as when the relay is off at
   * last.
   */
  async #giveBack(own: AskedChange, endMs: number): Promise<void> {
    const { guard, clock } = this.#deps;
    const given = (): Promise<boolean> =>
      guard.configure([own], false).then(
        () => true,
        (error: unknown) => refusalOf(error) === 'guard-unreachable',
      );
    while (!(await given()) && this.#isShort(own.numOutput) && clock.nowMs() < endMs) await pause(clock, LOOK_MS);
  }

  /** Whether the guard still has the settings of a click. */
  #isShort(numOutput: number): boolean {
    const { guard, settings } = this.#deps;
    const own = settings.settings.outputs[numOutput];
    const inForce = guard.status?.outputs[numOutput]?.settings;
    if (!own || !inForce) return false;
    return !isSameOutput(inForce, own) && isSameOutput(inForce, shortOf(own));
  }

  /** A guard that has started since has the output's own settings, whose pulse may be long, and lets buttons press. */
  async #renew(clicks: AskedChange & { settings: OutputSettings }): Promise<void> {
    const { guard, settings } = this.#deps;
    const inForce = guard.status?.outputs[clicks.numOutput]?.settings;
    if (!inForce) throw refused('guard-unreachable', 'guard-gone-between-clicks', {});
    const own = settings.settings.outputs[clicks.numOutput];
    // If the output's own settings are those of a click, nothing shows which guard has them.
    const isUnknown = own !== undefined && isSameOutput(own, clicks.settings);
    if (isUnknown || !isSameOutput(inForce, clicks.settings)) await guard.configure([clicks], false);
  }

  /** `again`: makes sure of the settings for the next click. */
  async #clickAll(numOutput: number, by: string, life: RequestLife, again: () => Promise<void>): Promise<void> {
    const { guard, clock, randomness, settings } = this.#deps;
    for (let click = 0; click < CLICKS; click += 1) {
      // A pulse during another one is `executed` without an edge of its own, and nobody hears it.
      this.#refuseActive();
      if (click > 0) await again();
      // The third click may begin late; none begins for nobody.
      if (life.givenUp.aborted) throw refused('refused', 'nobody-watches', {});
      const commandId = localCommandId(randomness);
      this.#commandIds = [...this.#commandIds, commandId];
      const startBeforeMs = Math.min(clock.nowMs() + EXECUTION_DEADLINE_MS, life.notAfterMs);
      const command = { action: 'pulse' } as const;
      const asked = guard.execute({ commandId, numOutput, command, startBeforeMs, epoch: null, by }, life.givenUp);
      const reply = await asked.catch((error: unknown) => {
        if (refusalOf(error) === null) {
          this.#became = { outcome: 'unknown' };
          this.#lostPulse = { commandId, startBeforeMs, isFirst: click === 0 };
        }
        throw error;
      });
      const outcome = reply?.outcome ?? 'expired';
      if (outcome !== 'executed' && outcome !== 'already-set') {
        // "Refused" would say that nothing has moved.
        const shown = reply === null ? 'unknown' : click === 0 ? outcome : 'unproven';
        this.#became = { outcome: shown, reason: reply?.reason };
        throw commandProblem(numOutput, outcome, reply?.reason, settings.settings.outputs);
      }
      if (reply?.ignored) {
        this.#became = { outcome: click === 0 ? 'refused' : 'unproven', reason: 'output-active' };
        // The pulse belongs to a command that was asked for before and begins only now: whoever watches would take it for
        // the click.
        throw refused('output-active', 'pulse-of-another', { numOutput });
      }
      this.#became = { outcome: 'unproven' };
      await pause(clock, CLICK_MS + PAUSE_MS);
      await this.#untilOff(numOutput, life.notAfterMs);
    }
  }

  /**
   * A guard that was held up, or its board, ends the pulse late; until then it takes neither a click nor the output's own
   * settings (I3). Somebody who sees the relay still on takes its polarity for wrong.
   */
  async #untilOff(numOutput: number, endBeforeMs: number): Promise<void> {
    const { guard, clock } = this.#deps;
    const isOff = (): boolean => guard.status?.outputs[numOutput]?.state === 0;
    while (guard.status && !isOff() && clock.nowMs() < endBeforeMs) await pause(clock, LOOK_MS);
    if (isOff()) return;
    throw refused('unproven', 'maybe-still-on', { numOutput });
  }

  #outputOf(numOutput: number): OutputSettings {
    const { outputs } = this.#deps.settings.settings;
    const output = outputs[numOutput];
    if (output) return output;
    throw noSuchOutput(numOutput, outputs.length);
  }

  /** Among relays that are on nobody hears which one clicks, and an interlock would switch them off. */
  #refuseActive(): void {
    const states = this.#deps.guard.status?.outputs.map(({ state }) => state) ?? [];
    const active = states.indexOf(1);
    if (active >= 0) throw refused('output-active', 'another-is-on', { numOutput: active });
    const unknown = states.indexOf(null);
    if (unknown >= 0) throw refused('output-active', 'another-may-be-on', { numOutput: unknown });
  }
}

/** The settings of a relay that clicks; polarity and interlock stay. */
function shortOf({ name, activeLevel, interlock, interlockDelayMs }: OutputSettings): OutputSettings {
  const short: OutputSettings = { name, mode: 'impulse', pulseMs: CLICK_MS, activeLevel, powerOn: 'off' };
  // I14: the delay is the longest of the group, and may be this one's.
  const delay = interlockDelayMs === undefined ? {} : { interlockDelayMs };
  return interlock === undefined ? short : { ...short, interlock, ...delay };
}
