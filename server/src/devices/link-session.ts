import {
  Budget,
  type Cancel,
  CLOSE,
  type Command,
  type CommandConfirmation,
  DEAD_LINK_MS,
  type DeviceMessage,
  type EventsKept,
  FRAME_LIMITS,
  HANDSHAKE_MS,
  type Hello,
  LINK_MAX_QUEUED_BYTES,
  PROOF_MS,
  type Proof,
  type Report,
  type Resume,
  readDeviceFrame,
  type ServerMessage,
} from '@relaygate/shared';
import type { DeviceSocket } from './device-socket';
import type { HeldLink } from './device-store';
import { HistorySaver } from './history-saver';
import { isProofValid, type OpenedLink, openLink } from './link-opening';
import type { LinkEntry } from './link-registry';
import type { LinkSessionDeps } from './link-session-deps';
import { ReportSaver } from './report-saver';

type Phase =
  | { name: 'awaiting-hello' }
  | { name: 'awaiting-proof'; hello: Hello; serverNonce: string }
  /** The database opens the link; the device waits for its welcome. */
  | { name: 'opening' }
  /** Welcomed: time exchange, report and resume are to come. */
  | { name: 'syncing'; link: Link; timeSent: boolean }
  | { name: 'up'; link: Link }
  | { name: 'ended' };

interface Link {
  hello: Hello;
  epoch: number;
  entry: LinkEntry;
  reports: ReportSaver;
  history: HistorySaver;
  /** Of the last frame that told of outputs. */
  seq: number;
}

/** A result, and a report when the pulse has ended. */
const FRAMES_PER_COMMAND = 2;

/** One device's WebSocket from its first frame to its end. Frames after the end are discarded (I12). */
export class LinkSession {
  readonly #deps: LinkSessionDeps;
  readonly #socket: DeviceSocket;
  readonly #address: string;
  readonly #frames: Budget;
  readonly #begunAtMs: number;
  #phase: Phase = { name: 'awaiting-hello' };
  #lastFrameAtMs: number;
  #cancelHandshake: Cancel;
  #cancelSilence: Cancel;

  /** `address`: of the device, for the log. */
  constructor(deps: LinkSessionDeps, socket: DeviceSocket, address: string) {
    this.#deps = deps;
    this.#socket = socket;
    this.#address = address;
    this.#frames = new Budget(deps.clock, FRAME_LIMITS);
    this.#begunAtMs = this.#lastFrameAtMs = deps.clock.nowMs();
    this.#cancelHandshake = this.#within(PROOF_MS);
    this.#cancelSilence = this.#watchSilence();
  }

  /** Has the device proven which product it is? */
  get isAuthenticated(): boolean {
    return this.#phase.name === 'syncing' || this.#phase.name === 'up';
  }

  /** One text frame of the device. */
  received(text: string): void {
    if (this.#phase.name === 'ended') return;
    this.#lastFrameAtMs = this.#deps.clock.nowMs();
    if (this.#frames.take() > 0) return this.#close(CLOSE.protocolError, 'too many frames');
    const frame = readDeviceFrame(text);
    if (frame.kind === 'broken') return this.#close(CLOSE.protocolError, frame.problem);
    if (frame.kind === 'message') this.#handle(frame.message);
  }

  /** The socket is gone, or its peer has broken the protocol below ours. */
  ended(): void {
    this.#end();
  }

  /** The protocol is text. */
  receivedBinary(): void {
    this.#close(CLOSE.unsupportedData, 'text frames only');
  }

  /** Ends the link; the device comes back by itself. */
  closeForRestart(): void {
    this.#close(CLOSE.serverRestarting, 'server restarts');
  }

  /** What comes before its turn ends the link; what comes after it came twice, and is passed over (T7). */
  #handle(message: DeviceMessage): void {
    const phase = this.#phase;
    const welcomed = phase.name === 'syncing' || phase.name === 'up';
    switch (message.type) {
      case 'hello':
        return phase.name === 'awaiting-hello' ? this.#challenge(message) : undefined;
      case 'proof':
        if (phase.name === 'awaiting-hello') return this.#outOfTurn(message);
        if (phase.name === 'awaiting-proof') void this.#prove(phase.hello, phase.serverNonce, message);
        return;
      case 'time':
        if (!welcomed) return this.#outOfTurn(message);
        if (phase.name === 'syncing') phase.timeSent = true;
        return void this.#send({ type: 'time', seq: message.seq, serverMs: this.#deps.clock.nowMs() });
      case 'report':
        return welcomed ? this.#report(phase.link, message) : this.#outOfTurn(message);
      case 'resume':
        if (phase.name === 'up') return;
        // Without a time exchange no deadline could be kept: the link is not up before it. I14.
        return phase.name === 'syncing' && phase.timeSent
          ? this.#resume(phase.link, message)
          : this.#outOfTurn(message);
      case 'result':
        return welcomed ? this.#result(phase.link, message) : this.#outOfTurn(message);
      case 'events':
        return phase.name === 'up' ? phase.link.history.take(message) : this.#outOfTurn(message);
      default:
        return message satisfies never;
    }
  }

  /** The handshake's next part must be done by then. */
  #within(limitMs: number): Cancel {
    return this.#deps.clock.after(limitMs, () => this.#close(CLOSE.timeout, 'handshake took too long'));
  }

  #challenge(hello: Hello): void {
    const { randomness, serverName } = this.#deps;
    const serverNonce = Buffer.from(randomness.bytes(32)).toString('base64url');
    this.#phase = { name: 'awaiting-proof', hello, serverNonce };
    this.#send({ type: 'challenge', serverNonce, serverName });
  }

  async #prove(hello: Hello, serverNonce: string, proof: Proof): Promise<void> {
    const { serverName, settler } = this.#deps;
    this.#phase = { name: 'opening' };
    this.#cancelHandshake();
    this.#cancelHandshake = this.#within(HANDSHAKE_MS);
    if (!isProofValid(serverName, hello, serverNonce, proof)) return this.#refuse(hello, 'not-proven');
    if (this.#isOvertaken(hello)) return this.#close(CLOSE.tryLater, 'a later link is there');
    await settler.whileOpening(hello.productLogin, () => this.#open(hello, proof.enrolmentCode));
    if (this.isAuthenticated) await this.#checkKey(hello);
  }

  async #open(hello: Hello, enrolmentCode: string | undefined): Promise<void> {
    // It may have waited for the settler, and its device may have gone meanwhile.
    if (this.#phase.name !== 'opening') return;
    const { settler } = this.#deps;
    try {
      // I11: its turn may have come long after its proof.
      const opened = await openLink(this.#deps, hello, { enrolmentCode, atMs: this.#lastFrameAtEpochMs() });
      if (typeof opened === 'string') return this.#refuse(hello, opened);
      if (this.#isOvertaken(hello)) this.#close(CLOSE.tryLater, 'a later link is there');
      if (this.#phase.name === 'opening') this.#welcome(hello, opened);
      // The epoch it drew has made that of a link still held an old one (I12).
      else settler.doubt(hello.productLogin, this.#lastFrameAtEpochMs());
    } catch (err) {
      // It may have drawn an epoch all the same.
      settler.doubt(hello.productLogin, this.#lastFrameAtEpochMs());
      this.#cannotOpen(hello, err);
    }
  }

  /** I13: a revocation between the opening and the registry's entry would be seen by nobody else. */
  async #checkKey(hello: Hello): Promise<void> {
    try {
      const product = await this.#deps.store.findProduct(hello.productLogin);
      if (product?.devicePublicKey !== hello.publicKey) this.#close(CLOSE.revoked, 'revoked');
    } catch (err) {
      this.#cannotOpen(hello, err);
    }
  }

  #cannotOpen({ productLogin }: Hello, err: unknown): void {
    this.#deps.log.error({ productLogin, err }, 'link not opened');
    this.#close(CLOSE.tryLater, 'the server cannot take the link now');
  }

  /** A device has one connection at a time: it has given up this one, whose proof was late on its way (I12). */
  #isOvertaken({ productLogin }: Hello): boolean {
    const current = this.#deps.registry.current(productLogin);
    return current !== undefined && current.begunAtMs > this.#begunAtMs;
  }

  #welcome(hello: Hello, { held, unresolved }: OpenedLink): void {
    const { epoch } = held;
    const reports = new ReportSaver(this.#deps, hello.productLogin, epoch);
    const entry = this.#entryOf(hello, held, reports);
    const history = new HistorySaver(this.#deps, hello.productLogin, epoch, (kept) => this.#answerHistory(kept));
    this.#phase = { name: 'syncing', link: { hello, epoch, entry, reports, history, seq: 0 }, timeSent: false };
    if (!this.#deps.registry.attach(entry)) return this.#close(CLOSE.replaced, 'replaced');
    this.#send({ type: 'welcome', epoch, unresolved });
  }

  #entryOf(hello: Hello, stored: HeldLink, reports: ReportSaver): LinkEntry {
    const session = this;
    const { epoch } = stored;
    const { productLogin, bootId, publicKey } = hello;
    return {
      productLogin,
      epoch,
      bootId,
      publicKey,
      stored,
      begunAtMs: this.#begunAtMs,
      get isUp() {
        return session.#phase.name === 'up';
      },
      get lastFrameAtMs() {
        return session.#lastFrameAtMs;
      },
      sendCommand: (command: Omit<Command, 'type' | 'epoch'>) => {
        // What the server itself asks for is no flood: the answers to it come on top.
        session.#frames.giveBack(FRAMES_PER_COMMAND);
        return session.#send({ type: 'command', epoch, ...command });
      },
      saveReportAgain: () => reports.saveAgain(),
      replace: () => session.#close(CLOSE.replaced, 'replaced'),
      revoke: () => session.#close(CLOSE.revoked, 'revoked'),
      closeForRestart: () => session.closeForRestart(),
    };
  }

  #report(link: Link, report: Report): void {
    const { outputs, faults } = report;
    link.seq += 1;
    link.reports.save({ outputs, faults, observedAtMs: this.#deps.wallClock.epochMs(), seq: link.seq });
  }

  #result(link: Link, result: CommandConfirmation): void {
    link.seq += 1;
    const version = { epoch: link.epoch, seq: link.seq };
    this.#deps.events.confirmed(link.hello.productLogin, { ...result, version });
  }

  #answerHistory(kept: EventsKept): void {
    this.#frames.giveBack(1);
    this.#send(kept);
  }

  #resume(link: Link, resume: Resume): void {
    const { events, log } = this.#deps;
    const { productLogin, bootId } = link.hello;
    this.#cancelHandshake();
    events.resumed(productLogin, bootId, resume);
    this.#phase = { name: 'up', link };
    log.info({ productLogin, epoch: link.epoch, address: this.#address }, 'link up');
    events.linkUp(productLogin);
  }

  #refuse({ productLogin }: Hello, code: 'not-proven' | 'too-many-links'): void {
    this.#deps.refusals.note(code, this.#address, () => ({ productLogin }));
    if (code === 'not-proven') this.#close(CLOSE.refused, 'refused');
    else this.#close(CLOSE.tooOften, 'too many links');
  }

  #outOfTurn(message: DeviceMessage): void {
    this.#close(CLOSE.protocolError, `${message.type} out of turn`);
  }

  /** False when certainly no byte has left. A device that does not read is cut off (I15, T18). */
  #send(message: ServerMessage): boolean {
    if (this.#phase.name === 'ended' || !this.#socket.isOpen) return false;
    if (this.#socket.queuedBytes > LINK_MAX_QUEUED_BYTES) {
      this.#socket.terminate();
      this.#end();
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
    this.#socket.terminate();
    this.#end();
    return () => {};
  }

  #close(code: number, reason: string): void {
    if (this.#phase.name === 'ended') return;
    this.#socket.close(code, reason);
    this.#end();
  }

  /** I11: a device that fell silent was seen when it last spoke, not when that was noticed. */
  #lastFrameAtEpochMs(): number {
    const { clock, wallClock } = this.#deps;
    return Math.round(wallClock.epochMs() - (clock.nowMs() - this.#lastFrameAtMs));
  }

  #end(): void {
    const phase = this.#phase;
    if (phase.name === 'ended') return;
    const { registry, events, settler, log } = this.#deps;
    const link = phase.name === 'syncing' || phase.name === 'up' ? phase.link : undefined;
    // The registry asks isUp while it lets go of the link, so the phase changes after it.
    if (link) registry.detach(link.entry);
    this.#phase = { name: 'ended' };
    this.#cancelHandshake();
    this.#cancelSilence();
    if (!link) return;
    const { productLogin } = link.hello;
    link.reports.stop();
    link.history.stop();
    if (phase.name === 'up') events.linkLost(productLogin);
    log.info({ productLogin, epoch: link.epoch }, 'link down');
    settler.ended(productLogin, link.epoch, this.#lastFrameAtEpochMs());
  }
}
