import { setImmediate as onTheirWay } from 'node:timers/promises';
import type { BusMessage, MessageBus } from '@relaygate/server/router/message-bus';

interface Subscription {
  bus: MessageBus;
  subject: string;
  hear(message: BusMessage): void;
}

/** A broker of this process: as NATS, with nobody who tells a publisher that a message was lost. */
export class MemoryBroker {
  #subscriptions: Subscription[] = [];
  /** What came while it was frozen. */
  #held: (() => void)[] | undefined;
  #isUp = true;

  connect(): MessageBus {
    const isUp = (): boolean => this.#isUp;
    let isClosed = false;
    const bus: MessageBus = {
      get isConnected() {
        return isUp() && !isClosed;
      },
      publish: (subject, data, reply = '') => {
        if (bus.isConnected) this.#pass(() => this.#deliver(bus, { subject, data, reply, isNoResponders: false }));
      },
      subscribe: (subject, hear) => void this.#subscriptions.push({ bus, subject, hear }),
      unsubscribe: async (subject) => {
        await onTheirWay();
        this.#subscriptions = this.#subscriptions.filter((each) => each.bus !== bus || each.subject !== subject);
      },
      close: async () => {
        isClosed = true;
        this.#subscriptions = this.#subscriptions.filter((each) => each.bus !== bus);
      },
    };
    return bus;
  }

  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  end(): void {
    this.#isUp = false;
  }

  begin(): void {
    this.#isUp = true;
  }

  #pass(deliver: () => void): void {
    setImmediate(() => {
      if (this.#held) this.#held.push(deliver);
      else if (this.#isUp) deliver();
    });
  }

  #deliver(from: MessageBus, message: BusMessage): void {
    const hearers = this.#subscriptions.filter(({ subject }) => isFor(subject, message.subject));
    for (const { hear } of hearers) hear({ ...message, data: Uint8Array.from(message.data) });
    if (hearers.length > 0 || message.reply === '') return;
    const nobody = { subject: message.reply, data: new Uint8Array(), reply: '', isNoResponders: true };
    for (const { bus, subject, hear } of this.#subscriptions) {
      if (bus === from && isFor(subject, message.reply)) hear(nobody);
    }
  }
}

function isFor(pattern: string, subject: string): boolean {
  if (!pattern.endsWith('.*')) return pattern === subject;
  return subject.slice(0, subject.lastIndexOf('.')) === pattern.slice(0, -2);
}
