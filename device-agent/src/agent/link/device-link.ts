import {
  Budget,
  type Cancel,
  type Challenge,
  type Clock,
  type CommandConfirmation,
  type DeviceMessage,
  type Events,
  type EventsKept,
  type Randomness,
  type Report,
  type Resume,
  readServerFrame,
  type WallClock,
  WRITE_LIMITS,
} from '@relaygate/shared';
import type { LinkSettings } from '@relaygate/shared/device';
import { forServer, type OutcomesReply } from '../../guard/protocol';
import { linkText } from '../../locales/en/link';
import { inTime } from '../../runtime/in-time';
import { problemOf } from '../../runtime/problem';
import type { GuardContact } from '../commands/guard-contact';
import type { Identity } from './identity';
import { type Link, type LinkEffect, type LinkEvent, type LinkTimer, NEW_LINK, stepLink } from './link';
import type { LinkProblem } from './link-problem';
import type { DialLink, LinkSocket } from './link-socket';
import { RemoteCommands, type RemoteCommandsDeps } from './remote-commands';
import { ReportedState } from './report';

const NONCE_BYTES = 32;
const INSTANCE_BYTES = 12;
/** Changes that come together go out as one report. */
const REPORT_DELAY_MS = 50;
/** How long a guard that does not answer may delay a new link; it gets the epoch before any command all the same. */
const GUARD_PATIENCE_MS = 2_000;

export interface DeviceLinkDeps extends Omit<RemoteCommandsDeps, 'confirm' | 'settled'> {
  dial: DialLink;
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
  guard: Pick<GuardContact, 'status' | 'enterEpoch' | 'execute' | 'outcomes'>;
  /** The report as of now. */
  report(): Report;
  /** The code of `enrolment-code`, or null. */
  enrolmentCode(): Promise<string | null>;
  /** A first welcome has used the code up. */
  forgetEnrolmentCode(sent: string | null): Promise<void>;
  /** The server has said how much of the history it keeps. */
  historyKept(kept: EventsKept): void;
  /** `problem` or `replaced` has changed. */
  onChange(): void;
}

export interface LinkedDevice {
  settings: LinkSettings;
  identity: Identity;
  agentVersion: string;
  bootId: string;
}

export interface LinkView {
  isUp: boolean;
  epoch: number | null;
  /** Why it is not up. */
  problem: LinkProblem | null;
  /** How often another link with this key has taken over lately. */
  replaced: number;
}

/** Carries out what the link's state machine says: socket, timers, guard, reports. */
export class DeviceLink {
  readonly #deps: DeviceLinkDeps;
  readonly #device: LinkedDevice;
  readonly #instanceId: string;
  readonly #timers = new Map<LinkTimer, Cancel>();
  #link: Link = NEW_LINK;
  #socket: LinkSocket | null = null;
  /** Events of an older socket are not looked at. */
  #sockets = 0;
  /** How far the wall clock was ahead of the monotonic one when the server's certificate was checked. */
  #wallOffsetMs = 0;
  #reported = new ReportedState();
  #cancelReport: Cancel | null = null;
  /**
   * Bounds the reports, because the server saves no more of them: an input that flaps would fill the line for nothing
   * (I15).
   */
  readonly #reports: Budget;
  readonly #commands: RemoteCommands;
  /** What the proof of the current link carried; null: no code. */
  #enrolmentCode: string | null = null;
  /** The last code with which epochs began anew: if its file cannot be removed, it comes with each link. */
  #usedCode: string | null = null;
  #isStopped = false;

  constructor(deps: DeviceLinkDeps, device: LinkedDevice) {
    this.#deps = deps;
    this.#device = device;
    this.#reports = new Budget(deps.clock, WRITE_LIMITS.reports);
    this.#instanceId = base64(deps.randomness.bytes(INSTANCE_BYTES));
    this.#commands = new RemoteCommands({
      ...deps,
      confirm: (confirmation) => this.#confirm(confirmation),
      settled: () => this.#scheduleReport(),
    });
  }

  start(): void {
    this.#feed({ kind: 'start' });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimers();
    this.#cancelReport?.();
    this.#socket?.terminate();
  }

  view(): LinkView {
    const { stage, problem, replaced } = this.#link;
    const isUp = stage.name === 'up';
    return { isUp, epoch: isUp ? stage.epoch : null, problem: isUp ? null : problem, replaced };
  }

  /**
   * The time by which the server's certificate was valid when the link was made, gone on since on the monotonic clock; no
   * time server has changed it meanwhile. null: no link is up, or it has no certificate.
   */
  get certifiedTimeMs(): number | null {
    if (this.#link.stage.name !== 'up' || !this.#device.settings.serverUrl.startsWith('wss:')) return null;
    return this.#wallOffsetMs + this.#deps.clock.nowMs();
  }

  /** Outputs, settings or faults may have changed: reports to the server what it does not know. */
  deviceChanged(): void {
    this.#scheduleReport();
    const isUp = this.#link.stage.name === 'up';
    if (isUp && this.#deps.guard.status) this.#later(this.#commands.askForLostAnswers());
  }

  /** Gives up a link whose epoch is too far above the last one. */
  epochRefused(problem: string): void {
    this.#feed({ kind: 'epoch-refused', problem });
  }

  /** False: the link is not up, and nothing was sent. */
  sendEvents(events: Events): boolean {
    if (this.#link.stage.name !== 'up') return false;
    this.#send(events);
    return true;
  }

  #feed(event: LinkEvent): void {
    if (this.#isStopped) return;
    const before = this.#link;
    const [link, effects] = stepLink(before, event, this.#device.settings.serverName);
    this.#link = link;
    for (const effect of effects) this.#carryOut(effect);
    const [textBefore, text] = [before, link].map(({ problem }) => problem && linkText(problem));
    const isReported = (before.stage.name === 'up') === (link.stage.name === 'up') && textBefore === text;
    if (!isReported || before.replaced !== link.replaced) this.#deps.onChange();
  }

  #carryOut(effect: LinkEffect): void {
    const { clock, log } = this.#deps;
    switch (effect.do) {
      case 'connect':
        return this.#connect();
      case 'send':
        if (effect.message.type === 'result') this.#deps.commandEnded(null, effect.message);
        return this.#send(effect.message);
      case 'greet':
        return this.#send({
          type: 'hello',
          productLogin: this.#device.settings.productLogin,
          publicKey: this.#device.identity.publicKey,
          deviceNonce: effect.deviceNonce,
          agentVersion: this.#device.agentVersion,
          bootId: this.#device.bootId,
          instanceId: this.#instanceId,
        });
      case 'prove':
        return this.#later(this.#prove(effect.challenge, effect.deviceNonce));
      case 'welcomed':
        return this.#later(this.#deps.forgetEnrolmentCode(this.#enrolmentCode));
      case 'enter-epoch':
        return this.#later(this.#sendEpochToGuard(effect.epoch));
      case 'gather':
        return this.#later(this.#gather(effect.unresolved));
      case 'execute':
        return this.#later(this.#commands.execute(effect.command, effect.startBeforeMs));
      case 'history-kept':
        return this.#deps.historyKept(effect.kept);
      case 'hang-up':
        return this.#socket?.terminate();
      case 'start-timer': {
        const { timer, delayMs } = effect;
        this.#timers.get(timer)?.();
        const run = (): void => this.#feed({ kind: 'timer', timer, nowMs: clock.nowMs() });
        this.#timers.set(timer, clock.after(delayMs, run));
        return;
      }
      case 'stop-timer':
        this.#timers.get(effect.timer)?.();
        this.#timers.delete(effect.timer);
        return;
      case 'stop-timers':
        return this.#stopTimers();
      case 'log':
        return log.info(effect.text);
      default:
        effect satisfies never;
    }
  }

  #connect(): void {
    const { dial, clock, wallClock, randomness } = this.#deps;
    this.#sockets += 1;
    const mine = this.#sockets;
    const offsetMs = (): number => wallClock.epochMs() - clock.nowMs();
    const offsetBeforeMs = offsetMs();
    const feed = (event: LinkEvent): void => {
      if (this.#sockets === mine) this.#feed(event);
    };
    this.#socket = dial({
      opened: () => {
        // Somebody may set the clock just then: only the earlier time is certainly not beyond the certificate's end.
        if (this.#sockets === mine) this.#wallOffsetMs = Math.min(offsetBeforeMs, offsetMs());
        feed({ kind: 'opened', deviceNonce: base64(randomness.bytes(NONCE_BYTES)) });
      },
      text: (text) => feed(eventOfFrame(text, clock.nowMs())),
      closed: (code, problem) =>
        feed({ kind: 'closed', code, problem, nowMs: clock.nowMs(), chance: randomness.fraction() }),
    });
  }

  #send(message: DeviceMessage): void {
    this.#socket?.send(JSON.stringify(message));
    if (message.type === 'report') this.#reported.reported(message, this.#deps.clock.nowMs());
    if (message.type === 'result') this.#reported.confirmed(message.numOutput, message.state);
  }

  async #prove({ serverNonce }: Challenge, deviceNonce: string): Promise<void> {
    const mine = this.#sockets;
    const enrolmentCode = await this.#deps.enrolmentCode();
    const { serverName, productLogin } = this.#device.settings;
    const signature = this.#device.identity.prove({ serverName, productLogin, deviceNonce, serverNonce });
    if (this.#sockets !== mine || this.#link.stage.name !== 'proving') return;
    this.#enrolmentCode = enrolmentCode;
    this.#send({ type: 'proof', signature, ...(enrolmentCode === null ? {} : { enrolmentCode }) });
  }

  async #sendEpochToGuard(epoch: number): Promise<void> {
    const mine = this.#sockets;
    const isNewEnrolment = this.#enrolmentCode !== null && this.#enrolmentCode !== this.#usedCode;
    if (isNewEnrolment) this.#usedCode = this.#enrolmentCode;
    const entered = { epoch, isNewEnrolment };
    await this.#patiently(this.#deps.guard.enterEpoch(entered), undefined);
    if (this.#sockets === mine) this.#feed({ kind: 'epoch-entered', nowMs: this.#deps.clock.nowMs() });
  }

  async #gather(unresolved: string[]): Promise<void> {
    const mine = this.#sockets;
    const nothingKnown: OutcomesReply = { outcomes: [], notStarted: [] };
    const asked = unresolved.length === 0 ? nothingKnown : this.#deps.guard.outcomes(unresolved);
    const { outcomes, notStarted } = await this.#patiently(Promise.resolve(asked), nothingKnown);
    if (this.#sockets !== mine) return;
    const known = [...outcomes.map(({ commandId }) => commandId), ...notStarted];
    this.#commands.stayOpen(unresolved.filter((commandId) => !known.includes(commandId)));
    const resume: Resume = { type: 'resume', outcomes: outcomes.map(forServer), notStarted };
    this.#feed({ kind: 'gathered', report: this.#deps.report(), resume, nowMs: this.#deps.clock.nowMs() });
  }

  /** Waits for the guard only so long, because the link must come up without it. */
  #patiently<T>(answer: Promise<T>, otherwise: T): Promise<T> {
    const orElse = answer.catch(() => otherwise);
    return inTime(this.#deps.clock, GUARD_PATIENCE_MS, orElse, otherwise);
  }

  #confirm(confirmation: CommandConfirmation): boolean {
    if (this.#link.stage.name !== 'up') return false;
    this.#send({ type: 'result', ...confirmation });
    return true;
  }

  #scheduleReport(delayMs = REPORT_DELAY_MS): void {
    if (this.#cancelReport || this.#isStopped) return;
    this.#cancelReport = this.#deps.clock.after(delayMs, () => {
      this.#cancelReport = null;
      // The result of a running command reports it; after it this is called again.
      if (this.#commands.isExecuting || this.#link.stage.name !== 'up') return;
      const report = this.#deps.report();
      if (!this.#reported.isNews(report, this.#deps.clock.nowMs())) return;
      const waitMs = this.#reports.take();
      if (waitMs > 0) this.#scheduleReport(waitMs);
      else this.#send(report);
    });
  }

  #later(work: Promise<void>): void {
    work.catch((error: unknown) => this.#deps.log.warn(`link: ${problemOf(error)}`));
  }

  #stopTimers(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}

function eventOfFrame(text: string, nowMs: number): LinkEvent {
  const frame = readServerFrame(text);
  switch (frame.kind) {
    case 'message':
      return { kind: 'message', message: frame.message, nowMs };
    case 'ignored':
      return { kind: 'ignored-frame' };
    case 'broken':
      return { kind: 'broken-frame', problem: frame.problem };
    default:
      return frame satisfies never;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
