import type { ProductState } from '@relaygate/shared';
import type { LinkSettings } from '@relaygate/shared/device';
import { writeDeviceSettings, writeEnrolmentCode } from '../device/device';
import type { LinkRelay } from '../processes/link-relay';
import type { Program } from '../processes/program';
import { type Answer, call, v1 } from '../server/api-client';
import { commandsIn, lastCommandIn } from '../server/command-log';
import type { Lateness } from '../time/lateness';
import { eventually, pause } from '../time/waiting';
import { type Call, callOf, type Wish } from './call';
import { DevicePrograms, type ProgramOptions } from './device-programs';
import { type Judged, judged } from './judgement';
import { QUIETLY } from './priorities';

/** A device that has failed to link a few times waits up to half a minute before the next try. */
const RESOLVED_WITHIN_MS = 60_000;
/** No outcome yet, but one may still come. */
const OPEN = ['pending', 'unknown'];
/** Of the demo's outputs; the two after it are impulse outputs. */
export const PULSED = 2;

export interface Provisioned {
  productLogin: string;
  productKey: string;
  enrolmentCode: string;
}

/** The server that a pair's device links to, as its applications see it. */
interface Surroundings {
  readonly url: string;
  readonly token: string;
  stayLoggedIn(): Promise<void>;
  readonly databaseFile: string;
  /** How often the server was killed. */
  readonly kills: number;
  readonly listeningSinceMs: number;
  readonly lateness: Lateness;
  /** Its process. */
  readonly server: Program;
}

export interface PairOptions extends ProgramOptions {
  readonly link: Pick<LinkSettings, 'serverUrl' | 'serverCaFile'>;
  /** Between agent and server; none where they talk over a network of their own. */
  readonly relay?: LinkRelay;
}

/** A device as processes, with the product that it speaks for and the calls that applications make to it. */
export class Pair extends DevicePrograms {
  readonly productLogin: string;
  readonly #site: Surroundings;
  readonly #options: PairOptions;
  /** Of this repetition. */
  #calls: Call[] = [];
  #commandsBefore = 0;
  #killsBefore = 0;

  constructor(site: Surroundings, product: Pick<Provisioned, 'productLogin'>, options: PairOptions) {
    super(options);
    this.#site = site;
    this.#options = options;
    this.productLogin = product.productLogin;
  }

  /** Enrols and links. */
  static async start(site: Surroundings, product: Provisioned, options: PairOptions): Promise<Pair> {
    const pair = new Pair(site, product, options);
    const { dataDir } = pair.folders;
    const link = { ...options.link, serverName: 'relaygate', productLogin: product.productLogin };
    writeDeviceSettings(dataDir, { link });
    writeEnrolmentCode(dataDir, product.enrolmentCode);
    await pair.startGuard(QUIETLY);
    await pair.startAgent(QUIETLY);
    return pair;
  }

  /** A card that was copied: another board, guard and agent with this one's key. Not started. */
  copied(): Pair {
    const copy = new Pair(this.#site, this, this.#options);
    copy.copyCardOf(this);
    return copy;
  }

  get relay(): LinkRelay {
    if (!this.#options.relay) throw new Error('no relay between');
    return this.#options.relay;
  }

  set(numOutput: number, state: 0 | 1): Promise<Call> {
    const { url, token } = this.#site;
    return this.#call(numOutput, `set ${state}`, () => v1(url).set(this.productLogin, numOutput, state, { token }));
  }

  /** `key`: its `Idempotency-Key`. */
  toggle(numOutput: number, key?: string): Promise<Call> {
    const { url, token } = this.#site;
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return this.#call(numOutput, 'toggle', () => v1(url).toggle(this.productLogin, numOutput, { token, headers }));
  }

  /** Again and again, each time that the one before was answered and `everyMs` have passed, until `isOver`. */
  async toggleUntil(isOver: () => boolean, numOutput: number, everyMs: number): Promise<Call[]> {
    const calls: Call[] = [];
    while (!isOver()) {
      calls.push(await this.toggle(numOutput));
      await pause(everyMs);
    }
    return calls;
  }

  /** As the API tells it. */
  async state(): Promise<ProductState> {
    const { json } = await v1(this.#site.url).state(this.productLogin, { token: this.#site.token });
    return json as ProductState;
  }

  /** What `GET /commands/{id}` says became of it. */
  async outcomeOf({ commandId }: Pick<Call, 'commandId'>): Promise<string> {
    const { url, token } = this.#site;
    const { json } = await call('GET', `${url}/api/v1/commands/${commandId}`, undefined, { token });
    return (json as { outcome: string }).outcome;
  }

  async isConnected(): Promise<boolean> {
    const state = this.#site.stayLoggedIn().then(() => this.state());
    return (await state.catch(() => undefined))?.connected === true;
  }

  untilConnected(connected = true): Promise<void> {
    return eventually(async () => (await this.isConnected()) === connected, RESOLVED_WITHIN_MS);
  }

  /** All of this product's commands in this repetition, as the database holds them. */
  commands(): ReturnType<typeof commandsIn> {
    const { productLogin } = this;
    return commandsIn(this.#site.databaseFile, { after: this.#commandsBefore, productLogin });
  }

  /** The link up and whole, on-off outputs off, pulses over, nothing yet on record: where each repetition begins. */
  async settle(): Promise<void> {
    this.#options.relay?.heal();
    this.wake();
    await this.untilConnected();
    for (const numOutput of [0, 1]) await eventually(async () => (await this.set(numOutput, 0)).status === 200);
    await this.#untilAtRest();
    this.begin();
  }

  /** From here on counts. */
  begin(): void {
    this.mark();
    this.#calls = [];
    this.#commandsBefore = lastCommandIn(this.#site.databaseFile);
    this.#killsBefore = this.#site.kills;
  }

  /** Waits until the device has told what became of each command, and its pulses are over. */
  async untilResolved(): Promise<void> {
    await eventually(() => this.commands().every(({ outcome }) => !OPEN.includes(outcome)), RESOLVED_WITHIN_MS);
    await eventually(() => [...this.levels()].every(([output, level]) => output < PULSED || level === 0));
  }

  /** This repetition by the invariants, together with what copies of this device's card did. */
  judged(copies: readonly Pair[] = []): Judged {
    const all = [this, ...copies];
    return judged({
      boards: all.map((pair) => pair.edges()),
      calls: this.#calls.toSorted((one, other) => one.sentMs - other.sentMs),
      commands: this.commands(),
      guardDowntimes: this.downtimes,
      serverDied: this.#site.kills > this.#killsBefore,
      listeningSinceMs: this.#site.listeningSinceMs,
      lateness: this.#site.lateness,
      guards: all.flatMap(({ guards }) => guards),
      answering: [this.#site.server.pid],
    });
  }

  async #call(numOutput: number, wish: Wish, ask: () => Promise<Answer>): Promise<Call> {
    const calls = this.#calls;
    const done = await callOf(numOutput, wish, ask);
    calls.push(done);
    return done;
  }

  async #untilAtRest(): Promise<void> {
    await eventually(() => [...this.levels().values()].every((level) => level === 0));
  }
}
