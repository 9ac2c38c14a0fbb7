/**
 * A device's link from its first frame to its end, as a pure state machine: events report what arrived or elapsed, effects
 * say what `device-link.ts` must do. No sockets, no timers, no clock.
 *
 * I12: nothing that arrives after the end has an effect. I14: a link is up only after a time exchange and a resume report.
 */
import {
  CLOSE,
  type CommandConfirmation,
  type DeviceMessage,
  type Events,
  HANDSHAKE_MS,
  type Hello,
  type Proof,
  type Report,
  type Resume,
  type ServerMessage,
} from '@relaygate/shared';
import type { FrameVersion } from './frame-version';
import type { OpenedLink, OpeningRefusal } from './link-opening';

export type LinkState =
  | { phase: 'awaiting-hello' }
  | { phase: 'awaiting-proof'; hello: Hello }
  /** The proof is checked and the database opens the link; the device waits for its welcome. */
  | { phase: 'opening'; hello: Hello }
  /** Welcomed: time exchange, report and resume are to come. `seq`: of the last frame that reported a state. */
  | { phase: 'syncing'; hello: Hello; epoch: number; seq: number; hasTime: boolean }
  | { phase: 'up'; hello: Hello; epoch: number; seq: number }
  | { phase: 'ended' };

export type LinkEvent =
  | { kind: 'message'; message: DeviceMessage }
  | { kind: 'opened'; opened: OpenedLink }
  | { kind: 'refused'; code: OpeningRefusal }
  | { kind: 'close'; code: number; reason: string }
  /** The device does not read, or has fallen silent: it would not answer a close frame. */
  | { kind: 'cut' }
  /** The socket is closed. */
  | { kind: 'gone' };

export type LinkEffect =
  | { do: 'send'; message: ServerMessage }
  /** Sends a fresh nonce. */
  | { do: 'challenge' }
  | { do: 'answer-time'; seq: number }
  /** The next part of the handshake must be done within `ms`; null: the handshake is over. */
  | { do: 'limit'; ms: number | null }
  /** Checks the proof and opens the link in the database: `opened`, `refused` or `close` follows. */
  | { do: 'open'; hello: Hello; proof: Proof }
  /** Makes it the product's link, in place of an older one. */
  | { do: 'attach'; hello: Hello; opened: OpenedLink }
  | { do: 'report'; report: Report; seq: number }
  | { do: 'confirm'; hello: Hello; confirmation: CommandConfirmation; version: FrameVersion }
  | { do: 'resume'; hello: Hello; resume: Resume }
  | { do: 'up'; hello: Hello; epoch: number }
  | { do: 'keep-events'; events: Events }
  | { do: 'close'; code: number; reason: string }
  | { do: 'cut' }
  /** `link`: the one that was welcomed. */
  | { do: 'end'; link: { hello: Hello; epoch: number; wasUp: boolean } | null };

type Step = [LinkState, LinkEffect[]];
type Welcomed = Extract<LinkState, { phase: 'syncing' | 'up' }>;

export const FIRST_STATE: LinkState = { phase: 'awaiting-hello' };

/** What follows from an event. */
export function step(state: LinkState, event: LinkEvent): Step {
  if (state.phase === 'ended') return [state, []];
  switch (event.kind) {
    case 'message':
      return received(state, event.message);
    case 'opened':
      return state.phase === 'opening' ? welcome(state.hello, event.opened) : [state, []];
    case 'refused':
      return event.code === 'not-proven'
        ? close(state, CLOSE.refused, 'refused')
        : close(state, CLOSE.tooOften, 'too many links');
    case 'close':
      return close(state, event.code, event.reason);
    case 'cut':
      return ended(state, [{ do: 'cut' }]);
    case 'gone':
      return ended(state, []);
    default:
      return event satisfies never;
  }
}

/** A message before its turn ends the link; repeated messages are ignored (T7). */
function received(state: LinkState, message: DeviceMessage): Step {
  const welcomed = state.phase === 'syncing' || state.phase === 'up' ? state : undefined;
  switch (message.type) {
    case 'hello':
      if (state.phase !== 'awaiting-hello') return [state, []];
      return [{ phase: 'awaiting-proof', hello: message }, [{ do: 'challenge' }]];
    case 'proof':
      if (state.phase === 'awaiting-hello') return outOfTurn(state, message);
      return state.phase === 'awaiting-proof' ? open(state.hello, message) : [state, []];
    case 'time':
      return welcomed ? answerTime(welcomed, message.seq) : outOfTurn(state, message);
    case 'report':
      return welcomed ? report(welcomed, message) : outOfTurn(state, message);
    case 'resume':
      if (state.phase === 'up') return [state, []];
      return state.phase === 'syncing' && state.hasTime ? resume(state, message) : outOfTurn(state, message);
    case 'result':
      return welcomed ? confirm(welcomed, message) : outOfTurn(state, message);
    case 'events':
      return state.phase === 'up' ? [state, [{ do: 'keep-events', events: message }]] : outOfTurn(state, message);
    default:
      return message satisfies never;
  }
}

function open(hello: Hello, proof: Proof): Step {
  return [
    { phase: 'opening', hello },
    [
      { do: 'limit', ms: HANDSHAKE_MS },
      { do: 'open', hello, proof },
    ],
  ];
}

function welcome(hello: Hello, opened: OpenedLink): Step {
  const { epoch } = opened.held;
  return [
    { phase: 'syncing', hello, epoch, seq: 0, hasTime: false },
    [
      { do: 'attach', hello, opened },
      { do: 'send', message: { type: 'welcome', epoch, unresolved: opened.unresolved } },
    ],
  ];
}

function answerTime(state: Welcomed, seq: number): Step {
  const next = state.phase === 'syncing' ? { ...state, hasTime: true } : state;
  return [next, [{ do: 'answer-time', seq }]];
}

function report(state: Welcomed, message: Report): Step {
  const seq = state.seq + 1;
  return [{ ...state, seq }, [{ do: 'report', report: message, seq }]];
}

function confirm(state: Welcomed, confirmation: CommandConfirmation): Step {
  const { hello, epoch } = state;
  const seq = state.seq + 1;
  return [{ ...state, seq }, [{ do: 'confirm', hello, confirmation, version: { epoch, seq } }]];
}

function resume({ hello, epoch, seq }: Welcomed, message: Resume): Step {
  return [
    { phase: 'up', hello, epoch, seq },
    [
      { do: 'limit', ms: null },
      { do: 'resume', hello, resume: message },
      { do: 'up', hello, epoch },
    ],
  ];
}

function outOfTurn(state: LinkState, message: DeviceMessage): Step {
  return close(state, CLOSE.protocolError, `${message.type} out of turn`);
}

function close(state: LinkState, code: number, reason: string): Step {
  return ended(state, [{ do: 'close', code, reason }]);
}

function ended(state: LinkState, effects: LinkEffect[]): Step {
  const wasUp = state.phase === 'up';
  const link = wasUp || state.phase === 'syncing' ? { hello: state.hello, epoch: state.epoch, wasUp } : null;
  return [{ phase: 'ended' }, [...effects, { do: 'end', link }]];
}
