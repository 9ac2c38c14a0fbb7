import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import {
  type Command,
  type CommandResult,
  HEARTBEAT_MS,
  LINK_PATH,
  LINK_SUBPROTOCOL,
  proofText,
  type ReportedInput,
  type ReportedOutput,
  readServerFrame,
  type ServerMessage,
} from '@relaygate/shared';
import { WebSocket } from 'ws';

export interface DeviceIdentity {
  productLogin: string;
  enrolmentCode?: string;
  privateKey: KeyObject;
  publicKey: string;
  bootId: string;
}

/** A key pair and a boot for a product; `enrolmentCode` is sent with the proof while it is there. */
export function newIdentity(productLogin: string, enrolmentCode?: string): DeviceIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    productLogin,
    privateKey,
    publicKey: x,
    bootId: 'boot-1',
    ...(enrolmentCode === undefined ? {} : { enrolmentCode }),
  };
}

export interface ScriptedDeviceOptions {
  serverName?: string;
  instanceId?: string;
  headers?: Record<string, string>;
  /** How it signs; wrong ones for the tests of refusal. */
  sign?: (text: string, key: KeyObject) => string;
}

type Reaction = (command: Command, device: ScriptedDevice) => void;

/** A device of our own over a real WebSocket: it holds outputs 0 and 1 on-off, 2 and 3 impulse, and executes each command. */
export class ScriptedDevice {
  readonly identity: DeviceIdentity;
  readonly received: ServerMessage[] = [];
  readonly commands: Command[] = [];
  readonly states: (0 | 1)[] = [0, 0, 0, 0];
  /** undefined: its software knows no inputs. */
  inputs: ReportedInput[] | undefined;
  /** What it does with a command; `obey` by default. */
  react: Reaction = (command, device) => device.obey(command);
  /** Answers to welcome.unresolved. */
  known = new Map<string, CommandResult>();
  notStarted: string[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;
  readonly #options: ScriptedDeviceOptions;
  readonly #watchers = new Set<() => void>();
  #epoch = 0;
  #seq = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(baseUrl: string, identity: DeviceIdentity, options: ScriptedDeviceOptions = {}) {
    this.identity = identity;
    this.#options = options;
    this.socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}${LINK_PATH}`, LINK_SUBPROTOCOL, {
      perMessageDeflate: false,
      headers: options.headers ?? {},
    });
    this.socket.on('message', (data) => this.#hear(data.toString()));
    this.socket.on('close', (code, reason) => {
      clearInterval(this.#heartbeat);
      this.closed = { code, reason: reason.toString() };
      this.#changed();
    });
    this.socket.on('error', () => {});
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Goes through the whole handshake; resolves when the link is up, rejects when it was closed instead. */
  async linkUp(): Promise<this> {
    await this.welcomed();
    await this.linkUpFromHere();
    return this;
  }

  /** Report and resume of a welcomed link. */
  async linkUpFromHere(): Promise<void> {
    this.report();
    this.resume();
    await this.roundTrip();
    // As a real one does: a silent link would be cut while a slow machine still plays with it.
    this.#heartbeat ??= setInterval(() => this.#askTime(), HEARTBEAT_MS).unref();
  }

  /** Hello, proof and the first time exchange. */
  async welcomed(): Promise<void> {
    await this.opened();
    this.hello();
    await this.welcomeHeard();
    await this.roundTrip();
  }

  async welcomeHeard(): Promise<void> {
    await this.#until(() => this.#epoch > 0, 'a welcome');
  }

  async opened(): Promise<void> {
    if (this.socket.readyState !== this.socket.OPEN) await once(this.socket, 'open');
  }

  hello(): void {
    const { productLogin, publicKey, bootId } = this.identity;
    const deviceNonce = this.#nonce;
    this.send({
      type: 'hello',
      productLogin,
      publicKey,
      deviceNonce,
      agentVersion: 'test',
      bootId,
      instanceId: this.#options.instanceId ?? 'i1',
    });
  }

  report(): void {
    const inputs = this.inputs === undefined ? {} : { inputs: this.inputs };
    this.send({ type: 'report', outputs: this.#outputs(), ...inputs, faults: [] });
  }

  resume(): void {
    this.send({
      type: 'resume',
      outcomes: [...this.known.values()].map(({ type: _, ...rest }) => rest),
      notStarted: this.notStarted,
    });
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Executes as a real device does, and confirms. */
  obey(command: Command): void {
    const { commandId, numOutput, action, state } = command;
    const impulse = numOutput >= 2;
    const current = this.states[numOutput] ?? 0;
    const desired = action === 'toggle' ? (current === 1 ? 0 : 1) : (state ?? 0);
    const already = !impulse && action === 'set' && desired === current;
    if (!impulse) this.states[numOutput] = desired;
    const result: CommandResult = {
      type: 'result',
      commandId,
      outcome: already ? 'already-set' : 'executed',
      numOutput,
      state: impulse ? (action === 'set' ? (state ?? 0) : 1) : desired,
    };
    this.known.set(commandId, result);
    this.send(result);
  }

  /** Resolves when the server has handled everything sent before. */
  async roundTrip(): Promise<void> {
    const seq = this.#askTime();
    await this.#until(
      () => this.received.some((message) => message.type === 'time' && message.seq === seq),
      'an answer to time',
    );
  }

  #askTime(): number {
    this.#seq += 1;
    this.send({ type: 'time', seq: this.#seq });
    return this.#seq;
  }

  /** Resolves with the close code. */
  async closing(): Promise<number> {
    await this.#until(() => this.closed !== undefined, 'a close', true);
    return this.closed?.code ?? 0;
  }

  async commanded(count = 1): Promise<Command> {
    await this.#until(() => this.commands.length >= count, `command ${count}`);
    const command = this.commands[count - 1];
    if (!command) throw new Error('no command');
    return command;
  }

  /** Reads nothing more, and says nothing by itself. */
  hang(): void {
    clearInterval(this.#heartbeat);
    this.socket.pause();
  }

  close(): void {
    this.socket.terminate();
  }

  #until(done: () => boolean, what: string, closeIsFine = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (done()) resolve();
        else if (this.closed && !closeIsFine)
          reject(new Error(`waited for ${what}, got close ${this.closed.code} ${this.closed.reason}`));
        else return;
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  readonly #nonce = randomBytes(32).toString('base64url');

  #hear(text: string): void {
    const frame = readServerFrame(text);
    if (frame.kind !== 'message') throw new Error(`the server sent ${text}`);
    const { message } = frame;
    this.received.push(message);
    if (message.type === 'challenge') this.#prove(message.serverNonce);
    if (message.type === 'welcome') this.#epoch = message.epoch;
    if (message.type === 'command') {
      this.commands.push(message);
      this.react(message, this);
    }
    this.#changed();
  }

  #prove(serverNonce: string): void {
    const { productLogin, publicKey, privateKey, enrolmentCode } = this.identity;
    const serverName = this.#options.serverName ?? 'relaygate';
    const text = proofText({ serverName, productLogin, publicKey, deviceNonce: this.#nonce, serverNonce });
    const signature = (this.#options.sign ?? signed)(text, privateKey);
    this.send({ type: 'proof', signature, ...(enrolmentCode === undefined ? {} : { enrolmentCode }) });
  }

  #outputs(): ReportedOutput[] {
    return this.states.map((state, numOutput) => ({
      numOutput,
      name: `Output ${numOutput}`,
      mode: numOutput < 2 ? 'on-off' : 'impulse',
      state,
      pulseMs: 500,
    }));
  }
}

function signed(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text), key).toString('base64url');
}
