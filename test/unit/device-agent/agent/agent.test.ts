/** The agent over a guard in the same process, a scripted server and a virtual clock: only the ports are other ones. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Agent } from '@relaygate/device-agent/agent/agent';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import type { LinkSocketEvents } from '@relaygate/device-agent/link/link-socket';
import type { DialLines, ServeLines } from '@relaygate/device-agent/local/line-connection';
import { RequestClient } from '@relaygate/device-agent/local/request-client';
import { ed25519Identity } from '@relaygate/device-agent/system/ed25519-identity';
import {
  CLOSE,
  type Command,
  type DeviceMessage,
  type DeviceSettings,
  EXECUTION_DEADLINE_MS,
  parseDeviceSettings,
  readDeviceFrame,
  type ServerMessage,
} from '@relaygate/shared';
import { NO_SERVER, outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { dialInMemory } from '../../../support/device/line-pair';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

const SETTINGS: DeviceSettings = { board: { kind: 'simulated' }, outputs: outputsWith({}), link: NO_SERVER };
const SETTINGS_PATH = '/data/settings.json';
const CODE_PATH = '/data/enrolment-code';
/** The server's clock is this far ahead. */
const AHEAD_MS = 77_000;

/** A server of one link that answers the handshake by itself and shows what the device said. */
class ScriptedServer {
  readonly said: DeviceMessage[] = [];
  readonly clock: VirtualClock;
  events: LinkSocketEvents | null = null;
  epoch = 0;
  unresolved: string[] = [];
  answersTime = true;
  terminations = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  dial = (events: LinkSocketEvents) => {
    this.events = events;
    queueMicrotask(() => events.opened());
    return {
      send: (text: string) => this.#hear(text),
      terminate: () => {
        this.terminations += 1;
        queueMicrotask(() => events.closed(null, 'terminated'));
      },
    };
  };

  say(message: ServerMessage): void {
    const { events } = this;
    queueMicrotask(() => events?.text(JSON.stringify(message)));
  }

  close(code: number | null): void {
    const { events } = this;
    queueMicrotask(() => events?.closed(code, 'closed'));
  }

  command(commandId: string, numOutput: number, more: Partial<Command> = {}): void {
    this.say({
      type: 'command',
      commandId,
      epoch: this.epoch,
      numOutput,
      action: 'toggle',
      executeBeforeMs: this.clock.nowMs() + AHEAD_MS + EXECUTION_DEADLINE_MS,
      ...more,
    });
  }

  of<T extends DeviceMessage['type']>(type: T): Extract<DeviceMessage, { type: T }>[] {
    return this.said.filter((message): message is Extract<DeviceMessage, { type: T }> => message.type === type);
  }

  #hear(text: string): void {
    const frame = readDeviceFrame(text);
    if (frame.kind !== 'message') throw new Error(`the device sent ${text}`);
    const { message } = frame;
    this.said.push(message);
    if (message.type === 'hello') this.say({ type: 'challenge', serverNonce: 'n'.repeat(43), serverName: 'relaygate' });
    if (message.type === 'proof') {
      this.epoch += 1;
      this.say({ type: 'welcome', epoch: this.epoch, unresolved: this.unresolved });
    }
    if (message.type === 'time' && this.answersTime) {
      this.say({ type: 'time', seq: message.seq, serverMs: this.clock.nowMs() + AHEAD_MS });
    }
  }
}

let clock: VirtualClock;
let files: MemoryFiles;
let board: FakeBoard;
let server: ScriptedServer;
/** null: the guard is down. */
let guardServes: ServeLines | null;
let agent: Agent;
let dialGuard: DialLines;
/** The guard takes connections and lines, and answers nothing. */
let isGuardHung = false;
let cutGuard = (): void => {};

async function startGuard(): Promise<Guard> {
  const parsed = parseDeviceSettings(JSON.parse(files.texts.get(SETTINGS_PATH) ?? ''));
  if (!parsed.ok) throw new Error(parsed.problem);
  const guard = await openGuard(parsed.value.outputs, {
    clock,
    driver: board,
    files,
    log: quietLog(),
    bootId: 'boot-1',
    board: parsed.value.board,
    statePath: '/data/state.json',
    journalPath: '/run/journal.jsonl',
    checkWritable: async () => {},
  });
  guardServes = serveGuard(guard, quietLog());
  return guard;
}

/** As SIGKILL would: the connection ends, and nobody listens any more. */
function killGuard(): void {
  guardServes = null;
  cutGuard();
}

async function startAgent(): Promise<void> {
  const text = files.texts.get(SETTINGS_PATH) ?? '';
  agent = new Agent({
    clock,
    randomness: { bytes: (size) => new Uint8Array(size).fill(7), fraction: () => 0.5 },
    files,
    log: quietLog(),
    dialGuard,
    dialLink: server.dial,
    settings: JSON.parse(text),
    settingsText: text,
    settingsPath: SETTINGS_PATH,
    enrolmentCodePath: CODE_PATH,
    identity: ed25519Identity(new Uint8Array(32).fill(1)),
    version: '0.1.0',
    bootId: 'boot-1',
  });
  agent.start();
  await passed();
}

/** Lets everything happen that needs no time. */
async function passed(ms = 0): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await settled();
  if (ms > 0) await clock.advance(ms);
  for (let turn = 0; turn < 10; turn += 1) await settled();
}

function localRequest(type: string, body: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const connection = dialInMemory(() => agent.serveLocal())({
      opened: () => void client.request(type, { ...body, actor: 'a test' }, 20_000).then(resolve, reject),
      line: (text) => void client.takeLine(text),
      closed: () => client.end('closed'),
    });
    const client = new RequestClient(connection, clock);
  });
}

beforeEach(() => {
  clock = new VirtualClock();
  files = new MemoryFiles();
  files.texts.set(SETTINGS_PATH, JSON.stringify(SETTINGS));
  board = new FakeBoard(clock, 4);
  server = new ScriptedServer(clock);
  guardServes = null;
  isGuardHung = false;
  const dial = dialInMemory(() => guardServes);
  dialGuard = (events) => {
    const connection = dial({ ...events, line: (text) => (isGuardHung ? undefined : events.line(text)) });
    cutGuard = () => connection.close();
    return connection;
  };
});

describe('a new link', () => {
  test('is up after the handshake, with the outputs reported before the resume', async () => {
    files.texts.set(CODE_PATH, 'ABCD-EFGH\n');
    await startGuard();
    await startAgent();
    await passed(200);
    expect(server.said.map(({ type }) => type)).toEqual(['hello', 'proof', 'time', 'time', 'time', 'report', 'resume']);
    expect(server.of('proof')[0]?.enrolmentCode).toBe('ABCD-EFGH');
    expect(server.of('report')[0]?.outputs.map(({ state }) => state)).toEqual([0, 0, 0, 0]);
    expect(files.texts.has(CODE_PATH)).toBe(false);
  });

  test('resumes with what the guard knows of the commands asked for', async () => {
    await startGuard();
    await startAgent();
    server.command('done', 0);
    await passed(100);
    server.unresolved = ['done', 'never'];
    server.close(null);
    await passed(5_000);
    expect(server.of('resume').at(-1)).toMatchObject({
      outcomes: [{ commandId: 'done', outcome: 'executed' }],
      notStarted: ['never'],
    });
  });

  test('comes up without a guard, with states unknown and the fault reported', async () => {
    server.unresolved = ['c'];
    await startAgent();
    await passed(3_000);
    expect(server.of('report')[0]).toMatchObject({
      outputs: [{ state: null }, { state: null }, { state: null }, { state: null }],
      faults: ['The guard is away: it does not run.'],
    });
    expect(server.of('resume')[0]).toEqual({ type: 'resume', outcomes: [], notStarted: [] });
  });
});

describe('a guard that hangs', () => {
  test('is shown and reported as away, its states as unknown, until it answers again (I11)', async () => {
    await startGuard();
    await startAgent();
    isGuardHung = true;
    await passed(4_500);
    const hung = {
      guard: { isReachable: false, problem: 'it does not answer' },
      outputs: [{ state: null }, {}, {}, {}],
    };
    expect(await localRequest('status', {})).toMatchObject(hung);
    expect(server.of('report').at(-1)?.faults).toEqual(['The guard is away: it does not answer.']);
    expect(server.of('report').at(-1)?.outputs[0]?.state).toBeNull();
    await passed(10_000);
    expect(await localRequest('status', {})).toMatchObject(hung);
    isGuardHung = false;
    await passed(3_000);
    expect(await localRequest('status', {})).toMatchObject({
      guard: { isReachable: true },
      outputs: [{ state: 0 }, {}, {}, {}],
    });
  });
});

describe('an enrolment-code file that is of no use', () => {
  test.each([
    ['cannot be read', 'EACCES', 'ABCD-EFGH', 'cannot be read (EACCES)'],
    ['holds something else', '', 'the code is: ABCD', 'holds no enrolment code'],
    ['is too long', '', 'A'.repeat(65), 'holds no enrolment code'],
  ])(
    'because it %s is not sent, named as a fault, and keeps no enrolled device out',
    async (_name, problem, text, words) => {
      files.texts.set(CODE_PATH, text);
      files.unreadable.set(CODE_PATH, problem);
      await startGuard();
      await startAgent();
      expect(server.of('proof')[0]).not.toHaveProperty('enrolmentCode');
      expect(server.of('report')[0]?.faults).toEqual([expect.stringContaining(`${CODE_PATH} ${words}`)]);
      expect(files.texts.get(CODE_PATH)).toBe(text);
    },
  );
});

describe('a remote command', () => {
  beforeEach(async () => {
    await startGuard();
    await startAgent();
    await passed(100);
    server.said.length = 0;
  });

  test('is executed and answered, and its own edge needs no report', async () => {
    server.command('c1', 0);
    await passed(500);
    expect(server.said).toEqual([{ type: 'result', commandId: 'c1', outcome: 'executed', numOutput: 0, state: 1 }]);
  });

  test('delivered twice makes one edge (T7)', async () => {
    server.command('c1', 0);
    server.command('c1', 0);
    await passed(500);
    expect(board.edges).toHaveLength(1);
    expect(server.of('result').map(({ outcome }) => outcome)).toEqual(['executed', 'executed']);
  });

  test('that pulses is answered at once; its end is a report', async () => {
    server.command('c1', 2, { action: 'set', state: 1 });
    await passed(300);
    expect(server.said.map(({ type }) => type)).toEqual(['result']);
    await passed(300);
    expect(server.said.map(({ type }) => type)).toEqual(['result', 'report']);
    expect(server.of('report')[0]?.outputs[2]?.state).toBe(0);
  });

  test.each([
    [3_900, 1],
    [4_400, 1],
    [4_600, 0],
    [6_000, 0],
  ])('delivered %i ms late makes %i edges (T8)', async (lateMs, edges) => {
    const executeBeforeMs = clock.nowMs() + AHEAD_MS + EXECUTION_DEADLINE_MS;
    await passed(lateMs);
    server.command('c1', 0, { executeBeforeMs });
    await passed(100);
    expect(board.edges).toHaveLength(edges);
    expect(server.of('result')[0]?.outcome).toBe(edges === 1 ? 'executed' : 'expired');
  });

  test('that sets nothing is refused', async () => {
    server.command('c1', 0, { action: 'set' });
    await passed();
    expect(server.of('result')[0]).toMatchObject({ outcome: 'refused', reason: 'bad-command' });
  });

  test('is refused while the guard is away, and works again when it is back', async () => {
    killGuard();
    await passed(1_000);
    server.command('c1', 0);
    await passed(100);
    expect(server.of('result')[0]).toMatchObject({ outcome: 'refused', reason: 'guard-unreachable' });
    expect(server.of('report').at(-1)?.outputs[0]?.state).toBeNull();
    await startGuard();
    await passed(300);
    expect(server.of('report').at(-1)).toMatchObject({ faults: [], outputs: [{ state: 0 }, {}, {}, {}] });
    server.command('c2', 0);
    await passed(100);
    expect(server.of('result').at(-1)).toMatchObject({ commandId: 'c2', outcome: 'executed' });
  });

  test('whose guard dies between edge and answer is not called refused, and never moves again', async () => {
    board.answer = (order) => {
      board.move(order);
      return new Promise(() => {});
    };
    server.command('c1', 2, { action: 'set', state: 1 });
    await passed();
    killGuard();
    await passed(100);
    board.answer = () => null;
    await startGuard();
    await passed(5_000);
    expect(server.of('result')).toEqual([]);
    expect(board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('whose answer was lost is answered late, once the guard is back', async () => {
    let finish = (): void => {};
    board.answer = (order) => new Promise((resolve) => (finish = () => resolve(board.move(order))));
    server.command('c1', 0);
    await passed();
    cutGuard();
    finish();
    await passed(500);
    expect(server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  });
});

describe('a command that is still on its way when the link breaks', () => {
  test('is answered on the next link, once', async () => {
    await startGuard();
    await startAgent();
    await passed(100);
    let finish = (): void => {};
    board.answer = (order) => new Promise((resolve) => (finish = () => resolve(board.move(order))));
    server.command('c1', 0);
    await passed();
    server.unresolved = ['c1'];
    server.close(null);
    await passed();
    finish();
    await passed(3_000);
    const resumed = server.of('resume').at(-1)?.outcomes ?? [];
    expect([...resumed, ...server.of('result')]).toContainEqual(
      expect.objectContaining({ commandId: 'c1', outcome: 'executed' }),
    );
    expect(board.edges).toHaveLength(1);
  });

  test('is answered on the next link, though it was still on its way when that asked', async () => {
    await startGuard();
    await startAgent();
    await passed(100);
    let finish = (): void => {};
    board.answer = (order) => new Promise((resolve) => (finish = () => resolve(board.move(order))));
    server.command('c1', 0);
    await passed();
    server.unresolved = ['c1'];
    server.close(null);
    await passed(600);
    expect(server.of('resume').at(-1)).toMatchObject({ outcomes: [], notStarted: [] });
    finish();
    await passed(100);
    expect(server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  });
});

describe('a link that breaks', () => {
  beforeEach(async () => {
    await startGuard();
    await startAgent();
    await passed(100);
  });

  test('is given up after 15 s of silence and made anew', async () => {
    server.answersTime = false;
    await passed(15_100);
    expect(server.terminations).toBe(1);
    server.answersTime = true;
    await passed(3_000);
    expect(server.of('resume')).toHaveLength(2);
  });

  test('stays for hours while the server answers the heartbeat', async () => {
    await passed(2 * 3_600_000);
    expect(server.terminations).toBe(0);
    expect(server.of('hello')).toHaveLength(1);
    expect(clock.pendingTimers).toBeLessThan(10);
  });

  test('by a takeover waits a minute, and the takeover is reported afterwards', async () => {
    server.close(CLOSE.replaced);
    await passed(59_000);
    expect(server.of('hello')).toHaveLength(1);
    await passed(2_000);
    expect(server.of('report').at(-1)?.faults[0]).toContain('Another device');
    const status = await localRequest('status', {});
    expect(status).toMatchObject({ link: { isUp: true }, faults: [expect.stringContaining('Another device')] });
  });

  test('leaves local commands working', async () => {
    server.close(CLOSE.refused);
    await passed(10);
    expect(await localRequest('set', { numOutput: 0, state: 1 })).toEqual({
      outcome: 'executed',
      numOutput: 0,
      state: 1,
    });
    expect(await localRequest('status', {})).toMatchObject({
      link: { isUp: false, problem: expect.stringContaining('refused this device') },
    });
  });
});

describe('a change of settings', () => {
  beforeEach(async () => {
    await startGuard();
    await startAgent();
    await passed(100);
  });

  const change = (numOutput: number, wish: object, force = false): Promise<unknown> =>
    localRequest('output', { numOutput, change: wish, force });

  test('is in force, on disk and reported', async () => {
    expect(await change(2, { pulseMs: 750 })).toMatchObject({ before: { pulseMs: 500 }, after: { pulseMs: 750 } });
    await passed(100);
    expect(JSON.parse(files.texts.get(SETTINGS_PATH) ?? '').outputs[2].pulseMs).toBe(750);
    expect(server.of('report').at(-1)?.outputs[2]?.pulseMs).toBe(750);
    await localRequest('pulse', { numOutput: 2 });
    await passed(749);
    expect(board.levels[2]).toBe('high');
    await passed(1);
    expect(board.levels[2]).toBe('low');
  });

  test('that cannot be saved is taken back and refused', async () => {
    const before = files.texts.get(SETTINGS_PATH);
    files.failing.set(SETTINGS_PATH, 'ENOSPC: no space left on device');
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'refused' });
    expect(files.texts.get(SETTINGS_PATH)).toBe(before);
    await localRequest('pulse', { numOutput: 2 });
    await passed(500);
    expect(board.levels[2]).toBe('low');
  });

  test('whose save fails after the file is new is taken back there too', async () => {
    const before = files.texts.get(SETTINGS_PATH);
    files.failingLate.set(SETTINGS_PATH, 'EIO');
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({
      message: expect.stringContaining('nothing was changed'),
    });
    expect(JSON.parse(files.texts.get(SETTINGS_PATH) ?? '')).toEqual(JSON.parse(before ?? ''));
    files.failingLate.clear();
    await change(2, { pulseMs: 750 });
  });

  test('of the mode is refused while the output is active, unless forced', async () => {
    await localRequest('set', { numOutput: 0, state: 1 });
    await expect(change(0, { mode: 'impulse' })).rejects.toMatchObject({ code: 'output-active' });
    expect(board.levels[0]).toBe('high');
    await change(0, { mode: 'impulse' }, true);
    expect(board.levels[0]).toBe('low');
  });

  test.each([
    [{ pulseMs: 49 }, '50 to 3600000'],
    [{ pulseMs: 75.5 }, '50 to 3600000'],
    [{ name: '' }, '1 to 64 characters'],
    [{ name: 'a\u0007b' }, '1 to 64 characters'],
  ])('to %j is refused with the range', async (wish, range) => {
    await expect(change(2, wish)).rejects.toMatchObject({
      code: 'out-of-range',
      message: expect.stringContaining(range),
    });
  });

  test('does not overwrite what a hand has edited since', async () => {
    files.texts.set(SETTINGS_PATH, '{"edited": true}');
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ message: expect.stringContaining('edited') });
    expect(files.texts.get(SETTINGS_PATH)).toBe('{"edited": true}');
  });

  test('needs the guard, which alone knows whether the output is free', async () => {
    killGuard();
    await passed(10);
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'guard-unreachable' });
  });

  test('reaches a guard that runs with older settings once it is back', async () => {
    killGuard();
    const old = files.texts.get(SETTINGS_PATH) ?? '';
    await passed(10);
    files.texts.set(SETTINGS_PATH, old.replace('"Output 1"', '"Before"'));
    const guard = await startGuard();
    expect(guard.view().outputs[1]?.settings.name).toBe('Before');
    await passed(300);
    expect(guard.view().outputs[1]?.settings.name).toBe('Output 1');
  });
});

describe('a change of the board', () => {
  const LOW = { board: { kind: 'gpio', lines: [5, 6, 7, 8] }, relays: ['A', 'B', 'C', 'D'], activeLevel: 'low' };
  const onDisk = () => JSON.parse(files.texts.get(SETTINGS_PATH) ?? '');
  let guard: Guard;
  beforeEach(async () => {
    guard = await startGuard();
    await startAgent();
    await passed(100);
  });

  const choose = (wish: object): Promise<unknown> => localRequest('board', wish);
  const faults = async (): Promise<string[]> => {
    const status = await localRequest('status', {});
    return status !== null && typeof status === 'object' && 'faults' in status ? (status.faults as string[]) : [];
  };

  test('is written for the next start, with the outputs as they were but for the polarity', async () => {
    const before = onDisk();
    expect(await choose(LOW)).toEqual({
      before: before.board,
      after: LOW.board,
      outputs: ['kept', 'kept', 'kept', 'kept'],
      mustRestart: true,
    });
    const outputs = before.outputs.map((output: object) => ({ ...output, activeLevel: 'low' }));
    expect(onDisk()).toEqual({ ...before, board: LOW.board, outputs });
    expect(await faults()).toEqual([expect.stringContaining('restart relaygate-guard, then relaygate-agent')]);
  });

  test('adds outputs that pulse, and takes away those that the board has no relay for', async () => {
    const lines = [5, 6, 7, 8, 25];
    const more = { board: { kind: 'gpio', lines }, relays: ['A', 'B', 'C', 'D', 'E'], activeLevel: 'high' };
    expect(await choose(more)).toMatchObject({ outputs: ['kept', 'kept', 'kept', 'kept', 'new'] });
    expect(onDisk().outputs[4]).toEqual({
      name: 'E',
      mode: 'impulse',
      pulseMs: 500,
      activeLevel: 'high',
      powerOn: 'off',
    });
    const fewer = { board: { kind: 'gpio-sysfs', lines: [5] }, relays: ['A'], activeLevel: 'high' };
    expect(await choose(fewer)).toMatchObject({ outputs: ['kept', 'removed', 'removed', 'removed'] });
    expect(onDisk().outputs).toHaveLength(1);
  });

  test('moves nothing, and reaches no line of the old board (I5)', async () => {
    await choose(LOW);
    await passed(1_000);
    expect(board.edges).toEqual([]);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('high');
    await expect(
      localRequest('output', { numOutput: 2, change: { pulseMs: 750 }, force: false }),
    ).rejects.toMatchObject({
      code: 'refused',
    });
    // The old board goes on to work.
    await localRequest('pulse', { numOutput: 2 });
    expect(board.levels[2]).toBe('high');
  });

  test('is not undone where the guard is restarted first (I5)', async () => {
    await choose(LOW);
    killGuard();
    await passed(10);
    board = new FakeBoard(clock, 4);
    guard = await startGuard();
    await passed(1_000);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('low');
    expect(board.levels).toEqual(['high', 'high', 'high', 'high']);
    agent.stop();
    await startAgent();
    await passed(1_000);
    expect(await faults()).toEqual([]);
    expect(await choose(LOW)).toMatchObject({ mustRestart: false });
  });

  test('does not reach the old board where the agent is restarted first (I5)', async () => {
    await choose(LOW);
    agent.stop();
    await startAgent();
    await passed(1_000);
    expect(guard.view().outputs[0]?.settings.activeLevel).toBe('high');
    expect(board.edges).toEqual([]);
    expect(await faults()).toEqual([expect.stringContaining('another board')]);
    await expect(
      localRequest('output', { numOutput: 2, change: { pulseMs: 750 }, force: false }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('another board'),
    });
  });

  test('that cannot be saved is refused', async () => {
    const before = files.texts.get(SETTINGS_PATH);
    files.failing.set(SETTINGS_PATH, 'ENOSPC');
    await expect(choose(LOW)).rejects.toMatchObject({ message: expect.stringContaining('nothing was changed') });
    expect(files.texts.get(SETTINGS_PATH)).toBe(before);
    expect(await faults()).toEqual([]);
  });

  test('says so where it cannot be saved for good', async () => {
    files.failingLate.set(SETTINGS_PATH, 'EIO');
    await expect(choose(LOW)).rejects.toMatchObject({ message: expect.stringContaining('the board stands there') });
    files.failingLate.clear();
    expect(await choose(LOW)).toMatchObject({ mustRestart: true });
  });

  test('does not overwrite what a hand has edited since', async () => {
    files.texts.set(SETTINGS_PATH, '{"edited": true}');
    await expect(choose(LOW)).rejects.toMatchObject({ message: expect.stringContaining('edited') });
  });

  test('that no guard could open is refused', async () => {
    const twice = { ...LOW, board: { kind: 'gpio', lines: [5, 6, 5, 8] } };
    await expect(choose(twice)).rejects.toMatchObject({
      code: 'out-of-range',
      message: expect.stringContaining('twice'),
    });
  });
});
