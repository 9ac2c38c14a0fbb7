/** One login, over a device that records what is asked of it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ConsoleAgent } from '@relaygate/device-agent/agent/console/console-agent';
import { ConsoleSession, IDLE_MS, REFUSED_PAUSE_MS } from '@relaygate/device-agent/agent/console/console-session';
import { wordsOf } from '@relaygate/device-agent/agent/console/console-words';
import type { DeviceStatus } from '@relaygate/device-agent/agent/local-messages/device';
import type { WebStatus } from '@relaygate/device-agent/agent/local-messages/web';
import type { PinVerdict } from '@relaygate/device-agent/agent/pin/pin-gate';
import { type ConsoleLanguage, RelaygateError, wholeOutput } from '@relaygate/shared';
import fc from 'fast-check';
import { DEMO_OUTPUTS } from '../../../../support/device/device';
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
/** What moves something or changes it. */
const ACTS = ['set', 'pulse', 'output', 'web-on', 'web-off'];

class Talk {
  readonly clock = new VirtualClock();
  readonly asked: { type: string; request: object }[] = [];
  screen = '';
  overs: unknown[] = [];
  verdict: PinVerdict | null = null;
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
      pin: {
        check: async (pin) => {
          this.pinsTried += 1;
          return this.verdict ?? (pin === PIN ? { ok: true } : { ok: false, problem: 'wrong', waitS: 0 });
        },
      },
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

  test('says in French why there is no link', async () => {
    const link = { ...STATUS.link, cause: 'name-unknown' as const, problem: 'x' };
    talk.status = { ...STATUS, link };
    await talk.lines('8');
    expect(await talk.lines('1')).toContain('coupée (le nom du serveur est inconnu du réseau)');
  });

  test('the language changes for this login', async () => {
    expect(await talk.lines('8')).toContain("Durée d'impulsion");
    await talk.lines('2', '2', 'y');
    expect(talk.acts).toEqual([]);
    await talk.lines('2', '2', 'o');
    expect(talk.acts).toHaveLength(1);
  });

  test('ends with "quit", and after five minutes without a key', async () => {
    await talk.lines('9');
    expect(talk.overs).toEqual([null]);
    const other = new Talk();
    await settled();
    await other.lines(PIN);
    await other.clock.advance(IDLE_MS - 1);
    await other.type('9');
    await other.clock.advance(IDLE_MS - 1);
    await other.type(Uint8Array.of(0xff, 0x00));
    expect(other.overs).toEqual([]);
    await other.clock.advance(1);
    expect(other.overs).toEqual([null]);
    expect(other.screen).toContain('Session closed');
    expect(await other.lines('2', '2', 'y')).toBe('');
    expect(other.acts).toEqual([]);
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
  const words = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', 'y', 'o', 'n', '', '750', 'q', '\x03', 'x'];
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
    );
  });
});

test('every sentence is there in both languages, and no two of one menu are the same', () => {
  for (const language of ['fr', 'en'] as const) {
    const items = Object.values(wordsOf(language).menu);
    expect(new Set(items).size).toBe(items.length);
  }
  expect(Object.keys(wordsOf('fr').kinds)).toEqual(Object.keys(wordsOf('en').kinds));
  expect(Object.keys(wordsOf('fr').outcomes)).toEqual(Object.keys(wordsOf('en').outcomes));
});
