/**
 * The device's side of the link as a pure state machine: what the socket, the timers and the guard do comes in as
 * events, what is to be done goes out as effects. The messages and their order: shared/src/link-messages.ts.
 *
 * I2: a command's deadline is put on this device's clock by time exchanges of this very epoch; without one it is
 * refused (I14). I12: commands of another epoch than the link's are dropped.
 */
import {
  type Challenge,
  CLOSE,
  type Command,
  DEAD_LINK_MS,
  type DeviceMessage,
  type EventsKept,
  HANDSHAKE_MS,
  HEARTBEAT_MS,
  localDeadlineMs,
  NO_TIME_SYNC,
  REPLACED_WAIT_CAP_MS,
  type Report,
  type Resume,
  type ServerMessage,
  TIME_SAMPLES_BEFORE_RESUME,
  type TimeSync,
  withSample,
} from '@relaygate/shared';
import { linkText } from '../../locales/en/link';
import { printable } from '../../runtime/printable';
import { hasOwnWait, problemOfCode, retryWaitMs } from './close-code';
import type { LinkCause, LinkProblem } from './link-problem';

/** The last `time` that was sent; `sentMs` is null once it has its answer, because no answer counts twice. */
interface Asked {
  seq: number;
  sentMs: number | null;
}

export type LinkStage =
  /** Waits for the next try; also before the first one. */
  | { name: 'waiting' }
  | { name: 'connecting' }
  /** hello is out. */
  | { name: 'greeting'; deviceNonce: string }
  /** The challenge is being answered. */
  | { name: 'proving' }
  /** The guard gets the new epoch before anything else, so that it drops what is left of older ones. */
  | { name: 'preparing'; epoch: number; unresolved: string[] }
  | { name: 'syncing'; epoch: number; unresolved: string[]; time: TimeSync; asked: Asked }
  /** The guard is asked what became of the unresolved commands. */
  | { name: 'gathering'; epoch: number; time: TimeSync }
  | { name: 'up'; epoch: number; time: TimeSync; asked: Asked; sinceMs: number }
  /**
   * This side has given the link up; the socket's end is still to come. `sinceMs`: since when it was up; null: it never
   * was.
   */
  | { name: 'closing'; sinceMs: number | null };

export interface Link {
  stage: LinkStage;
  /** Tries that ended in a back-off since a link was up, and its `endedLinks`. */
  attempt: number;
  /** Links that were up and ended in a back-off, from the latest one that held for a while on. */
  endedLinks: number;
  /** How often another link with this key has taken over lately. */
  replaced: number;
  /** Why the link is not up; null while it is. */
  problem: LinkProblem | null;
  /** The problem that was logged last since the link was up: it is not logged again, because the log may be on the card. */
  loggedProblem: string | null;
}

export type LinkEvent =
  | { kind: 'start' }
  | { kind: 'opened'; deviceNonce: string }
  | { kind: 'message'; message: ServerMessage; nowMs: number }
  /** A frame of a type this agent does not know. */
  | { kind: 'ignored-frame' }
  | { kind: 'broken-frame'; problem: string }
  /** `code`: the close code, null when the connection failed or broke. `chance` in [0, 1) for the jitter. */
  | { kind: 'closed'; code: number | null; problem: LinkProblem | string; nowMs: number; chance: number }
  | { kind: 'epoch-entered'; nowMs: number }
  /** The guard refuses the epoch, or this agent while the guard is away. */
  | { kind: 'epoch-refused'; problem: string }
  | { kind: 'gathered'; report: Report; resume: Resume; nowMs: number }
  | { kind: 'timer'; timer: LinkTimer; nowMs: number };

export type LinkTimer = 'retry' | 'handshake' | 'heartbeat' | 'silence';

export type LinkEffect =
  | { do: 'connect' }
  | { do: 'send'; message: DeviceMessage }
  | { do: 'greet'; deviceNonce: string }
  | { do: 'prove'; challenge: Challenge; deviceNonce: string }
  | { do: 'welcomed' }
  | { do: 'enter-epoch'; epoch: number }
  | { do: 'gather'; unresolved: string[] }
  /** Execute before this moment of the device's clock, or never. */
  /** `startBeforeMs` null: the time of the server is not known. */
  | { do: 'execute'; command: Command; startBeforeMs: number | null }
  | { do: 'history-kept'; kept: EventsKept }
  | { do: 'hang-up' }
  /** Starts the timer anew. */
  | { do: 'start-timer'; timer: LinkTimer; delayMs: number }
  | { do: 'stop-timer'; timer: LinkTimer }
  | { do: 'stop-timers' }
  | { do: 'log'; text: string };

type Step = [Link, LinkEffect[]];

export const NEW_LINK: Link = {
  stage: { name: 'waiting' },
  attempt: 0,
  endedLinks: 0,
  replaced: 0,
  problem: { cause: 'not-tried', details: '' },
  loggedProblem: null,
};

/** After this time a link has worked; one that is closed sooner must not be tried again at full speed. */
const STEADY_MS = 5_000;
/** After this time nobody competes with a link. */
const UNDISPUTED_MS = 2 * REPLACED_WAIT_CAP_MS;

export function stepLink(link: Link, event: LinkEvent, expectedServerName: string): Step {
  switch (event.kind) {
    case 'start':
      return connecting(link);
    case 'opened':
      if (link.stage.name !== 'connecting') return [link, []];
      return [
        at(link, { name: 'greeting', deviceNonce: event.deviceNonce }),
        [
          timer('handshake', HANDSHAKE_MS),
          timer('silence', DEAD_LINK_MS),
          { do: 'greet', deviceNonce: event.deviceNonce },
        ],
      ];
    case 'message':
      return aliveAfter(stepMessage(link, event.message, event.nowMs, expectedServerName));
    case 'ignored-frame':
      return aliveAfter([link, []]);
    case 'broken-frame':
      return givenUp(link, 'other', `the server sent a frame that cannot be read (${event.problem})`);
    case 'closed':
      return stepClosed(link, event);
    case 'epoch-entered': {
      const { stage } = link;
      if (stage.name !== 'preparing') return [link, []];
      const asked = { seq: 1, sentMs: event.nowMs };
      const { epoch, unresolved } = stage;
      return [at(link, { name: 'syncing', epoch, unresolved, time: NO_TIME_SYNC, asked }), [askTime(asked.seq)]];
    }
    case 'epoch-refused':
      return givenUp(link, 'epoch-too-far', event.problem);
    case 'gathered':
      return stepGathered(link, event);
    case 'timer':
      return stepTimer(link, event.timer, event.nowMs);
    default:
      return event satisfies never;
  }
}

function stepMessage(link: Link, message: ServerMessage, nowMs: number, expectedServerName: string): Step {
  const { stage } = link;
  switch (message.type) {
    case 'challenge': {
      if (stage.name !== 'greeting') return passedOver(link, message);
      if (message.serverName !== expectedServerName) {
        const names = `${printable(message.serverName)}, settings.json says ${expectedServerName}`;
        return givenUp(link, 'other-server', names);
      }
      const { deviceNonce } = stage;
      return [at(link, { name: 'proving' }), [{ do: 'prove', challenge: message, deviceNonce }]];
    }
    case 'welcome': {
      if (stage.name === 'greeting') return givenUp(link, 'other', 'the server sent welcome before its challenge');
      if (stage.name !== 'proving') return passedOver(link, message);
      const { epoch, unresolved } = message;
      return [at(link, { name: 'preparing', epoch, unresolved }), [{ do: 'welcomed' }, { do: 'enter-epoch', epoch }]];
    }
    case 'time':
      return stepTime(link, message, nowMs);
    case 'command':
      return stepCommand(link, message, nowMs);
    case 'events-kept':
      return [link, link.stage.name === 'up' ? [{ do: 'history-kept', kept: message }] : []];
    default:
      return message satisfies never;
  }
}

function stepTime(link: Link, { seq, serverMs }: { seq: number; serverMs: number }, nowMs: number): Step {
  const { stage } = link;
  if (stage.name !== 'syncing' && stage.name !== 'up') return [link, []];
  const { sentMs } = stage.asked;
  // An answer to an older question does not show the round trip.
  if (seq !== stage.asked.seq || sentMs === null) return [link, []];
  const time = withSample(stage.time, { sentMs, receivedMs: nowMs, serverMs });
  if (stage.name === 'up') return [at(link, { ...stage, time, asked: { seq, sentMs: null } }), []];
  if (time.length < TIME_SAMPLES_BEFORE_RESUME) {
    return [at(link, { ...stage, time, asked: { seq: seq + 1, sentMs: nowMs } }), [askTime(seq + 1)]];
  }
  const { epoch, unresolved } = stage;
  return [at(link, { name: 'gathering', epoch, time }), [{ do: 'gather', unresolved }]];
}

function stepCommand(link: Link, command: Command, nowMs: number): Step {
  const { stage } = link;
  const { commandId, epoch, executeBeforeMs } = command;
  // No answer: the server of that epoch is gone, and the resume report says what the guard knows.
  if (stage.name !== 'up' || epoch !== stage.epoch) {
    return [link, [{ do: 'log', text: `command ${commandId} dropped: it is not of this link` }]];
  }
  return [link, [{ do: 'execute', command, startBeforeMs: localDeadlineMs(stage.time, executeBeforeMs, nowMs) }]];
}

function stepGathered(link: Link, { report, resume, nowMs }: Extract<LinkEvent, { kind: 'gathered' }>): Step {
  const { stage } = link;
  if (stage.name !== 'gathering') return [link, []];
  const { epoch, time } = stage;
  const asked = { seq: TIME_SAMPLES_BEFORE_RESUME, sentMs: null };
  return [
    { ...link, problem: null, loggedProblem: null, stage: { name: 'up', epoch, time, asked, sinceMs: nowMs } },
    [
      { do: 'send', message: report },
      { do: 'send', message: resume },
      // The silence goes on counting from the last frame: gathering is no sign of life from the server (T9).
      { do: 'stop-timer', timer: 'handshake' },
      timer('heartbeat', HEARTBEAT_MS),
      { do: 'log', text: `link up, epoch ${epoch}` },
    ],
  ];
}

function stepTimer(link: Link, which: LinkTimer, nowMs: number): Step {
  const { stage } = link;
  switch (which) {
    case 'retry':
      return stage.name === 'waiting' ? connecting(link) : [link, []];
    case 'handshake':
      return givenUp(link, 'no-handshake', `${HANDSHAKE_MS / 1000} s`);
    case 'silence':
      return givenUp(link, 'gone-silent', `${DEAD_LINK_MS / 1000} s`);
    case 'heartbeat': {
      if (stage.name !== 'up') return [link, []];
      const seq = stage.asked.seq + 1;
      const asked = { seq, sentMs: nowMs };
      return [at(link, { ...stage, asked }), [askTime(seq), timer('heartbeat', HEARTBEAT_MS)]];
    }
    default:
      return which satisfies never;
  }
}

function stepClosed(link: Link, { code, problem, nowMs, chance }: Extract<LinkEvent, { kind: 'closed' }>): Step {
  const { stage } = link;
  if (stage.name === 'waiting') return [link, []];
  const sinceMs = upSinceMs(stage);
  const upMs = sinceMs === null ? 0 : nowMs - sinceMs;
  const replaced = (upMs >= UNDISPUTED_MS ? 0 : link.replaced) + (code === CLOSE.replaced ? 1 : 0);
  // Tries before a link that came up failed in an outage that is over.
  const earlier = sinceMs === null ? link.attempt : link.endedLinks;
  const failures = upMs >= STEADY_MS ? 0 : earlier;
  const attempt = failures + (hasOwnWait(code) ? 0 : 1);
  const endedLinks = sinceMs === null ? link.endedLinks : attempt;
  const other = typeof problem === 'string' ? { cause: 'other' as const, details: problem } : problem;
  const why = (stage.name === 'closing' ? link.problem : problemOfCode(code)) ?? other;
  const whyText = linkText(why);
  const delayMs = retryWaitMs(code, failures, replaced, chance);
  const text = `not linked: ${whyText}; next try in ${(delayMs / 1000).toFixed(1)} s`;
  return [
    { stage: { name: 'waiting' }, attempt, endedLinks, replaced, problem: why, loggedProblem: whyText },
    [
      { do: 'stop-timers' },
      timer('retry', delayMs),
      ...(whyText === link.loggedProblem ? [] : [{ do: 'log', text } satisfies LinkEffect]),
    ],
  ];
}

/** Anything heard proves that the other side lives. */
function aliveAfter([link, effects]: Step): Step {
  const isOpen = link.stage.name !== 'waiting' && link.stage.name !== 'closing';
  return [link, isOpen ? [...effects, timer('silence', DEAD_LINK_MS)] : effects];
}

/** Ignores a frame that came twice (T7) or makes no sense now: the exchange under way goes on. */
function passedOver(link: Link, { type }: ServerMessage): Step {
  return [link, [{ do: 'log', text: `${type} passed over: its turn is over` }]];
}

function givenUp(link: Link, cause: LinkCause, details: string): Step {
  if (link.stage.name === 'waiting' || link.stage.name === 'closing') return [link, []];
  const stage: LinkStage = { name: 'closing', sinceMs: upSinceMs(link.stage) };
  return [{ ...link, stage, problem: { cause, details } }, [{ do: 'stop-timers' }, { do: 'hang-up' }]];
}

function upSinceMs(stage: LinkStage): number | null {
  return stage.name === 'up' || stage.name === 'closing' ? stage.sinceMs : null;
}

function connecting(link: Link): Step {
  return [at(link, { name: 'connecting' }), [{ do: 'connect' }, timer('handshake', HANDSHAKE_MS)]];
}

function at(link: Link, stage: LinkStage): Link {
  return { ...link, stage };
}

function askTime(seq: number): LinkEffect {
  return { do: 'send', message: { type: 'time', seq } };
}

function timer(which: LinkTimer, delayMs: number): LinkEffect {
  return { do: 'start-timer', timer: which, delayMs };
}
