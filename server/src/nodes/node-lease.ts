import { type Cancel, type Clock, pause, type Randomness, RelaygateError, type WallClock } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { NodeMembership } from './membership';
import type { NodeStore } from './node-store';

/** How long after its last renewal a node's products may be taken over. */
export const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 4_000;
/** Between two looks for dead nodes, and between two tries of a renewal that failed. */
const LOOK_EVERY_MS = 1_000;
/** For the clocks' rates, and for the way of a command to its link's socket. */
const MARGIN_MS = 500;

export interface NodeLeaseDeps {
  store: Pick<NodeStore, 'joinNodes' | 'renewLease' | 'leaveNodes' | 'hasDeadNodes' | 'endDeadNodes'>;
  nodeName: string;
  /** Of this node, as `secretsMark` has it. */
  secrets: string;
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
  log: Log;
  /** The lease is lost: every link of this node must end. */
  onLost(): void;
}

/**
 * Keeps this node's lease. The node judges itself by its own monotonic time since it *sent* the last renewal, so a renewal whose
 * answer comes late gives no time that has passed already; the database's clock judges the others. A node that has lost its lease
 * closes its links and joins as a new instance.
 */
export class NodeLease implements NodeMembership {
  readonly #deps: NodeLeaseDeps;
  #instance = '';
  #safeUntilMs = Number.NEGATIVE_INFINITY;
  #renewAtMs = 0;
  #isHeld = false;
  #isFailing = false;
  #isEndingDead = false;
  #isEndFailing = false;
  #isStopped = false;
  #isOver = false;
  #cancelLook: Cancel = () => {};
  #cancelEnd: Cancel = () => {};

  constructor(deps: NodeLeaseDeps) {
    this.#deps = deps;
  }

  get instance(): string {
    return this.#instance;
  }

  get safeUntilMs(): number {
    return this.#safeUntilMs;
  }

  /**
   * Waits until a lease of this name is over: a server that was killed and is started again finds its own one. Fails with
   * `already-running` if another node keeps that lease alive, with `secrets-unusable` while a node of other secrets has a lease, or as
   * the database does.
   */
  async begin(): Promise<void> {
    await this.#joinWhenFree();
    this.#lookLater();
  }

  /** Gives the lease back, if there is one. Does not reject: without an answer it ends by itself. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook();
    this.#cancelEnd();
    const { store, wallClock, log } = this.#deps;
    if (this.#instance === '') return;
    await store
      .leaveNodes(this.#instance, wallClock.epochMs())
      .catch((err) => log.warn({ err }, 'lease not given back'));
  }

  /** What the database knows of this node may be missing or too old: all links end, and it joins as another instance. */
  renounce(): void {
    this.#isOver = true;
    this.#lose();
  }

  async #joinWhenFree(): Promise<void> {
    const { nodeName, clock, log } = this.#deps;
    const giveUpMs = clock.nowMs() + LEASE_MS + LOOK_EVERY_MS;
    for (let hasSaidSo = false; ; hasSaidSo = true) {
      try {
        return await this.#join();
      } catch (error) {
        const isTaken = error instanceof RelaygateError && error.code === 'already-running';
        if (!isTaken || clock.nowMs() >= giveUpMs) throw error;
      }
      if (!hasSaidSo)
        log.info({ nodeName }, `waiting for the end of a lease of this node name, at most ${LEASE_MS / 1_000} s`);
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  async #join(): Promise<void> {
    const { store, nodeName: name, secrets, clock, wallClock, randomness } = this.#deps;
    const instance = Buffer.from(randomness.bytes(16)).toString('hex');
    const sentMs = clock.nowMs();
    const joined = await store.joinNodes({ name, instance, secrets }, LEASE_MS, wallClock.epochMs());
    if (joined === 'other-secrets') {
      const text =
        'The nodes that use the database have other secrets: copy secrets.json and audit.key from the data folder of one of them, then start again.';
      throw new RelaygateError('secrets-unusable', text);
    }
    if (joined === 'name-taken') {
      const text = `Another server with the node name ${name} uses the database. Give each server its own RELAYGATE_NODE_NAME.`;
      throw new RelaygateError('already-running', text);
    }
    this.#instance = instance;
    this.#hold(sentMs);
  }

  #lookLater(): void {
    if (this.#isStopped) return;
    this.#cancelLook = this.#deps.clock.after(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#deps;
    // Not awaited: what dead nodes have left may be much, and the renewal must not wait for it.
    void this.#endDead();
    try {
      if (clock.nowMs() >= this.#renewAtMs) await this.#renew();
      this.#isFailing = false;
    } catch (err) {
      if (!this.#isFailing) log.error({ err }, 'lease not renewed, tried again');
      this.#isFailing = true;
    }
    this.#lookLater();
  }

  async #endDead(): Promise<void> {
    if (this.#isEndingDead) return;
    const { store, wallClock, log } = this.#deps;
    this.#isEndingDead = true;
    try {
      if (await store.hasDeadNodes()) await store.endDeadNodes(wallClock.epochMs());
      this.#isEndFailing = false;
    } catch (err) {
      if (!this.#isEndFailing && !this.#isStopped)
        log.warn({ err }, 'what dead nodes have left not ended, tried again');
      this.#isEndFailing = true;
    }
    this.#isEndingDead = false;
  }

  async #renew(): Promise<void> {
    const { store, clock, wallClock } = this.#deps;
    const sentMs = clock.nowMs();
    if (!this.#isOver && (await store.renewLease(this.#instance, LEASE_MS)) && !this.#isOver) return this.#hold(sentMs);
    this.#lose();
    if (this.#isStopped) return;
    if (this.#isOver) await store.leaveNodes(this.#instance, wallClock.epochMs());
    this.#isOver = false;
    await this.#join();
  }

  #hold(sentMs: number): void {
    if (this.#isStopped) return;
    const { clock } = this.#deps;
    const leftMs = sentMs + LEASE_MS - MARGIN_MS - clock.nowMs();
    if (leftMs <= 0) return this.#lose();
    this.#cancelEnd();
    this.#isHeld = true;
    this.#safeUntilMs = clock.nowMs() + leftMs;
    this.#renewAtMs = sentMs + RENEW_EVERY_MS;
    this.#cancelEnd = clock.after(leftMs, () => this.#lose());
  }

  #lose(): void {
    this.#cancelEnd();
    this.#renewAtMs = 0;
    this.#safeUntilMs = Math.min(this.#safeUntilMs, this.#deps.clock.nowMs());
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#deps.log.error({ nodeName: this.#deps.nodeName }, 'lease lost: all links are closed');
    this.#deps.onLost();
  }
}
