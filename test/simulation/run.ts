import { hashEnrolmentCode, newEnrolmentCode } from '@relaygate/server/devices/enrolment-code';
import { hashProductKey, newProductKey } from '@relaygate/server/products/product-key';
import { SeededChance } from '../support/chance/seeded-chance';
import { check } from './checker/check';
import type { Violation } from './checker/violation';
import type { Device } from './machines/device';
import type { DeviceSetup } from './machines/device-setup';
import { World } from './machines/world';
import { Client, type ProductKeys } from './people/client';
import { visitConsole } from './people/console-user';
import { Faults, isTwin } from './people/faults';
import { playLastCommands } from './people/last-commands';
import { CONSOLE, type LocalRequest, type Visit, type Watching } from './people/local-request';
import { moveInput } from './people/move-input';
import { Operations } from './people/operations';
import { Resets } from './people/resets';
import { askOnSite } from './people/technician';
import { visitPage } from './people/visitor';
import { proveOnSite } from './people/watcher';
import { machineOf, type Plan, twinOf } from './plan/plan';
import { ServerDisk } from './ports/database/server-disk';
import type { Sabotage } from './sabotage/sabotage';
import { Endless } from './scheduler';

export interface RunOptions {
  sabotage?: Sabotage;
  trace?: (line: string) => void;
}

/** From the last step on, some of which come after the healing: what breaks then mends, what is told late is written. */
const LAST_NEWS_MS = 7_000;
/** Whoever asked is through by then: a proof is a click of each relay, each with a wait for whatever hangs. */
const LAST_WORK_MS = 60_000;
/** The last pulses end, and what is half open is noticed, where there is any of it. */
const LAST_WAIT_MS = 10_000;
const LAST_READ_MS = 1_000;
/** A device tells its server what it has written of its history, which does not wait for the last command. */
const REPORTED_WITHIN_MS = 500;
/** Client of the last commands, which no planned step touches. */
const LAST_CLIENT = 'client-last';

/** Plays a plan to its end and says what it has broken; nothing when every invariant held. */
export async function runPlan(plan: Plan, options: RunOptions = {}): Promise<Violation[]> {
  const disk = new ServerDisk(new SeededChance(plan.seed).fork('server disk'));
  const run = new Run(plan, disk, options);
  const unhandled = (error: unknown): void => run.unhandled(error);
  const undo = options.sabotage?.inside?.();
  process.on('unhandledRejection', unhandled);
  try {
    return await run.violations();
  } catch (error) {
    return [run.failure(error)];
  } finally {
    process.off('unhandledRejection', unhandled);
    undo?.();
    run.close();
  }
}

class Run {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #faults: Faults;
  readonly #products: (ProductKeys & { enrolmentCode: string })[];
  readonly #clients: Client[];
  readonly #lastClient: Client;
  readonly #operations: Operations;
  readonly #resets: Resets;
  /** Applications, and people at a device, who have not been told yet what became of what they asked for. */
  #atWork = 0;
  /** When the last of them was. */
  #workedMs = 0;

  constructor(plan: Plan, disk: ServerDisk, { sabotage = {}, trace }: RunOptions) {
    this.#plan = plan;
    const chance = new SeededChance(plan.seed).fork('keys');
    this.#products = plan.products.map((_product, n) => ({
      productLogin: machineOf(n),
      productKey: newProductKey(chance),
      enrolmentCode: newEnrolmentCode(chance),
    }));
    const devices = plan.products.flatMap(
      ({ outputs, inputs = [], requireProof, hasConsole, isReset, reads }, n): DeviceSetup[] => {
        const { productLogin = '', enrolmentCode = '' } = this.#products[n] ?? {};
        const setup = { productLogin, enrolmentCode, outputs, inputs, requireProof, hasConsole, isReset, reads };
        return [
          { ...setup, name: machineOf(n), isTwin: false },
          { ...setup, name: twinOf(n), isTwin: true },
        ];
      },
    );
    this.#world = new World({ seed: plan.seed, disk, devices, sabotage, trace: trace ?? null });
    this.#faults = new Faults(this.#world);
    this.#operations = new Operations(this.#world);
    this.#resets = new Resets(this.#world, (device, newCodeAfterMs) =>
      this.#operations.perform({ kind: 'revoke-device', product: this.#productOf(device), newCodeAfterMs }),
    );
    const names = Array.from({ length: plan.clients }, (_none, n) => `client-${n}`);
    this.#clients = names.map((name) => new Client(this.#world, name, this.#products, true));
    this.#lastClient = new Client(this.#world, LAST_CLIENT, this.#products, false);
  }

  /** The server's and the operator's connections, and what they were open on. */
  close(): void {
    this.#world.server.process.powerOff();
    this.#world.store.close();
  }

  /** A promise that nobody looks after would have ended the real process. */
  unhandled(error: unknown): void {
    this.#world.uncaught('a process', error);
  }

  /** What the run itself broke on: a seed that does not end, or a fault of the simulation. */
  failure(error: unknown): Violation {
    const atMs = this.#world.scheduler.nowMs;
    if (error instanceof Endless) return { invariant: 'liveness', sentence: error.message, atMs };
    return {
      invariant: 'uncaught',
      sentence: error instanceof Error ? (error.stack ?? error.message) : String(error),
      atMs,
    };
  }

  async violations(): Promise<Violation[]> {
    const { scheduler, server, devices } = this.#world;
    await this.#provision();
    server.process.up(0);
    for (const device of devices.filter((one) => !isTwin(one))) {
      device.powerOn();
      this.#resets.watch(device, (work) => this.#await('technician', work));
    }
    this.#schedule();
    await scheduler.runUntil(this.#plan.untilMs);
    this.#faults.heal();
    const isLively = await this.#lastCommands();
    const lastStepMs = this.#plan.steps.at(-1)?.atMs ?? 0;
    await scheduler.runUntil(Math.max(scheduler.nowMs, lastStepMs) + LAST_NEWS_MS);
    if (this.#atWork > 0) await scheduler.runUntil(scheduler.nowMs + LAST_WORK_MS, () => this.#atWork === 0);
    await scheduler.runUntil(Math.max(scheduler.nowMs, this.#workedMs + LAST_NEWS_MS));
    await scheduler.runUntil(scheduler.nowMs + LAST_WAIT_MS, () => this.#isStill());
    for (const [product] of this.#plan.products.entries()) {
      this.#lastClient.perform({ kind: 'state', product, numOutput: 0 }).catch(() => {});
    }
    await scheduler.runUntil(scheduler.nowMs + LAST_READ_MS);
    await scheduler.runUntil(scheduler.nowMs + LAST_NEWS_MS, () => this.#isHistoryReported());
    return check(this.#world, isLively);
  }

  /** No relay may still go off by itself, and no link may still have to be noticed as half open. */
  #isStill(): boolean {
    const { server, devices } = this.#world;
    const linked = devices.filter(({ hasPower }) => hasPower).length;
    return server.sessions <= linked && devices.every(({ board }) => !board.isAnyActive);
  }

  /** What a disk had refused may be written a minute later, right before the end. */
  #isHistoryReported(): boolean {
    const { scheduler, devices } = this.#world;
    return devices.every(({ historyWrittenMs }) => scheduler.nowMs - historyWrittenMs >= REPORTED_WITHIN_MS);
  }

  #lastCommands(): Promise<boolean> {
    return playLastCommands({
      world: this.#world,
      products: this.#plan.products,
      client: this.#lastClient,
      operations: this.#operations,
      resets: this.#resets,
      prove: (product) => this.#prove(product, 'seen'),
    });
  }

  async #provision(): Promise<void> {
    const { store, server } = this.#world;
    const direct = store.direct;
    for (const client of [...this.#clients, this.#lastClient]) await client.create();
    for (const [productId, { productLogin, productKey, enrolmentCode }] of this.#products.entries()) {
      const hashes = { keyHash: hashProductKey(productKey), enrolmentHash: hashEnrolmentCode(enrolmentCode) };
      const createdAtMs = server.epochMs();
      const names = { productId, productLogin };
      await direct.createProduct({ ...names, ...hashes, outputCount: 4, activated: true, createdAtMs });
      await direct.associate('client-0', productLogin, createdAtMs);
      await direct.associate(LAST_CLIENT, productLogin, createdAtMs);
    }
  }

  #schedule(): void {
    for (const step of this.#plan.steps) {
      this.#world.scheduler.at(step.atMs, () => {
        switch (step.do) {
          case 'call':
            return this.#await('client', this.#clients[step.client]?.perform(step.call));
          case 'operate':
            this.#operations.perform(step.operation).catch((error) => this.#world.uncaught('operator', error));
            return;
          case 'technician':
            return this.#await('technician', this.#technician(step.product, step.request));
          case 'prove':
            return this.#await('technician', this.#prove(step.product, step.watching));
          case 'visit':
            this.#visit(step.product, step.visit).catch((error) => this.#world.uncaught('visitor', error));
            return;
          case 'fault':
            return this.#faults.play(step.fault);
          case 'input':
            return moveInput(this.#world, this.#deviceOf(step.product), step);
          default:
            step satisfies never;
        }
      });
    }
  }

  #await(who: string, work: Promise<unknown> | undefined): void {
    this.#atWork += 1;
    Promise.resolve(work)
      .catch((error) => this.#world.uncaught(who, error))
      .finally(() => {
        this.#atWork -= 1;
        this.#workedMs = this.#world.scheduler.nowMs;
      });
  }

  /** Resolves with what the technician hears; null: nothing. */
  async #technician(product: number, request: LocalRequest): Promise<string | null> {
    const device = this.#deviceOf(product);
    if (!device) return null;
    const { setup, clock, localWay, socket } = device;
    const ask = (): Promise<string | null> =>
      askOnSite(this.#world, { name: setup.name, clock, localWay, socket }, request);
    return request.type === 'factory-reset' ? this.#resets.make(device, ask) : ask();
  }

  async #visit(product: number, visit: Visit): Promise<void> {
    const device = this.#deviceOf(product);
    if (device) await (visit.host === CONSOLE ? visitConsole : visitPage)(this.#world, device, visit);
  }

  async #prove(product: number, watching: Watching): Promise<string | null> {
    const device = this.#deviceOf(product);
    if (!device) return null;
    return proveOnSite(this.#world, device, watching, (request) => this.#technician(product, request));
  }

  #productOf({ setup: { productLogin } }: Device): number {
    return this.#products.findIndex((product) => product.productLogin === productLogin);
  }

  #deviceOf(product: number): Device | undefined {
    return this.#world.device(machineOf(product));
  }
}
