import type { LinkSocketEvents } from '@relaygate/device-agent/agent/link/link-socket';
import {
  type Command,
  type DeviceMessage,
  EXECUTION_DEADLINE_MS,
  readDeviceFrame,
  type ServerMessage,
} from '@relaygate/shared';
import type { VirtualClock } from '../time/virtual-clock';

/** The server's clock is this far ahead. */
export const AHEAD_MS = 77_000;

/** A server of one link that answers the handshake by itself and shows what the device said. */
export class ScriptedServer {
  readonly said: DeviceMessage[] = [];
  readonly clock: VirtualClock;
  events: LinkSocketEvents | null = null;
  /** Of the last welcome; the next one has one more. */
  epoch = 0;
  unresolved: string[] = [];
  answersTime = true;
  terminations = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  dial = (events: LinkSocketEvents) => {
    this.events = events;
    queueMicrotask(() => events.opened());
    return {
      send: (text: string) => this.#hear(text),
      terminate: () => {
        this.terminations += 1;
        queueMicrotask(() => events.closed(null, 'terminated'));
      },
    };
  };

  say(message: ServerMessage): void {
    const { events } = this;
    queueMicrotask(() => events?.text(JSON.stringify(message)));
  }

  close(code: number | null): void {
    const { events } = this;
    queueMicrotask(() => events?.closed(code, 'closed'));
  }

  command(commandId: string, numOutput: number, more: Partial<Command> = {}): void {
    this.say({
      type: 'command',
      commandId,
      epoch: this.epoch,
      numOutput,
      action: 'toggle',
      executeBeforeMs: this.clock.nowMs() + AHEAD_MS + EXECUTION_DEADLINE_MS,
      ...more,
    });
  }

  of<T extends DeviceMessage['type']>(type: T): Extract<DeviceMessage, { type: T }>[] {
    return this.said.filter((message): message is Extract<DeviceMessage, { type: T }> => message.type === type);
  }

  #hear(text: string): void {
    const frame = readDeviceFrame(text);
    if (frame.kind !== 'message') throw new Error(`the device sent ${text}`);
    const { message } = frame;
    this.said.push(message);
    if (message.type === 'hello') this.say({ type: 'challenge', serverNonce: 'n'.repeat(43), serverName: 'relaygate' });
    if (message.type === 'proof') {
      this.epoch += 1;
      this.say({ type: 'welcome', epoch: this.epoch, unresolved: this.unresolved });
    }
    if (message.type === 'time' && this.answersTime) {
      this.say({ type: 'time', seq: message.seq, serverMs: this.clock.nowMs() + AHEAD_MS });
    }
  }
}
