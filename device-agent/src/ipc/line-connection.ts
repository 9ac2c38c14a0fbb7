/** A local stream of text lines, the port under the guard's protocol and the agent's local API. */
export interface LineConnection {
  /** Sends one line; the line break is added here. Does nothing once the connection is closed. */
  send(line: string): void;
  close(): void;
}

export interface LineEvents {
  line(text: string): void;
  /** Exactly once, at the end, also when the connection never opened. `null`: the other side simply hung up. */
  closed(problem: ConnectionProblem | null): void;
}

export interface ConnectionProblem {
  /** The system's word, such as ENOENT or EACCES, or a word of ours. */
  code: string;
  message: string;
}

export interface DialEvents extends LineEvents {
  /** Once, before any line. */
  opened(): void;
}

/** Dials the other side. Events come later, never from inside the call. */
export type DialLines = (events: DialEvents) => LineConnection;

/** Takes one client's connection. */
export type ServeLines = (connection: LineConnection) => LineEvents;

/** How many requests of one client may be unanswered; one more costs it its connection. I15. */
export const MAX_OPEN_REQUESTS = 64;

/**
 * The type of a line with the id of an earlier request: nobody waits for that request any more. The line has no answer of
 * its own.
 */
export const GIVE_UP = 'give-up';

/** Pushed to every client of the guard after each change; its value is a GuardStatus. */
export const CHANGED_EVENT = 'changed';

/** The longest line that a client may send; a longer one costs it its connection. I15. */
export const MAX_REQUEST_BYTES = 16 * 1024;
/** The longest line that a client takes: a status of 64 outputs with long names, every policy and a fault fits. */
export const MAX_REPLY_BYTES = 128 * 1024;
