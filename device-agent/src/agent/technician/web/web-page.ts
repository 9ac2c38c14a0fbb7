import {
  type Cancel,
  type Clock,
  type Randomness,
  RelaygateError,
  WEB_MAX_MS,
  WEB_MIN_MS,
  WEB_PORT,
} from '@relaygate/shared';
import { type DeviceSettings, inputCountOf } from '@relaygate/shared/device';
import { Mutex } from 'async-mutex';
import type { DataPaths } from '../../../files/data-paths';
import type { SealableFiles } from '../../../files/sealable-files';
import { type Cause, isSameCause } from '../../../runtime/cause';
import { type Fault, fault } from '../../../runtime/fault';
import type { Log } from '../../../runtime/log';
import { causeOf, problemOf } from '../../../runtime/problem';
import { refused } from '../../../runtime/refused';
import { inTurn, type RequestLife } from '../../commands/late-request';
import type { EventLog } from '../../history/event-log';
import { type Happened, happened } from '../../history/happened';
import type { History, TechnicianAction } from '../../history/history';
import type { Performer } from '../console/console-agent';
import type { WebOnReply, WebStatus } from '../local-messages/web';
import type { PinGate } from '../pin/pin-gate';
import { Button, type ButtonDeps } from './button';
import { CertificateFile } from './certificate-file';
import { drawPassphrase, HOTSPOT_ADDRESS, type Hotspot, ssidOf } from './hotspot';
import { Sessions } from './sessions';
import type { Certificate, Certificates, ListenHttps, Listening, OwnNetwork, ReadPage } from './web-exchange';
import { WebServer } from './web-server';

/** How long after a failure the end of the Wi-Fi is tried again. */
const END_AGAIN_MS = 60_000;

/** What the page needs of the machine. */
export interface WebAdapters {
  listen: ListenHttps;
  network: OwnNetwork;
  readPage: ReadPage;
  certificates: Certificates;
  hotspot: Hotspot;
}

export interface WebPageDeps extends WebAdapters {
  clock: Clock;
  randomness: Randomness;
  files: SealableFiles;
  paths: Pick<DataPaths, 'webCertificate' | 'hotspotMark'>;
  settings: Pick<DeviceSettings, 'board' | 'web' | 'link'>;
  pin: Pick<PinGate, 'check' | 'id'>;
  api: Performer;
  guard: ButtonDeps['guard'];
  log: Log;
  events: Pick<EventLog, 'add' | 'report'>;
  history: Pick<History, 'enterAction'>;
  /** Called when the page's faults have changed. */
  onChange(): void;
}

/** The page while it is on. */
interface Opened {
  listening: Listening;
  certificate: Certificate;
  untilMs: number;
  cancelTimer: Cancel;
}

/**
 * The technician's page: off, with no port open, until somebody switches it on, and off again by itself. Its server, its
 * sessions and the Wi-Fi that was begun with it end with it.
 */
export class WebPage {
  readonly #deps: WebPageDeps;
  readonly #certificate: CertificateFile;
  readonly #button: Button;
  readonly #ssid: string;
  #opened: Opened | null = null;
  /** The Wi-Fi may be up: from before its begin until its end has worked. */
  #hasHotspot = false;
  /** Why the Wi-Fi could not be ended; null: it was, or there is none. */
  #endProblem: Cause | null = null;
  #cancelEndAgain: Cancel = () => {};
  #isStopped = false;
  readonly #mutex = new Mutex();

  constructor(deps: WebPageDeps) {
    this.#deps = deps;
    const { files, paths, certificates, log, settings, clock, guard } = deps;
    const { productLogin } = settings.link;
    this.#certificate = new CertificateFile({
      ...{ files, clock, path: paths.webCertificate, certificates, log, commonName: productLogin },
      hosts: () => hostsOf(deps.network),
      report: (what) => deps.events.report('web', what),
    });
    this.#button = new Button({ clock, guard, web: this, settings: settings.web, log });
    this.#ssid = ssidOf(settings.web?.hotspotSsid, productLogin);
  }

  /** Begins with the page off, reads its button, and ends a Wi-Fi that a former agent has left. */
  start(): void {
    this.#button.start();
    this.#later(() => this.#endLeftHotspot());
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#button.stop();
    this.#cancelEndAgain();
    await this.#mutex.runExclusive(() => this.#close()).catch(() => {});
  }

  /** How long it stays on, in milliseconds; null: it is off. */
  get leftMs(): number | null {
    return this.#opened && Math.max(0, Math.round(this.#opened.untilMs - this.#deps.clock.nowMs()));
  }

  get faults(): Fault[] {
    return this.#endProblem === null ? [] : [fault('hotspot-stays', { why: this.#endProblem })];
  }

  /** The fingerprint that browsers see, or will see; null: there is none yet. */
  async fingerprint(): Promise<string | null> {
    if (this.#opened === null) return this.#certificate.fingerprint();
    return this.#deps.certificates.fingerprintOf(this.#opened.certificate);
  }

  async status(): Promise<WebStatus> {
    const { network, settings } = this.#deps;
    const port = settings.web?.port ?? WEB_PORT;
    const found = settings.web?.address === undefined ? network.addresses() : [settings.web.address];
    // If no address is known, people still need the port, and a name to try.
    const addresses = found.length > 0 ? found : [`${network.hostName()}.local`];
    return {
      isOn: this.#opened !== null,
      leftMs: this.leftMs,
      port,
      urls: this.#opened ? addresses.map((address) => urlOf(address, port)) : [],
      fingerprint: await this.fingerprint(),
      hotspotSsid: this.#hasHotspot ? this.#ssid : null,
    };
  }

  /**
   * Switches it on; if it is on already, its time begins anew. Within `life`, or not at all. If it rejects with
   * RelaygateError, nothing has changed.
   */
  async on(forMs: number, hotspot: boolean, actor: string, life?: RequestLife): Promise<WebOnReply> {
    if (!Number.isInteger(forMs) || forMs < WEB_MIN_MS || forMs > WEB_MAX_MS) {
      throw refused('out-of-range', 'page-time', { leastMs: WEB_MIN_MS, mostMs: WEB_MAX_MS, askedMs: forMs });
    }
    return this.#entered(async () => {
      const hotspotPassphrase = await this.#open(forMs, hotspot);
      const hasWifi = this.#hasHotspot;
      const what = happened('page-on', { forMs, hasWifi, actor });
      const entered = this.#enter({ actor, kind: hasWifi ? 'web-on-wifi' : 'web-on', forMs }, what);
      return { entered, value: { ...(await this.status()), hotspotPassphrase } };
    }, life);
  }

  /** Switches it off; resolves when no port is open any more, with whether one was. */
  async off(actor: string, life: RequestLife): Promise<boolean> {
    return this.#entered(async () => {
      const wasOn = await this.#close();
      if (!wasOn) return { entered: Promise.resolve(), value: false };
      return { entered: this.#enter({ actor, kind: 'web-off' }, happened('page-off', { actor })), value: true };
    }, life);
  }

  async #open(forMs: number, wantsHotspot: boolean): Promise<string | null> {
    if (this.#isStopped) throw refused('refused', 'agent-ending', {});
    if (this.#deps.pin.id === null) throw new RelaygateError('no-pin');
    const passphrase =
      wantsHotspot && (!this.#hasHotspot || this.#endProblem !== null) ? await this.#beginHotspot() : null;
    try {
      const shown = await (this.#opened ? this.#renewed(this.#opened) : this.#listen());
      this.#opened?.cancelTimer();
      const { clock } = this.#deps;
      const cancelTimer = clock.after(forMs, () => this.#later(() => this.#timeIsOver(opened)));
      const opened: Opened = { ...shown, untilMs: clock.nowMs() + forMs, cancelTimer };
      this.#opened = opened;
    } catch (error) {
      if (passphrase !== null) this.#endHotspotNext();
      throw error;
    }
    return passphrase;
  }

  /** Renews the certificate, because a page that is given more time again and again must show none that has ended. */
  async #renewed({ listening, certificate }: Opened): Promise<Pick<Opened, 'listening' | 'certificate'>> {
    const newest = await this.#certificate.open().catch((error: unknown) => {
      this.#deps.log.warn(`the page goes on with the certificate that it has: ${problemOf(error)}`);
      return certificate;
    });
    if (newest.certificate !== certificate.certificate) listening.present(newest);
    return { listening, certificate: newest };
  }

  async #listen(): Promise<Pick<Opened, 'listening' | 'certificate'>> {
    const { clock, randomness, pin, api, network, events, log, settings } = this.#deps;
    const certificate = await this.#certificate.open().catch((cause: unknown) => {
      throw refused('refused', 'certificate-unsaved', { problem: causeOf(cause) }, { cause });
    });
    const server = new WebServer({
      sessions: new Sessions({ clock, randomness, pinId: () => pin.id }),
      pin,
      api,
      page: await this.#deps.readPage(),
      hostName: network.hostName(),
      hasInputs: inputCountOf(settings.board) > 0,
      report: (what) => events.report('web', what),
      unexpected: (error) => log.warn(`a request of the page failed: ${problemOf(error)}`),
    });
    const { port = WEB_PORT, address = null } = settings.web ?? {};
    const listening = await this.#deps.listen({ ...certificate, port, address }, (request) => server.answer(request));
    return { listening, certificate };
  }

  async #timeIsOver(opened: Opened): Promise<void> {
    // The page was given more time, or ended, while this waited for its turn.
    if (this.#opened !== opened) return;
    await this.#close();
    this.#deps.events.report('web', happened('page-time-over', {}));
  }

  /** False: it was off. Never rejects. */
  async #close(): Promise<boolean> {
    const opened = this.#opened;
    this.#opened = null;
    opened?.cancelTimer();
    await opened?.listening.close();
    if (this.#hasHotspot) await this.#endHotspot();
    return opened !== null;
  }

  async #beginHotspot(): Promise<string> {
    const { files, hotspot, paths, randomness } = this.#deps;
    const passphrase = drawPassphrase(randomness);
    // Marked before it is up, so that the next agent knows of it whenever this one dies.
    await files.replace(paths.hotspotMark, '{}\n').catch((cause: unknown) => {
      throw refused('refused', 'wifi-unmarked', { path: paths.hotspotMark, problem: causeOf(cause) }, { cause });
    });
    this.#hasHotspot = true;
    try {
      await hotspot.begin(this.#ssid, passphrase);
    } catch (error) {
      this.#endHotspotNext();
      throw error;
    }
    this.#setEndProblem(null);
    return passphrase;
  }

  /** Does it in its turn; nobody waits for it. */
  #later(work: () => Promise<unknown>): void {
    this.#mutex.runExclusive(work).catch((error: unknown) => this.#deps.log.warn(`the page: ${problemOf(error)}`));
  }

  /** Ends it without delaying the answer. */
  #endHotspotNext(): void {
    this.#later(() => this.#endHotspot());
  }

  /** Never rejects: a Wi-Fi that could not be ended keeps its mark and is tried again, also by the agent's next start. */
  async #endHotspot(): Promise<void> {
    const { clock, files, hotspot, paths, log } = this.#deps;
    try {
      await hotspot.end();
      this.#hasHotspot = false;
      await files.remove(paths.hotspotMark);
      this.#setEndProblem(null);
    } catch (error) {
      log.warn(`the page's Wi-Fi could not be ended: ${problemOf(error)}`);
      this.#setEndProblem(causeOf(error));
      if (!this.#isStopped) this.#cancelEndAgain = clock.after(END_AGAIN_MS, () => this.#endHotspotAgain());
    }
  }

  #endHotspotAgain(): void {
    this.#later(async () => {
      // The Wi-Fi was begun anew, or ended, while this waited for its turn.
      if (this.#endProblem !== null && !this.#isStopped) await this.#endHotspot();
    });
  }

  #setEndProblem(problem: Cause | null): void {
    this.#cancelEndAgain();
    if (isSameCause(problem, this.#endProblem)) return;
    this.#endProblem = problem;
    this.#deps.onChange();
  }

  async #endLeftHotspot(): Promise<void> {
    const { files, paths } = this.#deps;
    if ((await files.read(paths.hotspotMark)) === null) return;
    this.#hasHotspot = true;
    await this.#endHotspot();
  }

  /** Resolves once it is durable. */
  async #enter(action: Omit<TechnicianAction, 'outcome'>, what: Happened): Promise<void> {
    this.#deps.events.report('web', what);
    await this.#deps.history.enterAction({ ...action, outcome: 'executed' });
  }

  /** An action is confirmed after its entry is durable; a slow disk delays that answer, and not the next action. */
  async #entered<T>(work: () => Promise<{ entered: Promise<void>; value: T }>, life?: RequestLife): Promise<T> {
    const { entered, value } = await inTurn(this.#mutex, this.#deps.clock, work, life);
    await entered;
    return value;
  }
}

/** The names and addresses of the page, for its certificate. */
function hostsOf({ hostName, addresses }: OwnNetwork): string[] {
  return [...new Set([`${hostName()}.local`, hostName(), ...addresses(), HOTSPOT_ADDRESS])];
}

function urlOf(address: string, port: number): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}/`;
}
