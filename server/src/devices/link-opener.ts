import { CLOSE, type Clock, epochMsAt, type Hello, type Proof, type WallClock } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { RefusalLog } from '../log/refusal-log';
import { admitDevice, isProofValid, type LinkOpeningDeps, type OpeningRefusal, openLink } from './link-opening';
import type { LinkRegistry } from './link-registry';
import type { LinkSettler } from './link-settler';
import type { LinkEvent, LinkState } from './link-state';

export interface LinkOpenerDeps extends LinkOpeningDeps {
  serverName: string;
  registry: LinkRegistry;
  settler: LinkSettler;
  clock: Clock;
  wallClock: WallClock;
  /** Logs links that are refused. */
  refusals: RefusalLog;
  log: Log;
}

/** The link, as its opening sees it. */
export interface LinkToOpen {
  /** Of the device, for the log. */
  readonly address: string;
  /** When its connection began, on the server's monotonic clock. */
  readonly begunAtMs: number;
  readonly phase: LinkState['phase'];
  /** The device has proven which product it is. */
  readonly isAuthenticated: boolean;
  /** I11: the opening may come long after the last frame. */
  readonly lastFrameAtMs: number;
  apply(event: LinkEvent): void;
}

/** Checks a device's proof and opens its link in the database. Meanwhile other links of the same product may open or end. */
export class LinkOpener {
  readonly #deps: LinkOpenerDeps;
  readonly #link: LinkToOpen;

  constructor(deps: LinkOpenerDeps, link: LinkToOpen) {
    this.#deps = deps;
    this.#link = link;
  }

  /** The link gets `opened`, `refused` or `close`, unless it has ended meanwhile. */
  async open(hello: Hello, serverNonce: string, proof: Proof): Promise<void> {
    const { serverName, settler } = this.#deps;
    if (!isProofValid(serverName, hello, serverNonce, proof)) return this.#refuse(hello, 'not-proven');
    if (this.#isOvertaken(hello)) return this.#closeAsOvertaken();
    await settler.whileOpening(hello.productLogin, async () => {
      // The device may have gone while this waited for the settler.
      if (this.#link.phase === 'opening') await this.#openInDatabase(hello, proof.enrolmentCode);
    });
    if (this.#link.isAuthenticated) await this.#checkAgain(hello);
  }

  async #openInDatabase(hello: Hello, enrolmentCode: string | undefined): Promise<void> {
    const { settler, node, clock } = this.#deps;
    const { instance } = node;
    const atMs = epochMsAt(this.#link.lastFrameAtMs, this.#deps);
    try {
      const refusal = await admitDevice(this.#deps, hello, { enrolmentCode, atMs });
      if (refusal) return this.#refuse(hello, refusal);
    } catch (err) {
      return this.#cannotOpen(hello, err);
    }
    try {
      const opened = await openLink(this.#deps, hello, atMs);
      if (typeof opened === 'string') return this.#refuse(hello, opened);
      if (this.#isOvertaken(hello)) this.#closeAsOvertaken();
      // Its lease was lost meanwhile, so another node may have the product already.
      if (node.instance !== instance || clock.nowMs() >= node.safeUntilMs) this.#closeWithoutLease();
      if (this.#link.phase === 'opening') this.#link.apply({ kind: 'opened', opened });
      // I12: the epoch that it drew has made the epoch of a link that is still held an old one.
      else settler.doubt(hello.productLogin, this.#link.lastFrameAtMs);
    } catch (err) {
      // It may have drawn an epoch nevertheless.
      settler.doubt(hello.productLogin, this.#link.lastFrameAtMs);
      this.#cannotOpen(hello, err);
    }
  }

  /** Nobody else would see a revocation (I13), or a newer link at another node (I12), between the opening and the registry's entry. */
  async #checkAgain(hello: Hello): Promise<void> {
    const { store, registry, node } = this.#deps;
    const { productLogin, publicKey } = hello;
    try {
      // Read before the key: a revocation makes the epoch an old one too, and is not to look like a newer link.
      const owner = node.instance === undefined ? undefined : await store.productOwner(productLogin, node.instance);
      const product = await store.findProduct(productLogin);
      if (product?.devicePublicKey !== publicKey) return this.#close(CLOSE.revoked, 'revoked');
      const link = registry.current(productLogin);
      if (owner && link && link.held.epoch < owner.epoch) link.replace();
    } catch (err) {
      this.#cannotOpen(hello, err);
    }
  }

  #refuse({ productLogin }: Hello, code: OpeningRefusal): void {
    this.#deps.refusals.note(code, this.#link.address, () => ({ productLogin }));
    this.#link.apply({ kind: 'refused', code });
  }

  #cannotOpen({ productLogin }: Hello, err: unknown): void {
    this.#deps.log.error({ productLogin, err }, 'link not opened');
    this.#close(CLOSE.tryLater, 'the server cannot take the link now');
  }

  /** I12: a device has one connection at a time. If a later one is there, the proof of this one was delayed on its way. */
  #isOvertaken({ productLogin }: Hello): boolean {
    const current = this.#deps.registry.current(productLogin);
    return current !== undefined && current.begunAtMs > this.#link.begunAtMs;
  }

  #closeAsOvertaken(): void {
    this.#close(CLOSE.tryLater, 'a later link is there');
  }

  #closeWithoutLease(): void {
    this.#close(CLOSE.tryLater, 'the server has lost its lease');
  }

  #close(code: number, reason: string): void {
    this.#link.apply({ kind: 'close', code, reason });
  }
}
