/** One connection as the server sees it: what was said on it, and what an honest or odd server says next. */
import {
  CLOCK_DRIFT,
  type Command,
  type Report,
  type Resume,
  type ServerMessage,
  TIME_SAMPLE_LIFE_MS,
} from '@relaygate/shared';
import type { LinkMove, OddFrame } from './link-moves';
import { ServerTime } from './server-time';

export const SERVER_NAME = 'relaygate';
export const REPORT: Report = { type: 'report', outputs: [], faults: [] };
export const RESUME: Resume = { type: 'resume', outcomes: [], notStarted: ['u1'] };

export interface Connection {
  state: 'dialling' | 'open' | 'hung-up';
  sinceMs: number;
  heardMs: number;
  frames: ServerMessage[];
  said: string[];
  mayProve: boolean;
  epoch: number | null;
  guardKnows: boolean;
  guardAsked: 'epoch' | 'outcomes' | null;
  time: ServerTime;
  asked: { seq: number; sentMs: number } | null;
  upMs: number | null;
}

export function newConnection(nowMs: number, number: number): Connection {
  // Another origin each time, and crystals at both ends of what is allowed.
  const speed = 1 + CLOCK_DRIFT * ((number % 3) - 1) * 0.99;
  return {
    state: 'dialling',
    sinceMs: nowMs,
    heardMs: nowMs,
    frames: [],
    said: [],
    mayProve: false,
    epoch: null,
    guardKnows: false,
    guardAsked: null,
    time: new ServerTime(nowMs, 1_000_000 + number * 70_000, speed, TIME_SAMPLE_LIFE_MS),
    asked: null,
    upMs: null,
  };
}

/** `fraction`: where the stamp of a time lies on the way there and back. */
export function nextFrame(
  { said, frames, asked, time }: Connection,
  nowMs: number,
  fraction: number,
  epoch: number,
): ServerMessage | undefined {
  const has = (type: ServerMessage['type']): boolean => frames.some((frame) => frame.type === type);
  if (asked) {
    return { type: 'time', seq: asked.seq, serverMs: time.at(asked.sentMs + fraction * (nowMs - asked.sentMs)) };
  }
  if (said.includes('proof') && !has('welcome')) return { type: 'welcome', epoch, unresolved: ['u1'] };
  if (said.includes('hello') && !has('challenge')) return challenge(SERVER_NAME);
  return undefined;
}

export function oddFrame(
  which: Exclude<OddFrame, 'unknown' | 'broken'>,
  { asked }: Connection,
  epoch: number,
): ServerMessage {
  switch (which) {
    case 'wrong-name':
      return challenge('other');
    case 'challenge':
      return challenge(SERVER_NAME);
    case 'welcome':
      return { type: 'welcome', epoch: epoch + 7, unresolved: [] };
    case 'old-time':
      return { type: 'time', seq: (asked?.seq ?? 1) - 1, serverMs: 1 };
    default:
      return which satisfies never;
  }
}

/** Before the welcome any epoch is wrong. */
export function commandFrame(
  { epoch, time }: Connection,
  nowMs: number,
  commandId: string,
  { epochs, inMs }: Extract<LinkMove, { move: 'command' }>,
): Command {
  const executeBeforeMs = time.at(nowMs) + inMs;
  return { type: 'command', commandId, epoch: (epoch ?? 1) + epochs, numOutput: 0, action: 'toggle', executeBeforeMs };
}

function challenge(serverName: string): ServerMessage {
  return { type: 'challenge', serverNonce: 'n', serverName };
}
