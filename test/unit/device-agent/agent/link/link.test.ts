import { describe, expect, test } from '@jest/globals';
import {
  type Link,
  type LinkEffect,
  type LinkEvent,
  NEW_LINK,
  stepLink,
} from '@relaygate/device-agent/agent/link/link';
import { LINK, linkText } from '@relaygate/device-agent/locales/en/link';
import {
  BACKOFF_CAP_MS,
  CLOSE,
  type Command,
  DEAD_LINK_MS,
  HANDSHAKE_MS,
  HEARTBEAT_MS,
  type ServerMessage,
} from '@relaygate/shared';

const textOf = ({ problem }: Link): string | null => problem && linkText(problem);
const SERVER = 'relaygate';
const challenge: ServerMessage = { type: 'challenge', serverNonce: 'n'.repeat(43), serverName: SERVER };
const welcome: ServerMessage = { type: 'welcome', epoch: 5, unresolved: ['u1'] };
const command: Command = {
  type: 'command',
  commandId: 'c1',
  epoch: 5,
  numOutput: 0,
  action: 'toggle',
  executeBeforeMs: 9_000,
};

const heard = (message: ServerMessage, nowMs = 1_000): LinkEvent => ({ kind: 'message', message, nowMs });
const opened: LinkEvent = { kind: 'opened', deviceNonce: 'd'.repeat(43) };
const told: LinkEvent = { kind: 'epoch-entered', nowMs: 1_000 };
const gathered: LinkEvent = {
  kind: 'gathered',
  report: { type: 'report', outputs: [], faults: [] },
  resume: { type: 'resume', outcomes: [], notStarted: [] },
  nowMs: 1_000,
};
const time = (seq: number, nowMs = 1_010): LinkEvent => heard({ type: 'time', seq, serverMs: 5_005 }, nowMs);
const closed = (code: number | null, nowMs = 2_000): LinkEvent => ({
  kind: 'closed',
  code,
  problem: 'gone',
  nowMs,
  chance: 0.5,
});
const RETRY: LinkEvent = { kind: 'timer', timer: 'retry', nowMs: 1 };
const UP: LinkEvent[] = [
  { kind: 'start' },
  opened,
  heard(challenge),
  heard(welcome),
  told,
  time(1),
  time(2, 1_030),
  time(3, 1_050),
  gathered,
];

/** After a link that was lost. */
const UP_AGAIN: LinkEvent[] = [RETRY, ...UP.slice(1)];

function play(events: LinkEvent[], from: Link = NEW_LINK): { link: Link; effects: LinkEffect[] } {
  const effects: LinkEffect[] = [];
  let link = from;
  for (const event of events) {
    const [next, more] = stepLink(link, event, SERVER);
    link = next;
    effects.push(...more);
  }
  return { link, effects };
}

function waitOf(effects: LinkEffect[]): number | undefined {
  for (const effect of effects) if (effect.do === 'start-timer' && effect.timer === 'retry') return effect.delayMs;
  return undefined;
}

describe('the link', () => {
  test('goes the way of the messages: hello, proof, guard, three times, report, resume', () => {
    const { link, effects } = play(UP);
    const steps = effects.flatMap((effect) => (effect.do === 'send' ? [effect.message.type] : [effect.do]));
    const timers = ['start-timer', 'stop-timer', 'stop-timers', 'log'];
    expect(steps.filter((step) => !timers.includes(step))).toEqual([
      'connect',
      'greet',
      'prove',
      'welcomed',
      'enter-epoch',
      'time',
      'time',
      'time',
      'gather',
      'report',
      'resume',
    ]);
    expect(link).toMatchObject({ stage: { name: 'up', epoch: 5 }, attempt: 0, problem: null });
  });

  test('says which name the server gave itself when settings.json has another', () => {
    const { link, effects } = play([{ kind: 'start' }, opened, heard({ ...challenge, serverName: 'other' })]);
    expect(textOf(link)).toBe('the server calls itself other, settings.json says relaygate');
    expect(effects).toContainEqual({ do: 'hang-up' });
    const after = play([closed(null)], link);
    expect(waitOf(after.effects)).toBe(500);
    expect(textOf(after.link)).toContain('calls itself other');
  });

  test('is given up after a welcome before the challenge', () => {
    const { link, effects } = play([{ kind: 'start' }, opened, heard(welcome)]);
    expect(link.stage.name).toBe('closing');
    expect(effects.at(-1)).toEqual({ do: 'hang-up' });
  });

  test.each([
    ['a challenge that comes twice', [...UP.slice(0, 3), heard(challenge)]],
    ['a challenge once it is up', [...UP, heard(challenge)]],
    ['a welcome that comes twice', [...UP, heard(welcome)]],
  ] satisfies [string, LinkEvent[]][])('passes over %s (T7)', (_name, events) => {
    const before = play(events.slice(0, -1)).link;
    const { link, effects } = play(events.slice(-1), before);
    expect(link).toEqual(before);
    expect(effects.map((effect) => effect.do)).toEqual(['log', 'start-timer']);
  });

  test('is given up when its epoch is too far above the last one, and says so', () => {
    const refused: LinkEvent = { kind: 'epoch-refused', problem: 'epoch 9007199254740991 after 7' };
    for (const events of [UP.slice(0, 4), UP]) {
      const { link, effects } = play([...events, refused]);
      expect(textOf(link)).toBe(`${LINK['epoch-too-far']} (epoch 9007199254740991 after 7)`);
      expect(effects.at(-1)).toEqual({ do: 'hang-up' });
    }
  });
});

describe('a command', () => {
  test('gets its deadline on this clock', () => {
    const { effects } = play([...UP, heard(command, 1_100)]);
    // offset 4000 (5005 at 1005), half the round trip 5, drift 200 ppm over about 4 s
    expect(effects.at(-2)).toMatchObject({ do: 'execute', command: { commandId: 'c1' } });
    const [execute] = effects.filter((effect) => effect.do === 'execute');
    expect(execute?.startBeforeMs).toBeCloseTo(9_000 - 4_000 - 5 - 0.799, 3);
  });

  test('has no deadline once every time sample is too old (I14)', () => {
    const { effects } = play([heard(command, 200_000)], play(UP).link);
    expect(effects[0]).toMatchObject({ do: 'execute', command: { commandId: 'c1' }, startBeforeMs: null });
  });
});

describe('a link that is up', () => {
  test('sends a time at each heartbeat and takes its answer as a sample', () => {
    const beat = play([{ kind: 'timer', timer: 'heartbeat', nowMs: 11_000 }], play(UP).link);
    expect(beat.effects).toEqual([
      { do: 'send', message: { type: 'time', seq: 4 } },
      { do: 'start-timer', timer: 'heartbeat', delayMs: HEARTBEAT_MS },
    ]);
    const { link } = play([time(4, 11_020), time(4, 11_030)], beat.link);
    expect(link.stage.name === 'up' && link.stage.time.length).toBe(4);
  });

  test('starts the silence anew with every frame, and is given up after it', () => {
    const { link, effects } = play([{ kind: 'ignored-frame' }], play(UP).link);
    expect(effects).toEqual([{ do: 'start-timer', timer: 'silence', delayMs: DEAD_LINK_MS }]);
    const silent = play([{ kind: 'timer', timer: 'silence', nowMs: 1 }], link);
    expect(silent.effects).toContainEqual({ do: 'hang-up' });
    expect(textOf(silent.link)).toBe('nothing heard for 15 s');
  });

  test('keeps no handshake timer', () => {
    const { effects } = play(UP);
    const last = effects.findLastIndex((effect) => effect.do === 'stop-timer' && effect.timer === 'handshake');
    const handshake = effects.findLastIndex((effect) => effect.do === 'start-timer' && effect.timer === 'handshake');
    expect(handshake).toBeLessThan(last);
  });
});

describe('the log, which a system may keep on the card', () => {
  const lines = (effects: LinkEffect[]) => effects.flatMap((effect) => (effect.do === 'log' ? [effect.text] : []));
  const failing = (code: number | null = null): LinkEvent[] => [RETRY, closed(code)];

  test('is told once why a server stays away, and again when the reason changes', () => {
    const { effects } = play([{ kind: 'start' }, closed(null), ...failing(), ...failing(), ...failing(CLOSE.revoked)]);
    expect(lines(effects)).toEqual([
      expect.stringMatching(/^not linked: gone; /),
      expect.stringMatching(/^not linked: .*revoked.*; /),
    ]);
  });

  test('is told the same reason again after a link that was up, and what this side has given up', () => {
    const first = play([...UP, closed(null), ...failing()]);
    const again = play([...UP_AGAIN, closed(null)], first.link);
    for (const { effects } of [first, again])
      expect(lines(effects)).toEqual(['link up, epoch 5', expect.stringMatching(/^not linked: gone; /)]);
    const silent = play([...UP, { kind: 'timer', timer: 'silence', nowMs: 60_000 }, closed(null, 60_001)]);
    expect(lines(silent.effects).at(-1)).toMatch(/^not linked: nothing heard for 15 s; /);
  });
});

describe('after a lost link the next try', () => {
  test('comes at a random moment, later each time, and starts over once the link has held for a while', () => {
    const waits: (number | undefined)[] = [];
    let link = play([{ kind: 'start' }, closed(null)]).link;
    for (let n = 0; n < 3; n += 1) {
      const step = play([RETRY, closed(null)], link);
      waits.push(waitOf(step.effects));
      link = step.link;
    }
    expect(waits).toEqual([1_500, 3_000, 6_000]);
    const upAgain = play(UP_AGAIN, link);
    expect(waitOf(play([closed(null, 60_000)], upAgain.link).effects)).toBe(500);
  });

  test('comes later and later while a server that restarts again and again ends each link within 5 s', () => {
    let link = play(UP).link;
    const endAfter = (heldMs: number): number | undefined => {
      const end = play([closed(CLOSE.serverRestarting, 1_000 + heldMs)], link);
      link = play(UP_AGAIN, end.link).link;
      return waitOf(end.effects);
    };
    expect([4_999, 100, 4_999, 0, 100].map(endAfter)).toEqual([500, 1_500, 3_000, 6_000, 12_000]);
    expect([100, 100, 100, 100].map(endAfter)).toEqual([24_000, ...Array(3).fill(BACKOFF_CAP_MS * 0.75)]);
    expect([5_000, 4_999].map(endAfter)).toEqual([500, 1_500]);
  });

  test.each([CLOSE.refused, CLOSE.replaced, CLOSE.revoked])(
    'does not count those that %i ended, which has a wait of its own',
    (code) => {
      let link = play([{ kind: 'start' }, closed(null)]).link;
      for (let n = 0; n < 20; n += 1) link = play([RETRY, closed(code)], link).link;
      expect(waitOf(play([RETRY, closed(null)], link).effects)).toBe(1_500);
      const brief = play([...UP_AGAIN, closed(code, 1_100)], link).link;
      expect(waitOf(play([RETRY, closed(null)], brief).effects)).toBe(500);
    },
  );

  test('forgets takeovers after a long time undisturbed', () => {
    const once = play([closed(CLOSE.replaced)], play(UP).link).link;
    const up = play(UP_AGAIN, once).link;
    expect(play([closed(null, 1_000 + 2 * 3_600_000)], up).link.replaced).toBe(0);
  });

  test('follows a handshake that takes too long', () => {
    const { link, effects } = play([{ kind: 'start' }, { kind: 'timer', timer: 'handshake', nowMs: 1 }]);
    expect(effects).toContainEqual({ do: 'hang-up' });
    expect(textOf(link)).toBe(`no link within ${HANDSHAKE_MS / 1000} s`);
  });
});
