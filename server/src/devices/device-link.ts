import {
  Budget,
  type Cancel,
  CLOSE,
  type Clock,
  type Command,
  DEAD_LINK_MS,
  type Events,
  FRAME_LIMITS,
  type Hello,
  LINK_MAX_QUEUED_BYTES,
  PROOF_MS,
  type Randomness,
  type Resume,
  readDeviceFrame,
  type ServerMessage,
  type WallClock,
} from '@relaygate/shared';
import type { WriteBudgets } from '../limits/write-budgets';
import type { DeviceSocket } from './device-socket';
import type { DeviceStore } from './device-store';
import type { DeviceConfirmation } from './frame-version';
import { HistorySaver, type HistorySaverDeps } from './history-saver';
import { LinkOpener, type LinkOpenerDeps, type LinkToOpen } from './link-opener';
import type { OpenedLink } from './link-opening';
import type { LinkEntry } from './link-registry';
import { FIRST_STATE, type LinkEffect, type LinkEvent, type LinkState, step } from './link-state';
import { ReportSaver } from './report-saver';
import { inputsOf } from './reported-inputs';

/** Learns what the devices of all links report. */
export interface LinkListener {
  linkUp(productLogin: string, bootId: string): void;
  linkLost(productLogin: string): void;
  confirmed(productLogin: string, confirmation: DeviceConfirmation): void;
  resumed(productLogin: string, bootId: string, resume: Resume): void;
}

export interface DeviceLinkDeps extends LinkOpenerDeps {
  store: LinkOpenerDeps['store'] & HistorySaverDeps['store'] & Pick<DeviceStore, 'saveReport'>;
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
  budgets: Pick<WriteBudgets, 'links' | 'reports' | 'history'>;
  listener: LinkListener;
}

/** What a welcomed link has, and what it writes to the database. */
interface Attached {
  productLogin: string;
  held: OpenedLink['held'];
  reports: ReportSaver;
  /** From the first history that the device reports: most links never carry one. */
  history?: HistorySaver;
}

/** A result, and a report when the pulse has ended. */
const FRAMES_PER_COMMAND = 2;

/**
 * One device's connection: feeds the state machine of `link-state.ts` with frames and timers, and performs its effects. There
 * are many links, so a link has few objects of its own: it is itself what its opening and the registry work with.
 */
export class DeviceLink implements LinkToOpen, LinkEntry {
  readonly #deps: DeviceLinkDeps;
  readonly #socket: DeviceSocket;
  readonly address: string;
  readonly begunAtMs: number;
  readonly #frames: Budget;
  #state: LinkState = FIRST_STATE;
  #serverNonce = '';
  #attached: Attached | undefined;
  #lastFrameAtMs: number;
  #cancelLimit: Cancel = () => {};
  #cancelSilence: Cancel;

  /** `address`: of the device, for the log. */
  constructor(deps: DeviceLinkDeps, socket: DeviceSocket, address: string) {
    this.#deps = deps;
    this.#socket = socket;
    this.address = address;
    this.#frames = new Budget(deps.clock, FRAME_LIMITS);
    this.begunAtMs = this.#lastFrameAtMs = deps.clock.nowMs();
    this.#limit(PROOF_MS);
    this.#cancelSilence = this.#watchSilence();
  }

  get phase(): LinkState['phase'] {
    return this.#state.phase;
  }

  /** The device has proven which product it is. */
  get isAuthenticated(): boolean {
    return this.#state.phase === 'syncing' || this.#state.phase === 'up';
  }

  get isUp(): boolean {
    return this.#state.phase === 'up';
  }

  get lastFrameAtMs(): number {
    return this.#lastFrameAtMs;
  }

  get productLogin(): string {
    return this.#welcomed.productLogin;
  }

  get held(): OpenedLink['held'] {
    return this.#welcomed.held;
  }

  get #welcomed(): Attached {
    if (!this.#attached) throw new Error('the device of this link has not been welcomed');
    return this.#attached;
  }

  /** One text frame of the device. */
  received(text: string): void {
    if (this.#state.phase === 'ended') return;
    this.#lastFrameAtMs = this.#deps.clock.nowMs();
    if (this.#frames.take() > 0) return this.#close(CLOSE.protocolError, 'too many frames');
    const frame = readDeviceFrame(text);
    if (frame.kind === 'broken') return this.#close(CLOSE.protocolError, frame.problem);
    if (frame.kind === 'message') this.apply({ kind: 'message', message: frame.message });
  }

  /** The protocol is text. */
  receivedBinary(): void {
    this.#close(CLOSE.unsupportedData, 'text frames only');
  }

  /** The socket is closed, or the gateway has closed it: broken protocol, too many pings, or evicted for another link. */
  ended(): void {
    this.apply({ kind: 'gone' });
  }

  sendCommand(command: Omit<Command, 'type' | 'epoch'>): boolean {
    if (!this.isUp) return false;
    // The answers to what the server sends come on top of the device's own frames.
    this.#frames.giveBack(FRAMES_PER_COMMAND);
    return this.#send({ type: 'command', epoch: this.held.epoch, ...command });
  }

  saveReportAgain(): void {
    this.#attached?.reports.saveAgain();
  }

  replace(): void {
    this.#close(CLOSE.replaced, 'replaced');
  }

  revoke(): void {
    this.#close(CLOSE.revoked, 'revoked');
  }

  /** The device links again by itself. */
  closeForRestart(): void {
    this.#close(CLOSE.serverRestarting, 'server restarts');
  }

  #close(code: number, reason: string): void {
    this.apply({ kind: 'close', code, reason });
  }

  apply(event: LinkEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: LinkEffect): void {
    const { listener, randomness, serverName, clock, wallClock, log } = this.#deps;
    switch (effect.do) {
      case 'send':
        return void this.#send(effect.message);
      case 'challenge': {
        const serverNonce = Buffer.from(randomness.bytes(32)).toString('base64url');
        this.#serverNonce = serverNonce;
        return void this.#send({ type: 'challenge', serverNonce, serverName });
      }
      case 'answer-time':
        return void this.#send({ type: 'time', seq: effect.seq, serverMs: clock.nowMs() });
      case 'limit':
        return this.#limit(effect.ms);
      case 'open':
        return void new LinkOpener(this.#deps, this).open(effect.hello, this.#serverNonce, effect.proof);
      case 'attach':
        return this.#attach(effect.hello, effect.opened);
      case 'report': {
        const { outputs, faults } = effect.report;
        const [inputs, observedAtMs] = [inputsOf(effect.report), wallClock.epochMs()];
        return this.#attached?.reports.save({ outputs, inputs, faults, observedAtMs, seq: effect.seq });
      }
      case 'confirm':
        return listener.confirmed(effect.hello.productLogin, { ...effect.confirmation, version: effect.version });
      case 'resume':
        return listener.resumed(effect.hello.productLogin, effect.hello.bootId, effect.resume);
      case 'up': {
        const { productLogin, bootId } = effect.hello;
        log.info({ productLogin, epoch: effect.epoch, address: this.address }, 'link up');
        return listener.linkUp(productLogin, bootId);
      }
      case 'keep-events':
        return this.#keepHistory(effect.events);
      case 'close':
        return this.#socket.close(effect.code, effect.reason);
      case 'cut':
        return this.#socket.terminate();
      case 'end':
        return this.#end(effect.link);
      default:
        return effect satisfies never;
    }
  }

  #limit(ms: number | null): void {
    this.#cancelLimit();
    const close = (): void => this.#close(CLOSE.timeout, 'handshake took too long');
    this.#cancelLimit = ms === null ? () => {} : this.#deps.clock.after(ms, close);
  }

  #attach({ productLogin }: Hello, { held }: OpenedLink): void {
    this.#attached = { productLogin, held, reports: new ReportSaver(this.#deps, productLogin, held.epoch) };
    if (!this.#deps.registry.attach(this)) this.replace();
  }

  #keepHistory(events: Events): void {
    const attached = this.#welcomed;
    attached.history ??= new HistorySaver(this.#deps, attached.productLogin, attached.held.epoch, (kept) => {
      this.#frames.giveBack(1);
      this.#send(kept);
    });
    attached.history.take(events);
  }

  /** False when certainly no byte has left. A device that does not read is cut off (I15, T18). */
  #send(message: ServerMessage): boolean {
    if (this.#state.phase === 'ended' || !this.#socket.isOpen) return false;
    if (this.#socket.queuedBytes > LINK_MAX_QUEUED_BYTES) {
      this.apply({ kind: 'cut' });
      return false;
    }
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #watchSilence(): Cancel {
    const leftMs = this.#lastFrameAtMs + DEAD_LINK_MS - this.#deps.clock.nowMs();
    if (leftMs > 0) {
      return this.#deps.clock.after(leftMs, () => {
        this.#cancelSilence = this.#watchSilence();
      });
    }
    this.apply({ kind: 'cut' });
    return () => {};
  }

  #end(link: Extract<LinkEffect, { do: 'end' }>['link']): void {
    const { registry, listener, settler, log } = this.#deps;
    this.#cancelLimit();
    this.#cancelSilence();
    if (!link || !this.#attached) return;
    const { productLogin } = link.hello;
    registry.detach(this, link.wasUp);
    this.#attached.reports.stop();
    this.#attached.history?.stop();
    if (link.wasUp) listener.linkLost(productLogin);
    log.info({ productLogin, epoch: link.epoch }, 'link down');
    // I11: a device that fell silent was last seen when it spoke, not when its silence was noticed.
    settler.ended(productLogin, link.epoch, this.#lastFrameAtMs);
  }
}
