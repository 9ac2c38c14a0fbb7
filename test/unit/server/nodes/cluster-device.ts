import { sign } from 'node:crypto';
import { DeviceLink } from '@relaygate/server/devices/device-link';
import {
  type Command,
  type CommandResult,
  HEARTBEAT_MS,
  proofText,
  readServerFrame,
  type ServerMessage,
} from '@relaygate/shared';
import { type DeviceIdentity, newIdentity } from '../../../support/server/scripted-device';
import type { VirtualClock } from '../../../support/time/virtual-clock';
import type { ClusterNode, Life } from './cluster-node';

const WAY_MS = 5;
const AGAIN_MS = 500;
const NONCE = 'A'.repeat(43);
/** A key pair takes longer than a game. */
const IDENTITIES = ['gate-0', 'gate-1'].map((login) => newIdentity(login));

export interface DeviceWorld {
  readonly time: VirtualClock;
  readonly nodes: readonly ClusterNode[];
  /** A node has handed it to a link. */
  sent(gate: ClusterDevice, command: Command): void;
  executed(command: Command): void;
  /** A node has heard what became of it. */
  told(commandId: string): void;
}

interface Connection {
  life: Life;
  link: DeviceLink;
  isCut: boolean;
  saidAtMs: number;
}

/** A device of one link at a time, which obeys every command that reaches it in time, and comes back by itself. */
export class ClusterDevice {
  readonly identity: DeviceIdentity;
  readonly productLogin: string;
  /** Which node the load balancer takes it to next. */
  to = 0;
  stallMs = 0;
  readonly #world: DeviceWorld;
  readonly #results = new Map<string, CommandResult>();
  #connection: Connection | undefined;
  #seq = 0;

  constructor(world: DeviceWorld, gate: number) {
    this.#world = world;
    const identity = IDENTITIES[gate];
    if (!identity) throw new Error('no such gate');
    this.identity = identity;
    this.productLogin = identity.productLogin;
    this.#connectLater();
  }

  get linkedTo(): Life | undefined {
    return this.#connection?.life;
  }

  unlink(how: 'cut' | 'half-open', againMs = AGAIN_MS): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#gone(connection, againMs);
    if (how === 'cut') connection.life.deliver(() => connection.link.ended());
  }

  #connectLater(afterMs = AGAIN_MS): void {
    this.#world.time.after(afterMs, () => {
      if (!this.#connection) this.#connect();
      if (!this.#connection) this.#connectLater();
    });
  }

  #connect(): void {
    const { nodes, time } = this.#world;
    const open = [0, 1, 2].map((more) => nodes[(this.to + more) % nodes.length]).find((node) => node?.isOpen);
    const life = open?.life;
    if (!life?.linkDeps) return;
    const hangUp = (): void => {
      if (!connection.isCut) time.after(WAY_MS, () => this.#gone(connection));
      life.deliver(() => link.ended());
    };
    const send = (text: string): void => {
      const frame = readServerFrame(text);
      if (frame.kind !== 'message') throw new Error(`a node sent ${text}`);
      const { message } = frame;
      if (message.type === 'command') this.#world.sent(this, message);
      time.after(WAY_MS, () => {
        if (!connection.isCut) this.#hear(message, life);
      });
    };
    const socket = { queuedBytes: 0, isOpen: true, send, close: hangUp, terminate: hangUp };
    const link = new DeviceLink(life.linkDeps, socket, 'device');
    const connection: Connection = { life, link, isCut: false, saidAtMs: 0 };
    this.#connection = connection;
    life.onDeath(() => this.#gone(connection));
    const { productLogin, publicKey, bootId } = this.identity;
    const names = { productLogin, publicKey, bootId, deviceNonce: NONCE };
    this.#say({ type: 'hello', ...names, agentVersion: 'test', instanceId: 'i1' });
  }

  #gone(connection: Connection, againMs?: number): void {
    connection.isCut = true;
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.stallMs = 0;
    this.#connectLater(againMs);
  }

  /** `everyMs`: again and again on this connection. */
  #say(message: object, everyMs?: number): void {
    const { time } = this.#world;
    const connection = this.#connection;
    if (!connection) return;
    connection.saidAtMs = Math.max(connection.saidAtMs, time.nowMs() + WAY_MS + this.stallMs);
    time.after(connection.saidAtMs - time.nowMs(), () => {
      if (connection.isCut) return;
      connection.life.deliver(() => {
        connection.link.received(JSON.stringify(message));
        for (const commandId of outcomesIn(message)) this.#world.told(commandId);
      });
    });
    if (everyMs === undefined) return;
    time.after(everyMs, () => {
      if (this.#connection === connection) this.#say({ type: 'time', seq: ++this.#seq }, everyMs);
    });
  }

  #hear(heard: ServerMessage, life: Life): void {
    if (heard.type === 'challenge') {
      const { productLogin, publicKey, privateKey } = this.identity;
      const subject = { serverName: 'relaygate', productLogin, publicKey, deviceNonce: NONCE };
      const text = proofText({ ...subject, serverNonce: heard.serverNonce });
      this.#say({ type: 'proof', signature: sign(null, Buffer.from(text), privateKey).toString('base64url') });
    }
    if (heard.type === 'welcome') this.#resume(heard.unresolved);
    if (heard.type === 'command') this.#obey(heard, life);
  }

  #resume(unresolved: readonly string[]): void {
    this.#say({ type: 'time', seq: ++this.#seq }, HEARTBEAT_MS);
    const outputs = [{ numOutput: 0, name: 'Gate', mode: 'impulse', state: 0, pulseMs: 500 }];
    this.#say({ type: 'report', outputs, faults: [] });
    const known = unresolved.flatMap((commandId) => this.#results.get(commandId) ?? []);
    const outcomes = known.map(({ type: _, ...rest }) => rest);
    this.#say({ type: 'resume', outcomes, notStarted: unresolved.filter((id) => !this.#results.has(id)) });
  }

  #obey(command: Command, life: Life): void {
    if (this.#world.time.nowMs() + life.aheadMs >= command.executeBeforeMs) return;
    this.#world.executed(command);
    const { commandId, numOutput } = command;
    const result: CommandResult = { type: 'result', commandId, outcome: 'executed', numOutput, state: 1 };
    this.#results.set(commandId, result);
    this.#say(result);
  }
}

function outcomesIn(message: object): string[] {
  if ('outcomes' in message) {
    const { outcomes, notStarted } = message as { outcomes: { commandId: string }[]; notStarted: string[] };
    return [...outcomes.map(({ commandId }) => commandId), ...notStarted];
  }
  return 'commandId' in message ? [String(message.commandId)] : [];
}
