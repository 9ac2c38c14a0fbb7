/** A message as it arrived. Nothing in it is to be believed before its seal is checked. */
export interface BusMessage {
  subject: string;
  /** Where an answer goes; empty for none. */
  reply: string;
  data: Uint8Array;
  /** It says that nobody listens to the subject of a message whose `reply` was this one's subject. */
  isNoResponders: boolean;
}

/** What carries messages between nodes. It may lose, delay and repeat them, and others may publish on it. */
export interface MessageBus {
  /** False while messages would be dropped without a word. */
  readonly isConnected: boolean;
  /** Never throws. While disconnected, and when the connection breaks, the message is lost. */
  publish(subject: string, data: Uint8Array, reply?: string): void;
  /** Also for later connections. The last token of the subject may be `*`. */
  subscribe(subject: string, hear: (message: BusMessage) => void): void;
  /** Resolves when what the broker has passed on by now has been heard: never, while it is frozen. */
  unsubscribe(subject: string): Promise<void>;
  /** Ends the subscriptions, once what was published has left. */
  close(): Promise<void>;
}
