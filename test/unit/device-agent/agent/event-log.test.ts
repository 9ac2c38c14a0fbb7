import { beforeEach, describe, expect, test } from '@jest/globals';
import { KEPT_EVENTS } from '@relaygate/device-agent/agent/history/event-file';
import { EventLog } from '@relaygate/device-agent/agent/history/event-log';
import { happened } from '@relaygate/device-agent/agent/history/happened';
import type { LogReply } from '@relaygate/device-agent/agent/technician/local-messages/log';
import { MAX_REPLY_BYTES } from '@relaygate/device-agent/ipc/line-connection';
import { AgentInMemory, CODE_PATH, EVENTS_PATH } from '../../../support/device/agent-in-memory';
import { quietLog } from '../../../support/device/quiet-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** Of a version that is called so. */
const started = (version: string) => happened('agent-started', { version });
const AT_MS = Date.UTC(2026, 2, 1);
const names = ({ events }: LogReply): string[] => events.map(({ text }) => text.split(' ')[1] ?? '');

describe('the log', () => {
  let clock: VirtualClock;
  let log: EventLog;
  const newLog = (isSet: boolean): EventLog => {
    const found = { logId: 'a', begins: { at: null, sinceBootMs: 0 }, events: [] };
    return new EventLog({
      clock,
      wallClock: { epochMs: () => AT_MS, isSet: () => isSet },
      file: { found, keep: () => {} },
      log: quietLog(),
    });
  };
  beforeEach(() => {
    clock = new VirtualClock();
    log = newLog(true);
  });

  test('keeps the newest events, and counts on', () => {
    for (let n = 1; n <= KEPT_EVENTS + 3; n += 1) log.add('agent', started(`${n}`));
    const { events } = log.newest(KEPT_EVENTS + 1);
    expect(events).toHaveLength(KEPT_EVENTS);
    expect(events[0]).toMatchObject({ seq: 4, text: 'agent 4 started', at: '2026-03-01T00:00:00.000Z' });
    expect(names(log.newest(2))).toEqual([`${KEPT_EVENTS + 2}`, `${KEPT_EVENTS + 3}`]);
  });

  test('gives the time since boot where the wall clock was never set', () => {
    log = newLog(false);
    log.add('agent', started('early'));
    expect(log.newest(1).events[0]).toMatchObject({ at: null, sinceBootMs: Math.round(clock.nowMs()) });
  });

  test('tells what came after an event, oldest first, without gaps', async () => {
    for (const text of ['one', 'two', 'three', 'four']) log.add('agent', started(text));
    expect(names(await log.after('a', 1, 2, 0))).toEqual(['two', 'three']);
    expect(names(await log.after('another', 3, 9, 0))).toEqual(['one', 'two', 'three', 'four']);
  });

  test('lets a reader wait for the next event, and not for ever', async () => {
    log.add('agent', started('one'));
    const reply = log.after('a', 1, 9, 10_000);
    await clock.advance(9_000);
    log.add('agent', started('two'));
    expect(names(await reply)).toEqual(['two']);
    const none = log.after('a', 2, 9, 10_000);
    await clock.advance(10_000);
    expect(names(await none)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('lets only so many readers wait (I15)', async () => {
    const waiting = Array.from({ length: 64 }, () => log.after('a', 0, 9, 10_000));
    expect(names(await log.after('a', 0, 9, 10_000))).toEqual([]);
    log.add('agent', started('one'));
    for (const reply of await Promise.all(waiting)) expect(names(reply)).toEqual(['one']);
  });
});

describe('an agent notes', () => {
  test('what happens, in words, with who commanded it', async () => {
    const device = await AgentInMemory.started();
    await device.changeOutput(0, { maxOnMs: 60_000 });
    await device.localRequest('set', { numOutput: 0, state: 1 });
    device.server.command('r', 1, { by: 'Kiosk' });
    await device.passed(60_100);
    await device.localRequest('lock', { numOutput: 1, forMs: 60_000 });
    device.server.command('s', 1);
    await device.passed(61_000);
    await device.localRequest('unlock', { numOutput: 1 });
    device.killGuard();
    await device.passed(1_000);
    await device.startGuard(1_000);
    device.files.texts.set(CODE_PATH, 'no code at all');
    device.server.close(null);
    await device.passed(10_000);
    expect((await device.loggedEvents()).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'agent: agent 0.1.0 started',
      'guard: guard reached',
      'link: link up (epoch 1)',
      'settings: output 0: maxOnMs 0 -> 60000 by a test',
      'command: set 0 on by a test: executed',
      'command: toggle 1 by Kiosk: executed',
      'policy: output 0 went off: its maxOnMs is over',
      'lock: output 1 locked for 1m by a test',
      'command: toggle 1 by the server: refused (locked)',
      'lock: output 1: its lock has ended',
      'lock: output 1 unlocked by a test',
      'guard: guard away: it has closed the connection',
      'guard: guard reached',
      'link: link down: closed',
      'link: link up (epoch 2)',
      'fault: /data/enrolment-code holds no enrolment code, or a mistyped one; it is not sent.',
    ]);
  });

  test('that there is no link from the first try on, with the guard away too, and each reason once', async () => {
    const device = new AgentInMemory();
    const { dial } = device.server;
    const refused =
      (problem: string): typeof dial =>
      (events) => {
        queueMicrotask(() => events.closed(null, problem));
        return { send: () => {}, terminate: () => {} };
      };
    let next = refused('no name server');
    device.server.dial = (events) => next(events);
    await device.startAgent(10_000);
    next = refused('nothing listens');
    await device.passed(60_000);
    next = dial;
    await device.passed(60_000);
    expect(await device.logged('link')).toEqual([
      'no link: no name server',
      'no link: nothing listens',
      'link up (epoch 1)',
    ]);
  });

  test('what was changed from what to what, by whom, and a setting that stays as it is not at all', async () => {
    const device = await AgentInMemory.started();
    await device.changeOutput(2, { name: 'Gate', pulseMs: 750, interlock: 'motor', interlockDelayMs: 500 });
    expect(await device.logged('settings')).toEqual([
      'output 2: name Output 2 -> Gate by a test',
      'output 2: pulseMs 500 -> 750 by a test',
      'output 2: interlock none -> motor by a test',
    ]);
  });
});

describe('the log of an agent that is started anew in the same boot', () => {
  let device: AgentInMemory;
  const read = async (more: object = {}): Promise<LogReply> =>
    (await device.localRequest('log', { limit: KEPT_EVENTS, waitMs: 0, ...more })) as LogReply;
  const commands = (): Promise<string[]> => device.logged('command');
  async function restartAgent(): Promise<void> {
    device.stopAgent();
    await device.passed(100);
    await device.startAgent(3_000);
  }
  /** As many commands as the log keeps. */
  async function fill(more: object = {}): Promise<void> {
    for (let n = 0; n < KEPT_EVENTS; n += 1) {
      device.server.command(`c${n}`, 0, { action: 'set', state: 0, ...more });
      await device.passed(1);
    }
  }
  beforeEach(async () => {
    device = await AgentInMemory.started();
    await device.localRequest('set', { numOutput: 0, state: 1 });
    device.server.command('r', 1, { by: 'Kiosk' });
    await device.passed(100);
  });

  test('goes on: each command once, under the same name, each number once', async () => {
    const before = await read();
    await restartAgent();
    await device.localRequest('set', { numOutput: 0, state: 0 });
    const after = await read();
    expect(after).toMatchObject({ logId: before.logId, begins: before.begins });
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    expect(await commands()).toEqual([
      'set 0 on by a test: executed',
      'toggle 1 by Kiosk: executed',
      'set 0 off by a test: executed',
    ]);
    const seqs = after.events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  });

  test('has what the guard did while no agent was there to write it down, with its time', async () => {
    device.isGuardHung = true;
    void device.localRequest('set', { numOutput: 3, state: 1 }).catch(() => {});
    await device.passed(10);
    const atMs = device.clock.nowMs();
    device.stopAgent();
    device.isGuardHung = false;
    await device.passed(10_000);
    await device.startAgent(3_000);
    const events = (await read()).events.filter(({ text }) => text.startsWith('set 3 on'));
    expect(events.at(-1)?.text).toBe('set 3 on by a test: executed');
    expect(Math.abs((events.at(-1)?.sinceBootMs ?? 0) - atMs)).toBeLessThan(100);
  });

  test('tells once, with its time, that a policy switched off: after a guard that hung, and after another start too', async () => {
    await device.changeOutput(0, { maxOnMs: 1_000 });
    const policies = async () => (await read()).events.filter(({ kind }) => kind === 'policy');
    await device.localRequest('set', { numOutput: 0, state: 0 });
    await device.localRequest('set', { numOutput: 0, state: 1 });
    const atMs = device.clock.nowMs() + 1_000;
    device.stopAgent();
    await device.passed(5_000);
    await device.startAgent(100);
    const told = [{ text: 'output 0 went off: its maxOnMs is over', sinceBootMs: Math.round(atMs) }];
    expect(await policies()).toMatchObject(told);
    await restartAgent();
    device.isGuardHung = true;
    await device.passed(10_000);
    device.isGuardHung = false;
    await device.passed(10_000);
    expect(await policies()).toMatchObject(told);
    expect(await policies()).toHaveLength(1);
  });

  test('tells the clicks of a proof as the one thing that they are', async () => {
    for (const numOutput of [0, 1]) await device.localRequest('set', { numOutput, state: 0 });
    const click = device.localRequest('click', { numOutput: 2 });
    await device.passed(5_000);
    await click;
    const before = await commands();
    await restartAgent();
    expect(await commands()).toEqual(before);
    expect(before.at(-1)).toBe('click 2 by a test: executed');
    expect(before.filter((text) => text.startsWith('pulse'))).toEqual([]);
  });

  test('speaks the language of its reader, and in English to programs, also of what was before', async () => {
    await restartAgent();
    const french = await read({ language: 'fr' });
    expect(french.events.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'agent: agent 0.1.0 démarré',
      'guard: le service des relais répond',
      'link: liaison établie (époque 1)',
      'command: set 0 on par a test : fait',
      'command: toggle 1 par Kiosk : fait',
      'agent: agent 0.1.0 démarré',
      'guard: le service des relais répond',
      'link: liaison établie (époque 2)',
    ]);
    const english = (await read()).events;
    expect(english.map(({ text }) => text)).toContain('link up (epoch 2)');
    for (const event of english) expect(Object.keys(event)).not.toEqual(expect.arrayContaining(['code']));
    const { logId, seq } = { logId: french.logId, seq: french.events.at(-1)?.seq };
    const next = device.localRequest('log', { after: { logId, seq }, limit: 9, waitMs: 9_000, language: 'fr' });
    await device.localRequest('set', { numOutput: 0, state: 0 });
    expect(await next).toMatchObject({ events: [{ text: 'set 0 off par a test : fait' }] });
  });

  test('answers with as many events as fit into a line: the newest, or behind one that is named without a gap', async () => {
    await fill({ by: 'é'.repeat(64) });
    const { logId, begins, events } = await read();
    expect(Buffer.byteLength(JSON.stringify({ events }))).toBeLessThan(MAX_REPLY_BYTES);
    expect(events.length).toBeGreaterThan(KEPT_EVENTS / 2);
    expect(events.length).toBeLessThan(KEPT_EVENTS);
    expect(events.at(-1)?.seq).toBe(begins.seq + KEPT_EVENTS - 1);
    const next = await read({ after: { logId, seq: begins.seq }, language: 'fr' });
    expect(next.events[0]?.seq).toBe(begins.seq + 1);
    expect(Buffer.byteLength(JSON.stringify(next))).toBeLessThan(MAX_REPLY_BYTES);
    expect(next.events.length).toBeGreaterThan(KEPT_EVENTS / 2);
  });

  test('tells what an older agent has written as it stands there', async () => {
    const older = { seq: 1, at: null, sinceBootMs: 7, kind: 'guard', text: 'guard reached' };
    const head = { bootId: device.bootId, logId: 'older', begins: { at: null, sinceBootMs: 0 } };
    device.stopAgent();
    await device.passed(100);
    const noWords = { ...older, seq: 2, text: 'a newer word', code: 'of-a-newer-agent', values: {} };
    device.files.texts.set(EVENTS_PATH, [head, older, noWords].map((line) => `${JSON.stringify(line)}\n`).join(''));
    await device.startAgent();
    const { events } = await read({ language: 'fr' });
    expect(events.slice(0, 3)).toMatchObject([older, { text: 'a newer word' }, { text: 'agent 0.1.0 démarré' }]);
  });

  test('begins anew with another boot, and where the file is of no use', async () => {
    device.files.texts.set(EVENTS_PATH, `${device.files.texts.get(EVENTS_PATH)}{"seq":\n{}\n`);
    await restartAgent();
    expect(await commands()).toEqual([]);
    expect((await read()).begins.sinceBootMs).toBeGreaterThan(200);
    await device.localRequest('set', { numOutput: 0, state: 0 });
    device.bootId = 'boot-2';
    await restartAgent();
    expect(await commands()).toEqual([]);
  });

  test('says where it begins once the oldest had to go', async () => {
    await fill();
    const { begins, events } = await read();
    expect(begins).toEqual({ seq: events[0]?.seq, at: events[0]?.at, sinceBootMs: events[0]?.sinceBootMs });
    await restartAgent();
    const last = await read();
    expect(last.events).toHaveLength(KEPT_EVENTS);
    expect(last.begins.seq).toBe(last.events[0]?.seq);
    const lines = (device.files.texts.get(EVENTS_PATH) ?? '').split('\n').length;
    expect(lines).toBeLessThan(2 * KEPT_EVENTS + 3);
  });
});
