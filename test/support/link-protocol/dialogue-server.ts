import { isDeepStrictEqual } from 'node:util';
import type { LinkSocketEvents } from '@relaygate/device-agent/agent/link/link-socket';
import { type DeviceMessage, readDeviceFrame } from '@relaygate/shared';
import { AgentInMemory } from '../device/agent-in-memory';
import { AHEAD_MS } from '../device/scripted-server';
import type { DeviceStep } from './vectors';

/** How long the tester waits for what a device does at once, and for a try that no step bounds. */
const AT_ONCE_MS = 1_000;
const NEXT_TRY_MS = 60_000;
const STEP_MS = 10;
/** What a device may say at any time once its link is up. */
const PASSED_OVER: readonly string[] = ['time', 'report', 'events'];

const HELLO_TO_PROOF: DeviceStep[] = [
  { opens: {} },
  { says: { type: 'hello' } },
  { hears: { type: 'challenge', serverNonce: 'n'.repeat(43), serverName: 'relaygate' } },
  { says: { type: 'proof' } },
];
const TIME: DeviceStep[] = [{ says: { type: 'time' } }, { hears: { type: 'time', seq: 'asked', serverMs: 'now' } }];

/** The tester of shared/README.md's dialogues: plays the server against an agent with its guard, and fails where they differ. */
export class DialogueServer {
  readonly #device = new AgentInMemory();
  readonly #heard: DeviceMessage[] = [];
  #socket: LinkSocketEvents | null = null;
  /** Connections that no step has taken yet. */
  #opened = 0;
  #endedAtMs = 0;
  #askedSeq = 0;
  #askedBefore = 0;
  #isUp = false;
  #isTimeAnswered = true;

  async play(steps: readonly DeviceStep[], moves: readonly [number, 0 | 1][]): Promise<void> {
    this.#device.dialLink = (events) => this.#dial(events);
    await this.#device.startGuard();
    await this.#device.startAgent();
    for (const step of steps) await this.#do(step);
    const moved = this.#device.board.edges.map(({ line, level }) => [line, level === 'high' ? 1 : 0]);
    if (!isDeepStrictEqual(moved, moves)) throw new Error(`the relays moved ${JSON.stringify(moved)}`);
  }

  async #do(step: DeviceStep): Promise<void> {
    if ('opens' in step) return this.#opens(step.opens);
    if ('handshake' in step) return this.#handshake(step.handshake);
    if ('says' in step) return this.#says(step.says);
    if ('hears' in step) return this.#tell(JSON.stringify(this.#filled(step.hears)));
    if ('hearsText' in step) return this.#tell(step.hearsText);
    if ('silentMs' in step) return this.#silent(step.silentMs);
    if ('ends' in step) return this.#until('end its connection', AT_ONCE_MS, () => this.#socket === null);
    if ('timeAnswered' in step) this.#isTimeAnswered = step.timeAnswered;
    else this.#end('close' in step ? step.close : null);
    await this.#device.passed();
  }

  async #handshake({ epoch, unresolved, ...resume }: Extract<DeviceStep, { handshake: object }>['handshake']) {
    const welcome: DeviceStep = { hears: { type: 'welcome', epoch, unresolved } };
    const end: DeviceStep[] = [{ says: { type: 'report' } }, { says: { type: 'resume', ...resume } }];
    for (const step of [...HELLO_TO_PROOF, welcome, ...TIME, ...TIME, ...TIME, ...end]) await this.#do(step);
  }

  async #opens({ afterMs = 0, beforeMs = NEXT_TRY_MS }: { afterMs?: number; beforeMs?: number }): Promise<void> {
    const leftMs = this.#endedAtMs + beforeMs - this.#device.clock.nowMs();
    await this.#until('connect', Math.max(leftMs, AT_ONCE_MS), () => this.#opened > 0);
    this.#opened = 0;
    const waitedMs = this.#device.clock.nowMs() - this.#endedAtMs;
    if (waitedMs < afterMs - STEP_MS) throw new Error(`the device came back after ${waitedMs} ms`);
  }

  async #says(wanted: object): Promise<void> {
    await this.#until(`say ${JSON.stringify(wanted)}`, AT_ONCE_MS, () => this.#heard.length > 0);
    const said = this.#heard.shift();
    if (!matches(said, wanted)) throw new Error(`not ${JSON.stringify(wanted)}, but ${JSON.stringify(said)}`);
  }

  async #silent(forMs: number): Promise<void> {
    await this.#device.passed(forMs);
    if (this.#heard.length > 0) throw new Error(`the device said ${JSON.stringify(this.#heard)}`);
  }

  async #tell(text: string): Promise<void> {
    if (!this.#socket) throw new Error('the device has ended its connection');
    this.#socket.text(text);
    await this.#device.passed();
  }

  async #until(what: string, forMs: number, isSo: () => boolean): Promise<void> {
    for (let leftMs = forMs; !isSo(); leftMs -= STEP_MS) {
      if (leftMs <= 0) throw new Error(`the device did not ${what}; it said ${JSON.stringify(this.#heard)}`);
      await this.#device.passed(STEP_MS);
    }
  }

  /** A step's frame with what only the tester knows. */
  #filled(frame: Record<string, unknown>): object {
    const serverMs = this.#device.clock.nowMs() + AHEAD_MS;
    const { seq, executeBeforeMs } = frame;
    return {
      ...frame,
      ...(frame.serverMs === 'now' ? { serverMs } : {}),
      ...(seq === 'asked' ? { seq: this.#askedSeq } : {}),
      ...(seq === 'asked-before' ? { seq: this.#askedBefore } : {}),
      ...(isObject(seq) ? { seq: this.#askedSeq + Number(seq.askedPlus) } : {}),
      ...(isObject(executeBeforeMs) ? { executeBeforeMs: serverMs + Number(executeBeforeMs.inMs) } : {}),
    };
  }

  #dial(events: LinkSocketEvents) {
    queueMicrotask(() => {
      this.#socket = events;
      this.#opened += 1;
      events.opened();
    });
    return {
      send: (text: string) => this.#hear(text),
      terminate: () => queueMicrotask(() => this.#end(null)),
    };
  }

  #hear(text: string): void {
    const frame = readDeviceFrame(text);
    if (frame.kind !== 'message') throw new Error(`the device sent ${text}`);
    const { message } = frame;
    if (message.type === 'time') [this.#askedBefore, this.#askedSeq] = [this.#askedSeq, message.seq];
    if (!this.#isUp || !PASSED_OVER.includes(message.type)) this.#heard.push(message);
    if (message.type === 'resume') this.#isUp = true;
    if (!this.#isUp || message.type !== 'time' || !this.#isTimeAnswered) return;
    const answer = JSON.stringify(this.#filled({ type: 'time', seq: 'asked', serverMs: 'now' }));
    queueMicrotask(() => this.#socket?.text(answer));
  }

  #end(code: number | null): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#isUp = false;
    this.#isTimeAnswered = true;
    this.#endedAtMs = this.#device.clock.nowMs();
    socket?.closed(code, 'ended');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Has `said` at least the members of `wanted`, with their values? */
function matches(said: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return said === wanted;
  if (!isObject(said) || Array.isArray(said) !== Array.isArray(wanted)) return false;
  if (Array.isArray(said) && Array.isArray(wanted) && said.length !== wanted.length) return false;
  return Object.entries(wanted).every(([name, value]) => matches(said[name], value));
}
