/** One login, over a device that records what is asked of it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ConsoleAgent } from '@relaygate/device-agent/agent/console/console-agent';
import { ConsoleSession, IDLE_MS, REFUSED_PAUSE_MS } from '@relaygate/device-agent/agent/console/console-session';
import { type Words, wordsOf } from '@relaygate/device-agent/agent/console/console-words';
import type { DeviceStatus } from '@relaygate/device-agent/agent/local-messages/device';
import type { Diagnosis } from '@relaygate/device-agent/agent/local-messages/doctor';
import type { WebStatus } from '@relaygate/device-agent/agent/local-messages/web';
import type { PinVerdict } from '@relaygate/device-agent/agent/pin/pin-gate';
import { type ConsoleLanguage, RelaygateError, wholeOutput } from '@relaygate/shared';
import fc from 'fast-check';
import { DEMO_OUTPUTS } from '../../../../support/device/device';
import { generatedRounds } from '../../../../support/generated-rounds';
import { settled, VirtualClock } from '../../../../support/virtual-clock';

const PIN = '12345678';
const STATUS: DeviceStatus = {
  nowMs: 0,
  productLogin: 'gate-1',
  agentVersion: '0.1.0',
  link: { isUp: false, serverUrl: 'wss://gate.example.com', epoch: null, problem: 'nobody answers', cause: 'other' },
  guard: { isReachable: true, problem: null },
  outputs: DEMO_OUTPUTS.map((output, numOutput) => ({ numOutput, ...wholeOutput(output), state: 0 })),
  faults: ['Not linked: nobody answers.'],
  webLeftMs: null,
  lastCommands: [],
};
const PAGE_OFF: WebStatus = { isOn: false, leftMs: null, port: 8443, urls: [], fingerprint: null, hotspotSsid: null };
const PAGE_ON: WebStatus = {
  isOn: true,
  leftMs: 1_800_000,
  port: 8443,
  urls: ['https://192.0.2.7:8443/'],
  fingerprint: 'AA:BB',
  hotspotSsid: null,
};
const DIAGNOSIS: Diagnosis = {
  isWell: false,
  findings: [
    { name: 'agent', verdict: 'ok', found: 'runs', means: '', cure: '' },
    { name: 'clock', verdict: 'warn', found: 'not set', means: 'no time in the log', cure: 'wait for the network' },
    { name: 'guard', verdict: 'fail', found: 'away', means: 'nothing moves', cure: 'start it' },
  ],
};
const WIRING = { kind: 'gpio', chip: null, lines: [5, 6], activeLevels: ['low', 'low'] };
const PROVEN = {
  result: 'proven',
  proof: { provenAt: '2026-03-01T12:00:00.000Z', by: 'Ana', profile: null, wiring: WIRING },
};
/** What moves something or changes it. */
const ACTS = ['set', 'pulse', 'output', 'web-on', 'web-off', 'lock', 'unlock', 'prove'];
/** The number of a menu's item. */
const item = (word: keyof Words['menu']): string => String(Object.keys(wordsOf('en').menu).indexOf(word) + 1);

class Talk {
  readonly clock = new VirtualClock();
  readonly asked: { type: string; request: object }[] = [];
  screen = '';
  overs: unknown[] = [];
  verdict: PinVerdict | null = null;
  /** Another one as soon as somebody has made a new PIN. */
  readonly pin = { id: 'pin-1' as string | null };
  pinsTried = 0;
  answers: (type: string) => Promise<unknown> = async (type) => this.#answer(type);
  status = STATUS;
  web = PAGE_OFF;
  readonly session: ConsoleSession;

  constructor(language: ConsoleLanguage = 'en') {
    this.session = new ConsoleSession({
      clock: this.clock,
      agent: new ConsoleAgent({
        perform: (type, request) => {
          this.asked.push({ type, request });
          return this.answers(type);
        },
      }),
      pin: Object.assign(this.pin, {
        check: async (pin: string): Promise<PinVerdict> => {
          this.pinsTried += 1;
          return this.verdict ?? (pin === PIN ? { ok: true } : { ok: false, problem: 'wrong', waitS: 0 });
        },
      }),
      language,
      write: (text) => {
        this.screen += text;
      },
      over: (problem) => void this.overs.push(problem),
    });
    this.session.begin();
  }

  get acts() {
    return this.asked.filter(({ type }) => ACTS.includes(type));
  }

  /** What is shown after it. */
  async type(text: string | Uint8Array): Promise<string> {
    const before = this.screen.length;
    this.session.bytes(Buffer.from(text));
    await settled();
    return this.screen.slice(before);
  }

  async lines(...lines: string[]): Promise<string> {
    let shown = '';
    for (const line of lines) shown += await this.type(`${line}\r`);
    return shown;
  }

  #answer(type: string): unknown {
    const [before] = this.status.outputs;
    switch (type) {
      case 'status':
        return this.status;
      case 'identity':
        return {
          productLogin: 'gate-1',
          serverUrl: 'wss://gate.example.com',
          serverName: 'relaygate',
          publicKey: 'k',
          fingerprint: 'aaaa-bbbb',
          hasEnrolmentCode: true,
          webFingerprint: null,
        };
      case 'web-status':
        return this.web;
      case 'web-on':
        return { ...PAGE_ON, hotspotPassphrase: 'abcd-efgh-jkmn' };
      case 'history':
        return { entries: [], faults: [] };
      case 'log':
        return { logId: 'l', events: [] };
      case 'proof':
        return { wiring: WIRING, names: ['Gate', 'Light'], proof: null, isProven: false, isRequired: true };
      case 'prove':
        return PROVEN;
      case 'doctor':
        return DIAGNOSIS;
      case 'output':
        return { numOutput: 0, before, after: { ...before, pulseMs: 750 } };
      default:
        return { outcome: 'executed', numOutput: 0 };
    }
  }
}

let talk: Talk;
beforeEach(async () => {
  talk = new Talk();
  await settled();
});

describe('the PIN', () => {
  test('is asked for first, and nothing of the device is shown before', async () => {
    expect(talk.screen).toBe('\r\nRelaygate\r\nPIN: ');
    await talk.lines('1', 'y', '');
    expect(talk.screen).not.toContain('gate-1');
    expect(talk.asked).toEqual([]);
  });

  test('is shown as stars, and opens', async () => {
    const shown = await talk.lines(PIN);
    expect(shown).toContain('********');
    expect(shown).not.toContain(PIN);
    expect(shown).toContain(' 1  Status');
  });

  test('opens nothing when it is wrong, and says how long to wait', async () => {
    expect(await talk.lines('00000000')).toContain('Wrong PIN.');
    talk.verdict = { ok: false, problem: 'wrong', waitS: 60 };
    await talk.clock.advance(REFUSED_PAUSE_MS);
    expect(await talk.lines('00000000')).toContain('Wrong PIN. Too many wrong ones: wait 60 s.');
    talk.verdict = { ok: false, problem: 'wait', waitS: 3_600 };
    await talk.clock.advance(REFUSED_PAUSE_MS);
    expect(await talk.lines(PIN)).toContain('wait 60 min.');
    expect(talk.screen).not.toContain('Status');
  });

  test('that is missing says how to make one', async () => {
    talk.verdict = { ok: false, problem: 'no-pin' };
    expect(await talk.lines(PIN)).toContain('relayctl identity --new-pin');
  });

  test('what cannot be one is no try, and a line that echoes all of it asks twice a second at most', async () => {
    for (let turn = 0; turn < 100; turn += 1) await talk.type('Relaygate\r\nPIN: \r\n');
    expect(talk.pinsTried).toBe(0);
    expect(talk.screen.match(/8 digits/g)).toHaveLength(1);
  });

  test('is not looked at when it is garbled', async () => {
    expect(await talk.type(Buffer.from([...Buffer.from(PIN), 0x00, 0x0d]))).toContain('garbled');
    expect(talk.pinsTried).toBe(0);
    expect(await talk.lines(PIN)).toContain('Status');
  });
});

describe('logged in', () => {
  beforeEach(async () => {
    await talk.lines(PIN);
  });

  test('a pulse duration shows its range, asks, and tells the old and the new value', async () => {
    expect(await talk.lines('3', '2')).toContain('Now 500 ms; 50 to 3600000 ms.');
    expect(await talk.lines('750')).toContain('2 (Output 2): Pulse duration: 500 ms -> 750 ms? (y/n) ');
    expect(talk.acts).toEqual([]);
    expect(await talk.lines('y')).toContain('Saved. Pulse duration: 500 ms -> 750 ms.');
    const request = { numOutput: 2, change: { pulseMs: 750 }, force: false, actor: 'console' };
    expect(talk.acts).toEqual([{ type: 'output', request }]);
  });

  test.each([
    ['a pulse', ['2', '3', 'y'], { type: 'pulse', request: { numOutput: 3, actor: 'console' } }],
    ['on', ['2', '0', '1', 'YES'], { type: 'set', request: { numOutput: 0, state: 1, actor: 'console' } }],
    ['off', ['2', '1', '0', 'y'], { type: 'set', request: { numOutput: 1, state: 0, actor: 'console' } }],
    [
      'another name',
      ['4', '0', '1', 'Front gate', 'y'],
      { type: 'output', request: { numOutput: 0, change: { name: 'Front gate' }, force: false, actor: 'console' } },
    ],
    [
      'another mode',
      ['4', '0', '2', '2', 'y'],
      { type: 'output', request: { numOutput: 0, change: { mode: 'impulse' }, force: false, actor: 'console' } },
    ],
    [
      'another power-on policy',
      ['4', '1', '3', '3', 'y'],
      { type: 'output', request: { numOutput: 1, change: { powerOn: 'restore' }, force: false, actor: 'console' } },
    ],
  ])('%s is asked of the agent once it was confirmed', async (_what, lines, request) => {
    await talk.lines(...lines.slice(0, -1));
    expect(talk.acts).toEqual([]);
    await talk.lines(...lines.slice(-1));
    expect(talk.acts).toEqual([request]);
  });

  test.each([
    ['no', 'n'],
    ['nothing', ''],
    ['yes in the other language', 'o'],
    ['a number', '1'],
  ])('%s is no confirmation', async (_what, answer) => {
    expect(await talk.lines('2', '2', answer)).toContain('Nothing was done.');
    expect(talk.acts).toEqual([]);
  });

  test('a confirmation typed before its question counts for nothing', async () => {
    await talk.type('2\r2\ry\r');
    await talk.type('2\ry\r');
    expect(talk.screen).toMatch(/Pulse of 500 ms on output 2 \(Output 2\)\? \(y\/n\) $/);
    expect(talk.acts).toEqual([]);
  });

  test('a garbled confirmation is asked for again', async () => {
    await talk.lines('2', '2');
    expect(await talk.type(Uint8Array.of(0x79, 0xff, 0x0d))).toMatch(/garbled[\s\S]*\(y\/n\) $/);
    expect(talk.acts).toEqual([]);
    await talk.lines('y');
    expect(talk.acts).toHaveLength(1);
  });

  test('Ctrl-C leads back to the menu from everywhere', async () => {
    await talk.lines('2', '2');
    expect(await talk.type('\x03')).toContain(' 1  Status');
    expect(await talk.lines('y')).toContain('no such choice');
    expect(talk.acts).toEqual([]);
  });

  test('what the agent refuses is told in its words, and the menu comes again', async () => {
    const message = 'pulse-ms is a whole number from 50 to 3600000, not 7.';
    talk.answers = async (type) => {
      if (type === 'output') throw new RelaygateError('out-of-range', message);
      return STATUS;
    };
    expect(await talk.lines('3', '2', '7', 'y')).toMatch(/from 50 to 3600000, not 7\.[\s\S]* 1 {2}Status/);
  });

  test('numbers that are none, outputs and choices that are not there change nothing', async () => {
    expect(await talk.lines('3', '2', '7e2')).toContain('no whole number');
    expect(await talk.lines('3', '4')).toContain('no such choice');
    expect(await talk.lines('2', '-1')).toContain('no such choice');
    expect(await talk.lines('99')).toContain('no such choice');
    expect(talk.acts).toEqual([]);
  });

  test('the status tells link, outputs and faults', async () => {
    const shown = await talk.lines('1');
    expect(shown).toContain('Link         down (nobody answers)');
    expect(shown).toMatch(/ 2 {2}Output 2 +off +impulse 500 ms/);
    expect(shown).toContain('- Not linked: nobody answers.');
  });

  test('64 outputs come in screens, and nothing of others reaches the terminal as it is', async () => {
    const outputs = Array.from({ length: 64 }, (_, numOutput) => ({
      numOutput,
      ...wholeOutput({ ...(DEMO_OUTPUTS[0] as (typeof DEMO_OUTPUTS)[number]), name: `\u009b2J${'x'.repeat(60)}` }),
      state: null,
    }));
    talk.status = { ...STATUS, outputs };
    const first = await talk.lines('1');
    expect(first).toMatch(/-- Enter: more, q: enough -- $/);
    expect(first.split('\r\n').length).toBeLessThanOrEqual(24);
    for (const line of first.split('\r\n')) expect([...line].length).toBeLessThanOrEqual(79);
    expect(first).not.toContain('\u009b');
    expect(await talk.lines('q')).toContain(' 1  Status');
  });

  test('switches the page on, with a Wi-Fi where that is wanted, and off again', async () => {
    expect(await talk.lines('7')).toMatch(/Web page +off, no port is open[\s\S]*Wi-Fi of this device\? \(y\/n\) $/);
    expect(await talk.lines('y')).toContain('Switch the page on for 30 min? (y/n) ');
    const shown = await talk.lines('y');
    for (const word of ['https://192.0.2.7:8443/', 'AA:BB', 'abcd-efgh-jkmn']) expect(shown).toContain(word);
    expect(talk.acts).toEqual([{ type: 'web-on', request: { forMs: 1_800_000, hotspot: true, actor: 'console' } }]);
    talk.web = PAGE_ON;
    await talk.lines('7', 'n');
    expect(talk.acts).toHaveLength(1);
    expect(await talk.lines('7', 'y')).toContain('Done.');
    expect(talk.acts[1]).toEqual({ type: 'web-off', request: { actor: 'console' } });
  });

  test('locks an output for as long as was typed, once it was confirmed', async () => {
    expect(await talk.lines(item('locks'), '2')).toContain('For how long (such as 45m, 2h or 1d; 1m to 7d): ');
    expect(await talk.lines('2h')).toContain('Lock output 2 (Output 2) for 2h? (y/n) ');
    expect(talk.acts).toEqual([]);
    talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 2, forMs: 7_200_000 });
    expect(await talk.lines('y')).toContain('Locked for 2h: no command of the server moves it.');
    expect(talk.acts).toEqual([{ type: 'lock', request: { numOutput: 2, forMs: 7_200_000, actor: 'console' } }]);
  });

  test.each(['2', '2 h', '30s', '8d', '-1h', 'h'])('"%s" is no duration of a lock', async (text) => {
    expect(await talk.lines(item('locks'), '2', text)).toMatch(/no such duration[\s\S]* 1 {2}Status/);
    expect(talk.acts).toEqual([]);
  });

  test('a locked output is unlocked, or locked for another time, with the old one in sight', async () => {
    const lock = { leftMs: 60_000, by: 'relayctl as ana' };
    talk.status = { ...STATUS, outputs: STATUS.outputs.map((output, n) => (n === 1 ? { ...output, lock } : output)) };
    expect(await talk.lines(item('locks'))).toContain('locked for 1m by relayctl as ana');
    expect(await talk.lines('1')).toMatch(/ 1 {2}Unlock\r\n 2 {2}Lock for another time\r\nChoice: $/);
    expect(await talk.lines('1')).toContain('Unlock output 1 (Output 1)? (y/n) ');
    expect(talk.acts).toEqual([]);
    talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 1, wasLocked: true });
    expect(await talk.lines('y')).toContain('Done.');
    expect(talk.acts).toEqual([{ type: 'unlock', request: { numOutput: 1, actor: 'console' } }]);
    await talk.lines(item('locks'), '1', '2', '1d', 'y');
    expect(talk.acts[1]).toEqual({ type: 'lock', request: { numOutput: 1, forMs: 86_400_000, actor: 'console' } });
  });

  test('a lock that has run out meanwhile is told so', async () => {
    const lock = { leftMs: 1, by: 'x' };
    talk.status = { ...STATUS, outputs: STATUS.outputs.map((output) => ({ ...output, lock })) };
    await talk.lines(item('locks'), '0', '1');
    talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 0, wasLocked: false });
    expect(await talk.lines('y')).toContain('It was so already.');
  });

  test('shows the last 20 lines of the log, the newest last', async () => {
    const event = { sinceBootMs: 5_400, kind: 'command' as const };
    talk.answers = async () => ({
      logId: 'l',
      events: [
        { seq: 1, at: null, ...event, text: 'set 0 on by ana' },
        { seq: 2, at: '2026-03-01T12:00:05.000Z', ...event, text: 'pulse 2 by console' },
      ],
    });
    const shown = await talk.lines(item('log'));
    expect(shown).toContain('5 s after a boot  command   set 0 on by ana\r\n2026-03-01 12:00:05');
    expect(shown).toContain('2026-03-01 12:00:05  command   pulse 2 by console');
    expect(talk.asked).toEqual([{ type: 'log', request: { limit: 20, waitMs: 0 } }]);
    talk.answers = async () => ({ logId: 'l', events: [] });
    expect(await talk.lines(item('log'))).toContain('Nothing has happened since the agent has started.');
  });

  test('asks the doctor, says so while it looks, and tells what it found with its cure', async () => {
    let found = (_diagnosis: Diagnosis): void => {};
    talk.answers = () =>
      new Promise((resolve) => {
        found = resolve;
      });
    expect(await talk.lines(item('doctor'))).toMatch(/The doctor looks; that takes up to half a minute\.\r\n$/);
    expect(talk.asked).toEqual([{ type: 'doctor', request: {} }]);
    // Nobody asks: what is typed meanwhile is lost.
    expect(await talk.lines('2', '2', 'y')).toBe('');
    const before = talk.screen.length;
    found(DIAGNOSIS);
    await settled();
    const shown = talk.screen.slice(before);
    expect(shown).toMatch(/^agent: ok\. runs\r\nclock: look\. not set\r\n/);
    expect(shown).toContain('guard: WRONG. away\r\n    so: nothing moves\r\n    do: start it\r\n');
    expect(shown).toContain('1 well, 1 to look at, 1 wrong');
    expect(shown).toContain(' 1  Status');
    talk.answers = async () => DIAGNOSIS;
    await talk.lines(item('language'));
    expect(await talk.lines(item('doctor'))).toContain(
      'guard: DÉFAUT. away\r\n    donc : nothing moves\r\n    remède : start it',
    );
  });

  test('a doctor who looks already, or is not there, is told, and the menu comes again', async () => {
    const message = 'The doctor is looking already; wait for it.';
    talk.answers = () => Promise.reject(new RelaygateError('refused', message));
    expect(await talk.lines(item('doctor'))).toMatch(/looking already; wait for it\.[\s\S]* 1 {2}Status/);
  });

  test('what the doctor finds once the PIN is another is told nobody', async () => {
    let found = (_diagnosis: Diagnosis): void => {};
    talk.answers = () =>
      new Promise((resolve) => {
        found = resolve;
      });
    await talk.lines(item('doctor'));
    talk.pin.id = 'pin-2';
    found(DIAGNOSIS);
    await settled();
    expect(talk.screen).not.toContain('nothing moves');
    expect(talk.overs).toEqual([null]);
  });

  describe('the proof of the wiring', () => {
    const clicks = (): unknown[] => talk.asked.filter(({ type }) => type === 'click').map(({ request }) => request);
    const click = (numOutput: number) => ({ numOutput, actor: 'console' });

    test('clicks each output, asks which it was and whether it is on, and records it with a name', async () => {
      expect(await talk.lines(item('prove'))).toContain('The wiring is not proven.');
      expect(await talk.lines('Ana')).toContain('Whatever hangs on the 2 relays will move. Begin? (y/n) ');
      expect(clicks()).toEqual([]);
      expect(await talk.lines('y')).toContain('Relay 1 of 2 (Gate) clicks 3 times.\r\nWhich one clicked?');
      expect(await talk.lines('1')).toContain('Relay 1 is commanded off. Is it on now, its lamp lit? (y/n) ');
      await talk.lines('n', '2');
      expect(await talk.lines('y')).toContain('Record what was seen, in the name of Ana? (y/n) ');
      expect(clicks()).toEqual([click(0), click(1)]);
      expect(talk.acts).toEqual([]);
      expect(await talk.lines('y')).toContain('The wiring is proven by Ana, 2026-03-01T12:00:00.000Z.');
      const answers = [
        { relay: 1, isOn: false },
        { relay: 2, isOn: true },
      ];
      expect(talk.acts).toEqual([{ type: 'prove', request: { by: 'Ana', wiring: WIRING, answers, actor: 'console' } }]);
    });

    test('moves nothing without a name and a yes, and records nothing without another', async () => {
      await talk.lines(item('prove'), '');
      expect(await talk.lines(item('prove'), 'Ana', 'n')).toContain('Nothing was done.');
      expect(clicks()).toEqual([]);
      expect(await talk.lines(item('prove'), 'Ana', 'y', '0', '0', 'n')).toContain('Nothing was done.');
      expect(clicks()).toEqual([click(0), click(1)]);
      expect(talk.acts).toEqual([]);
    });

    test('clicks again where that is wanted, and asks again what it does not understand', async () => {
      await talk.lines(item('prove'), 'Ana', 'y', 'R');
      expect(clicks()).toEqual([click(0), click(0)]);
      expect(await talk.lines('3', '', 'x')).not.toContain('Is it on');
      expect(await talk.lines('2', 'perhaps')).toMatch(/its lamp lit\? \(y\/n\) $/);
      expect(clicks()).toHaveLength(2);
      expect(await talk.type('\x03')).toContain(' 1  Status');
      expect(talk.acts).toEqual([]);
    });

    test('tells what was corrected, and that nothing is proven yet', async () => {
      const corrections = [
        { numOutput: 0, line: { from: 5, to: 6 }, activeLevel: { from: 'low', to: 'high' } },
        { numOutput: 1, line: { from: 6, to: 5 } },
      ];
      await talk.lines(item('prove'), 'Ana', 'y', '2', 'y', '1', 'n');
      talk.answers = async () => ({ result: 'corrected', corrections, mustRestart: true });
      const shown = await talk.lines('y');
      expect(shown).toContain('- 0: line 5 -> 6 active level low -> high\r\n- 1: line 6 -> 5\r\n');
      expect(shown).toContain('restart relaygate-guard relaygate-agent');
      expect(shown).toContain('Nothing is proven yet');
    });
  });

  test('says in French why there is no link', async () => {
    const link = { ...STATUS.link, cause: 'name-unknown' as const, problem: 'x' };
    talk.status = { ...STATUS, link };
    await talk.lines(item('language'));
    expect(await talk.lines('1')).toContain('coupée (le nom du serveur est inconnu du réseau)');
  });

  test('the language changes for this login', async () => {
    expect(await talk.lines(item('language'))).toContain("Durée d'impulsion");
    await talk.lines('2', '2', 'y');
    expect(talk.acts).toEqual([]);
    await talk.lines('2', '2', 'o');
    expect(talk.acts).toHaveLength(1);
  });

  test('ends with "quit", and after five minutes without a key', async () => {
    await talk.lines(item('quit'));
    expect(talk.overs).toEqual([null]);
    const other = new Talk();
    await settled();
    await other.lines(PIN);
    await other.clock.advance(IDLE_MS - 1);
    await other.type('x');
    await other.clock.advance(IDLE_MS - 1);
    await other.type(Uint8Array.of(0xff, 0x00));
    expect(other.overs).toEqual([]);
    await other.clock.advance(1);
    expect(other.overs).toEqual([null]);
    expect(other.screen).toContain('Session closed');
    expect(await other.lines('2', '2', 'y')).toBe('');
    expect(other.acts).toEqual([]);
  });

  test('a new PIN ends the login of the old one before its next page, with a word', async () => {
    talk.pin.id = 'pin-2';
    const asked = talk.asked.length;
    expect(await talk.lines('1')).toContain('Session closed: a new PIN was made.');
    expect(talk.asked).toHaveLength(asked);
    expect(talk.overs).toEqual([null]);
  });

  test('a new PIN that is made while a page asks keeps its answer from doing anything', async () => {
    await talk.lines('2', '2');
    talk.pin.id = 'pin-2';
    expect(await talk.lines('y')).toContain('Session closed: a new PIN was made.');
    expect(talk.acts).toEqual([]);
    expect(talk.overs).toEqual([null]);
  });

  test('a PIN that was taken away ends the login too', async () => {
    talk.pin.id = null;
    expect(await talk.lines('1')).toContain('Session closed');
  });

  test('ends from outside in the middle of a question, for good', async () => {
    await talk.lines('2', '2');
    talk.session.end();
    expect(await talk.lines('y')).toBe('');
    expect(talk.acts).toEqual([]);
    expect(talk.overs).toEqual([]);
  });
});

test('a PIN that is still being checked when nobody is there any more opens nothing', async () => {
  talk.session.bytes(Buffer.from(`${PIN}\r`));
  talk.session.end();
  await settled();
  expect(await talk.lines('1')).toBe('');
  expect(talk.asked).toEqual([]);
});

test('a fault of ours ends the login, and is told', async () => {
  talk.answers = () => Promise.reject(new Error('boom'));
  await talk.lines(PIN, '1');
  expect(talk.overs).toMatchObject([{ message: 'boom' }]);
});

describe('whatever is typed', () => {
  const words = [
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '0',
    'y',
    'o',
    'n',
    '',
    '750',
    '2h',
    item('language'),
    'q',
    '\x03',
    'x',
  ];
  const chunk = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words).map((word) => Buffer.from(`${word}\r`)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text) => Buffer.from(text)) },
  );

  test('without the PIN nothing is asked of the agent, and nothing shown of the device', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 40 }), async (chunks) => {
        const stranger = new Talk();
        await settled();
        for (const bytes of chunks) {
          await stranger.type(bytes);
          await stranger.clock.advance(REFUSED_PAUSE_MS);
        }
        expect(stranger.asked).toEqual([]);
        expect(stranger.screen).not.toMatch(/gate-1|Output \d/);
      }),
      generatedRounds(100, 300),
    );
  });

  test('nothing is done but what the line before has said yes to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 60 }), async (chunks) => {
        const person = new Talk();
        await settled();
        expect(await person.lines(PIN)).toContain(' 1  Status');
        for (const bytes of chunks) {
          const [actsBefore, before] = [person.acts.length, person.screen.length];
          const asksToConfirm = /\? \((y|o)\/n\) [^\r\n]*$/.test(person.screen);
          await person.type(bytes);
          const done = person.acts.length - actsBefore;
          if (done === 0) continue;
          expect(done).toBe(1);
          expect(asksToConfirm).toBe(true);
          const typed = person.screen.slice(0, before).replace(/[\s\S]*\/n\) /, '') + person.screen.slice(before);
          expect(typed).toMatch(/^\s*(y|yes|o|oui)\s*\r\n/i);
        }
        expect(person.overs.filter((problem) => problem !== null)).toEqual([]);
      }),
      generatedRounds(100, 300),
    );
  });
});

test('the menu comes in the order of its words, "quit" last', async () => {
  const shown = await talk.lines(PIN);
  const numbered = Object.values(wordsOf('en').menu).map((word, n) => `${String(n + 1).padStart(2)}  ${word}`);
  expect(shown).toContain(numbered.join('\r\n'));
  expect(numbered.at(-1)).toContain('Quit');
});

test('every sentence is there in both languages, and no two of one menu are the same', () => {
  for (const language of ['fr', 'en'] as const) {
    const items = Object.values(wordsOf(language).menu);
    expect(new Set(items).size).toBe(items.length);
  }
  expect(Object.keys(wordsOf('fr').kinds)).toEqual(Object.keys(wordsOf('en').kinds));
  expect(Object.keys(wordsOf('fr').outcomes)).toEqual(Object.keys(wordsOf('en').outcomes));
});
