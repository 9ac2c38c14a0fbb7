/** The WebSocket under the link, as a port. */
import type { LinkProblem } from './link-problem';

export interface LinkSocket {
  send(text: string): void;
  /** Ends the connection at once, without waiting for the other side. */
  terminate(): void;
}

export interface LinkSocketEvents {
  opened(): void;
  text(text: string): void;
  /** Exactly once, also when the connection never opened. `code`: the close code, null when it failed or broke. */
  closed(code: number | null, problem: LinkProblem | string): void;
}

/** Events come later, never from inside the call. */
export type DialLink = (events: LinkSocketEvents) => LinkSocket;
