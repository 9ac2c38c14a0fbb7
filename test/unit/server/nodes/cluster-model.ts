/**
 * Three nodes on one database and one broker, with two devices and their clients, under one virtual time. The world knows in true
 * time when a command was accepted, sent, executed and answered, and judges by that alone.
 */
import { strict as assert } from 'node:assert';
import type { CommandRecord } from '@relaygate/server/commands/command-store';
import type { CommandAnswer } from '@relaygate/server/commands/order';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { type Storage, WRITES } from '@relaygate/server/storage/storage';
import { type Command, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { client, product } from '../../../contract/storage/samples';
import { SeededChance } from '../../../support/chance/seeded-chance';
import { MemoryBroker } from '../../../support/server/memory-broker';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';
import { ClusterDevice, type DeviceWorld } from './cluster-device';
import type { ClusterGame, ClusterMove, Gate, Which } from './cluster-moves';
import { ClusterNode, type Life, type NodeWorld } from './cluster-node';
import { type Sabotage, SECRETS } from './cluster-sabotage';

const ROUTE_MS = RESPONSE_DEADLINE_MS + 100;
/** Until an authorisation that was read just before a revocation has led to the command's last byte (I13). */
const REVOKED_MS = 1_000;
const MAX_CALLS = 20;
/** Nobody ever calls as this client; it may. */
const QUIET = 'app-quiet';
/** When leases, links and slots of the worst game are over. */
const CALM_MS = 25_000;
/** How long a command takes at most when all is well: it may look for its owner again once. */
const CALM_COMMAND_MS = 2_000;
const SWEPT_MS = 65_000;
/** How far the clock of a standby is from that of the server before it. */
const SERVER_CLOCKS_MS = 3_000;

interface Call {
  gate: ClusterDevice;
  node: ClusterNode;
  life: Life;
  askedMs: number;
  /** The node knows that it may. */
  acceptedMs?: number;
  revokedMs?: number;
  sentMs?: number;
  commandId?: string;
  /** When its node recorded it, another one had the product. */
  isRecordedLate: boolean;
  executions: number;
  /** A node has heard what became of it. */
  isTold: boolean;
  answeredMs?: number;
  answer?: CommandAnswer;
}

export class ClusterWorld implements NodeWorld, DeviceWorld {
  readonly time = new VirtualClock();
  readonly chance: SeededChance;
  readonly secrets = SECRETS;
  readonly broker = new MemoryBroker();
  readonly sabotage: Sabotage;
  readonly nodes: ClusterNode[] = [];
  readonly gates: ClusterDevice[] = [];
  readonly #calls = new Map<string, Call>();
  readonly #database: Storage;
  /** By product, the node that opened its last link. */
  readonly #owners = new Map<string, ClusterNode>();
  #databaseAheadMs = 0;
  /** The clock of the server that is the database now. */
  #serverAheadMs = 0;
  /** What waits for the standby. Undefined: it is there. */
  #uncommitted: (() => void)[] | undefined;
  /** The database performs one call after the other. */
  #performed: Promise<unknown> = Promise.resolve();
  #overheard: { subject: string; data: Uint8Array; reply: string } | undefined;
  /** What a judgement in the middle of a node's work has found. */
  #violation: Error | undefined;

  private constructor(seed: number, database: Storage, sabotage: Sabotage) {
    this.chance = new SeededChance(seed);
    this.#database = database;
    this.sabotage = sabotage;
  }

  /** Plays a game to its end; rejects with what it has broken. */
  static async play({ seed, moves }: ClusterGame, sabotage: Sabotage = {}): Promise<void> {
    const realNow = Date.now;
    const database = await openSqliteStorage({ file: ':memory:', writerName: 'database', inline: true, image: EMPTY });
    const world = new ClusterWorld(seed, database, sabotage);
    // It is what the SQLite database has for the time.
    Date.now = () => world.time.epochMs() + world.#serverAheadMs + world.#databaseAheadMs;
    try {
      await world.#begin();
      for (const move of moves) {
        await world.#make(move);
        await settled();
        world.#check();
      }
      await world.#end();
    } finally {
      Date.now = realNow;
      for (const { life } of world.nodes) life.kill();
      await database.close();
    }
  }

  async perform(node: ClusterNode, name: string, args: unknown[]): Promise<unknown> {
    const { sabotage } = this;
    const run = async (): Promise<unknown> => {
      this.#databaseAheadMs = sabotage.databaseAheadMs?.(node) ?? 0;
      const method: unknown = Reflect.get(this.#database, name);
      if (typeof method !== 'function') throw new Error(`the storage has no ${name}`);
      const ask = (): Promise<unknown> =>
        Reflect.apply(method, this.#database, sabotage.asked?.(name, args) ?? args) as Promise<unknown>;
      const value = await (sabotage.around?.(this.#database, name, args, ask) ?? ask());
      this.#noteOwner(node, name, args);
      return value;
    };
    const perform = (): Promise<unknown> => {
      const performing = this.#performed.then(run);
      this.#performed = performing.catch(() => {});
      return performing;
    };
    const waiting = name in WRITES ? this.#uncommitted : undefined;
    if (!waiting) return perform();
    const early = sabotage.early?.(name);
    return new Promise((resolve) => {
      waiting.push(() => resolve(perform()));
      if (early) resolve(early.value);
    });
  }

  /** Whose each product is, as the database has it, and who records commands. */
  #noteOwner(node: ClusterNode, name: string, [first]: unknown[]): void {
    if (name === 'openLink') this.#owners.set(String(first), node);
    if (name === 'claimProduct') this.#owners.delete(String(first));
    if (name !== 'recordCommand') return;
    const { clientId, productLogin } = first as CommandRecord;
    const call = this.#calls.get(clientId);
    const owner = this.#owners.get(productLogin);
    if (call && owner && owner !== node) call.isRecordedLate = true;
  }

  authorised(node: ClusterNode, clientId: string): void {
    const call = this.#calls.get(clientId);
    if (call?.node === node) call.acceptedMs ??= this.time.nowMs();
  }

  overheard(subject: string, data: Uint8Array, reply: string): void {
    if (subject.includes('.command.')) this.#overheard = { subject, data, reply };
  }

  sent(gate: ClusterDevice, command: Command): void {
    const nowMs = this.time.nowMs();
    const call = this.#calls.get(clientOf(command));
    if (!call) return this.#violate('nobody has given the command that was sent');
    if (call.sentMs !== undefined) this.#violate('I1: sent twice');
    if (call.isRecordedLate) this.#violate('I12: recorded by a node that had lost the product');
    const { acceptedMs = nowMs, revokedMs = nowMs } = call;
    if (nowMs >= acceptedMs + EXECUTION_DEADLINE_MS) this.#violate('I2: sent too late');
    if (nowMs > revokedMs + REVOKED_MS) this.#violate('I13: sent after the revocation');
    if (call.answer) this.#violate(`sent after the answer ${JSON.stringify(call.answer)}`);
    for (const other of this.#calls.values())
      if (other !== call && other.gate === gate && this.#isInFlight(other))
        this.#violate('I6: two commands of one product in flight');
    call.sentMs = nowMs;
    call.commandId = command.commandId;
  }

  executed(command: Command): void {
    const call = this.#calls.get(clientOf(command));
    if (!call) return;
    call.executions += 1;
    if (call.executions > 1) this.#violate('I1: executed twice');
  }

  told(commandId: string): void {
    for (const call of this.#calls.values()) if (call.commandId === commandId) call.isTold = true;
  }

  #isInFlight({ sentMs, acceptedMs = 0, isTold, answer }: Call): boolean {
    return sentMs !== undefined && !isTold && !answer && this.time.nowMs() < acceptedMs + EXECUTION_DEADLINE_MS;
  }

  #violate(sentence: string): void {
    this.#violation ??= new Error(sentence);
  }

  async #begin(): Promise<void> {
    for (const gate of [0, 1]) this.gates.push(new ClusterDevice(this, gate));
    for (const { productLogin, identity } of this.gates) {
      await this.#database.createProduct(product(productLogin));
      await this.#database.enrolDevice(
        productLogin,
        identity.publicKey,
        `code of ${productLogin}`,
        this.time.epochMs(),
      );
    }
    for (let index = 0; index < 3; index += 1) this.nodes.push(new ClusterNode(this, index));
    await this.#newClient(QUIET);
    await this.time.advance(2_000);
  }

  async #newClient(clientId: string): Promise<void> {
    await this.#database.createClient(client(clientId, { name: clientId }));
    for (const { productLogin } of this.gates)
      await this.#database.associate(clientId, productLogin, this.time.epochMs());
  }

  async #make(move: ClusterMove): Promise<void> {
    switch (move.move) {
      case 'ask':
        return this.#ask(move.node, move.gate);
      case 'revoke': {
        const [clientId, call] = [...this.#calls].at(-1) ?? [];
        if (clientId === undefined || !call || call.revokedMs !== undefined) return;
        call.revokedMs = this.time.nowMs();
        for (const { productLogin } of this.gates)
          await this.#database.dissociate(clientId, productLogin, this.time.epochMs());
        return;
      }
      case 'unlink':
        this.#gate(move.gate).to = move.to;
        return this.#gate(move.gate).unlink(move.how);
      case 'roam': {
        const gate = this.#gate(move.gate);
        const left = this.nodes.findIndex(({ life }) => life === gate.linkedTo);
        gate.to = move.to;
        gate.unlink('half-open', 0);
        await this.time.advance(move.ms);
        return left < 0 ? undefined : this.#ask(left as Which, move.gate);
      }
      case 'stall':
        this.#gate(move.gate).stallMs = move.ms;
        return;
      case 'freeze':
      case 'thaw':
        return this.#node(move.node).life[move.move]();
      case 'kill':
      case 'start':
        return this.#node(move.node)[move.move]();
      case 'store':
        this.#node(move.node).store = move.mode;
        return;
      case 'broker':
        this.#node(move.node).bus = move.mode;
        return;
      case 'standby':
        if (move.mode === 'away') this.#uncommitted ??= [];
        else this.#followed();
        return;
      case 'failover':
        this.#uncommitted = undefined;
        this.#serverAheadMs = this.chance.pick(0, 0, -SERVER_CLOCKS_MS, SERVER_CLOCKS_MS);
        for (const { life } of this.nodes) life.deliver(life.renounce);
        return;
      case 'forge':
        return this.#forge();
      case 'pass':
        return this.time.advance(move.ms);
      default:
        return move satisfies never;
    }
  }

  #followed(): void {
    const waiting = this.#uncommitted ?? [];
    this.#uncommitted = undefined;
    for (const perform of waiting) perform();
  }

  async #ask(which: Which, gateIndex: Gate): Promise<void> {
    const [node, gate] = [this.#node(which), this.#gate(gateIndex)];
    const { life } = node;
    if (!node.isOpen || !life.core || this.#calls.size >= MAX_CALLS) return;
    const clientId = `app-${this.#calls.size}`;
    await this.#newClient(clientId);
    const call: Call = {
      gate,
      node,
      life,
      askedMs: this.time.nowMs(),
      isRecordedLate: false,
      executions: 0,
      isTold: false,
    };
    this.#calls.set(clientId, call);
    const order = {
      clientId,
      productLogin: gate.productLogin,
      numOutput: 0,
      action: { action: 'set', state: 1 },
    } as const;
    const answered = (answer: CommandAnswer): void => {
      if (!life.isAlive) return;
      call.answer = answer;
      call.answeredMs = this.time.nowMs();
      if (answer.kind === 'ok' && call.executions !== 1) this.#violate('told that it was done, and it was not');
    };
    life.core.actions.drive(order).then(answered, () => answered({ kind: 'error', code: 'unknown' }));
  }

  /** A question that was overheard, with another command in the name of another client, and without the key. */
  #forge(): void {
    if (!this.#overheard) return;
    const { subject, data, reply } = this.#overheard;
    const question = JSON.parse(Buffer.from(data.subarray(32)).toString());
    question.commandId = `forged-${this.time.nowMs()}`;
    Object.assign(question.order, { clientId: QUIET, by: QUIET });
    // It has overheard the clocks too.
    question.acceptedAtMs += this.chance.pick(0, 500, 1_000);
    const forged = Buffer.concat([Buffer.alloc(32, 1), Buffer.from(JSON.stringify(question))]);
    this.broker.connect().publish(subject, forged, reply);
  }

  /** Everything gets well: each command comes to an end, and new ones are carried out. */
  async #end(): Promise<void> {
    for (const node of this.nodes) {
      node.life.thaw();
      node.start();
      [node.store, node.bus] = ['works', 'works'];
    }
    this.#followed();
    for (const gate of this.gates) gate.stallMs = 0;
    await this.time.advance(CALM_MS);
    this.#check();
    for (const node of [0, 1, 2] as const) {
      const before = this.#calls.size;
      await this.#ask(node, (node % 2) as Gate);
      await this.time.advance(CALM_COMMAND_MS);
      const calm = [...this.#calls.values()][before];
      if (before < MAX_CALLS) assert.equal(calm?.answer?.kind, 'ok', 'a command in calm was not carried out');
      this.#check();
    }
    for (const call of this.#calls.values()) {
      const { answer, commandId, executions } = call;
      const isDenied = answer?.kind === 'error' && answer.code !== 'device-timeout';
      if (isDenied) assert.equal(executions, 0, `told that nothing was done, and it was: ${answer.code}`);
      const isRecorded = !commandId || (await this.#database.findCommand(commandId)) !== undefined;
      assert(isRecorded, 'I8: the record of a command that was sent is lost');
    }
    // In some games only: it takes as long as all that came before.
    if (this.chance.fraction() >= 0.1) return;
    await this.time.advance(SWEPT_MS);
    const pending = await this.#database.pendingCommands(MAX_CALLS);
    assert.equal(pending.length, 0, 'I9: pending for ever');
  }

  #check(): void {
    if (this.#violation) throw this.#violation;
    const nowMs = this.time.nowMs();
    for (const { life, askedMs, acceptedMs, answeredMs } of this.#calls.values()) {
      if (!life.isAlive || life.isFrozen || life.heldUpMs >= askedMs) continue;
      const dueMs = acceptedMs === undefined ? askedMs + STORAGE_WRITE_TIMEOUT_MS : acceptedMs + ROUTE_MS;
      assert((answeredMs ?? nowMs) <= dueMs, `I6: answered too late: ${(answeredMs ?? nowMs) - askedMs} ms`);
    }
  }

  #node(which: Which): ClusterNode {
    return this.nodes[which] as ClusterNode;
  }

  #gate(which: Gate): ClusterDevice {
    return this.gates[which] as ClusterDevice;
  }
}

/** A database without rows: its schema is made once. */
const EMPTY = openDatabase(':memory:').serialize();

/** The client's name is its id, and each client gives one command. */
function clientOf({ by = '' }: Command): string {
  return by;
}
