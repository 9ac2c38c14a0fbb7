import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { DeviceLink, type DeviceLinkDeps } from '@relaygate/server/devices/device-link';
import type { DeviceSocket } from '@relaygate/server/devices/device-socket';
import type { DeviceReport, HeldLink } from '@relaygate/server/devices/device-store';
import { LinkRegistry } from '@relaygate/server/devices/link-registry';
import { LinkSettler, type LinkSettlerDeps } from '@relaygate/server/devices/link-settler';
import { writeBudgets } from '@relaygate/server/limits/write-budgets';
import { RefusalLog } from '@relaygate/server/log/refusal-log';
import { SOLE_NODE } from '@relaygate/server/nodes/membership';
import {
  CLOSE,
  DEAD_LINK_MS,
  HANDSHAKE_MS,
  LINK_MAX_QUEUED_BYTES,
  LINKS_AT_ONCE,
  LINKS_PER_MINUTE,
  PROOF_MS,
  proofText,
  RECENTLY_LINKED_MS,
  REFUSALS_LOGGED_PER_SOURCE,
  type ServerMessage,
} from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = publicKey.export({ format: 'jwk' }).x ?? '';
const NONCE = 'A'.repeat(43);

/** A socket that keeps what the server does with it. */
class FakeSocket implements DeviceSocket {
  queuedBytes = 0;
  isOpen = true;
  sent: ServerMessage[] = [];
  closed: { code: number; reason: string } | undefined;
  terminated = false;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(code: number, reason: string): void {
    this.isOpen = false;
    this.closed = { code, reason };
  }
  terminate(): void {
    this.isOpen = false;
    this.terminated = true;
  }
}

let clock: VirtualClock;
let registry: LinkRegistry;
let events: string[];
let epochs: number;
let opening: () => Promise<number | undefined>;
let parts: DeviceLinkDeps;
let log: ReturnType<typeof collectingLog>;
let closedLinks: number[];
/** The link that each settling named; null: none. */
let settledLinks: (number | null)[];
/** Writes that the database refuses. */
let refused: Set<string>;
let openCommands: () => Promise<{ commandId: string; bootId: string }[]>;
let lastSeenAtMs: number | undefined;
let seqs: (number | undefined)[];

beforeEach(() => {
  clock = new VirtualClock();
  log = collectingLog();
  registry = new LinkRegistry(clock);
  events = [];
  epochs = 0;
  closedLinks = [];
  settledLinks = [];
  refused = new Set();
  openCommands = async () => [{ commandId: 'lost-1', bootId: 'b' }];
  lastSeenAtMs = undefined;
  seqs = [];
  opening = async () => ++epochs;
  const store = {
    openLink: () => opening(),
    closeLink: async (_login: string, epoch: number, seenAtMs: number) => {
      if (refused.has('closeLink')) throw new Error('locked');
      closedLinks.push(epoch);
      lastSeenAtMs = seenAtMs;
    },
    settleLink: async (_login: string, held: HeldLink | null, seenAtMs: number) => {
      if (refused.has('settleLink')) throw new Error('locked');
      settledLinks.push(held?.epoch ?? null);
      lastSeenAtMs = seenAtMs;
    },
    openCommands: () => openCommands(),
    findProduct: async () => ({ devicePublicKey: PUBLIC_KEY }),
    enrolDevice: async () => false,
    saveReport: async (_login: string, _epoch: number, { seq }: DeviceReport) => void seqs.push(seq),
    keepHistory: async () => 0,
  };
  parts = {
    store: store as unknown as DeviceLinkDeps['store'],
    clock,
    wallClock: clock,
    serverName: 'relaygate',
    randomness: { bytes: (size) => new Uint8Array(size), fraction: () => 0 },
    budgets: writeBudgets(clock),
    refusals: new RefusalLog(log, clock, 'link'),
    registry,
    node: SOLE_NODE,
    settler: new LinkSettler({
      store: store as unknown as DeviceLinkDeps['store'] & LinkSettlerDeps['store'],
      registry,
      node: SOLE_NODE,
      clock,
      wallClock: clock,
      log: collectingLog(),
    }),
    listener: {
      linkUp: (login) => void events.push(`up ${login}`),
      linkLost: (login) => void events.push(`lost ${login}`),
      confirmed: (_login, { commandId, version }) => {
        events.push(`confirmed ${commandId}`);
        seqs.push(version?.seq);
      },
      resumed: (_login, bootId) => void events.push(`resumed ${bootId}`),
    },
    log,
  };
});

interface Device {
  socket: FakeSocket;
  session: DeviceLink;
  say(message: object): void;
}

function connect(): Device {
  const socket = new FakeSocket();
  const session = new DeviceLink(parts, socket, '127.0.0.1');
  return { socket, session, say: (message) => session.received(JSON.stringify(message)) };
}

async function prove(device: Device, instanceId = 'i1'): Promise<void> {
  const hello = {
    type: 'hello',
    productLogin: 'gate',
    publicKey: PUBLIC_KEY,
    deviceNonce: NONCE,
    agentVersion: '1',
    bootId: 'b',
    instanceId,
  };
  device.say(hello);
  const [challenge] = device.socket.sent;
  if (challenge?.type !== 'challenge') throw new Error('no challenge');
  const { serverNonce, serverName } = challenge;
  const text = proofText({ serverName, productLogin: 'gate', publicKey: PUBLIC_KEY, deviceNonce: NONCE, serverNonce });
  device.say({ type: 'proof', signature: sign(null, Buffer.from(text), privateKey).toString('base64url') });
  await settled();
}

async function linkUp(instanceId?: string): Promise<Device> {
  const device = connect();
  await prove(device, instanceId);
  device.say({ type: 'time', seq: 1 });
  device.say({ type: 'resume', outcomes: [], notStarted: [] });
  return device;
}

describe('a device link', () => {
  test('is up after challenge, time exchange and resume report, and only then takes commands', async () => {
    const device = connect();
    await prove(device);
    const command = { commandId: 'c', numOutput: 0, action: 'toggle', executeBeforeMs: 1 } as const;
    expect(device.socket.sent.at(-1)).toEqual({ type: 'welcome', epoch: 1, unresolved: ['lost-1'] });
    expect(registry.send('gate', command)).toBe(false);
    device.say({ type: 'time', seq: 7 });
    expect(device.socket.sent.at(-1)).toEqual({ type: 'time', seq: 7, serverMs: clock.nowMs() });
    device.say({ type: 'resume', outcomes: [], notStarted: [] });
    expect(events).toEqual(['resumed b', 'up gate']);
    expect(registry.send('gate', command)).toBe(true);
    expect(device.socket.sent.at(-1)).toEqual({ type: 'command', epoch: 1, ...command });
  });

  test('that falls silent is cut after 15 s, and one that speaks every 10 s is not', async () => {
    const device = await linkUp();
    for (let beat = 0; beat < 5; beat += 1) {
      await clock.advance(10_000);
      device.say({ type: 'time', seq: beat });
    }
    expect(device.socket.terminated).toBe(false);
    await clock.advance(DEAD_LINK_MS - 1);
    expect(device.socket.terminated).toBe(false);
    await clock.advance(1);
    expect(device.socket.terminated).toBe(true);
    expect(events.at(-1)).toBe('lost gate');
    expect(closedLinks).toEqual([1]);
    expect(registry.size).toBe(0);
  });

  test('I11: that falls silent was seen for the last time when it spoke, not when that was noticed', async () => {
    const device = await linkUp();
    await clock.advance(7_000);
    device.say({ type: 'time', seq: 2 });
    const spokeAtMs = clock.epochMs();
    await clock.advance(DEAD_LINK_MS);
    expect(closedLinks).toEqual([1]);
    expect(lastSeenAtMs).toBe(spokeAtMs);
  });

  test('that says nothing for 4 s is closed', async () => {
    const device = connect();
    await clock.advance(PROOF_MS);
    expect(device.socket.closed?.code).toBe(CLOSE.timeout);
    expect(clock.pendingTimers).toBe(0);
  });

  test('that is not up 10 s after its proof is closed', async () => {
    const device = connect();
    await prove(device);
    await clock.advance(HANDSHAKE_MS);
    expect(device.socket.closed?.code).toBe(CLOSE.timeout);
    expect(clock.pendingTimers).toBe(0);
  });

  test('I15: of a product that begins links without end is closed with 4429 before anything is written, and is taken later', async () => {
    for (let n = 0; n < LINKS_AT_ONCE; n += 1) (await linkUp(`i${n % 2}`)).session.ended();
    expect(epochs).toBe(LINKS_AT_ONCE);
    const lines = log.lines.length;
    for (let n = 0; n < 100; n += 1) {
      const beyond = connect();
      await prove(beyond);
      expect(beyond.socket.closed?.code).toBe(CLOSE.tooOften);
      expect(beyond.socket.sent.map(({ type }) => type)).toEqual(['challenge']);
    }
    expect(epochs).toBe(LINKS_AT_ONCE);
    expect([...closedLinks, ...settledLinks]).toHaveLength(LINKS_AT_ONCE);
    expect(log.lines.length - lines).toBeLessThanOrEqual(REFUSALS_LOGGED_PER_SOURCE);
    await clock.advance(60_000 / LINKS_PER_MINUTE);
    await linkUp();
    expect(registry.current('gate')?.isUp).toBe(true);
  });

  test('I15: that ends after 6 s each time, as in a bad mobile network, never has to wait', async () => {
    for (let n = 0; n < 1_000; n += 1) {
      const device = await linkUp();
      expect(device.socket.closed).toBeUndefined();
      await clock.advance(6_000);
      device.session.ended();
    }
  });

  test('I15: with a key that is not the product’s is refused, opens nothing in the database, and takes nothing of its budget', async () => {
    const known = parts;
    parts = { ...parts, store: { ...parts.store, findProduct: async () => ({ devicePublicKey: 'another' }) as never } };
    for (let n = 0; n <= LINKS_AT_ONCE; n += 1) {
      const device = connect();
      await prove(device);
      expect(device.socket.closed?.code).toBe(CLOSE.refused);
    }
    expect(epochs).toBe(0);
    parts = known;
    expect((await linkUp()).socket.closed).toBeUndefined();
  });

  test('I15: whose key could not be looked up leaves nothing to settle, whatever product it names', async () => {
    parts = { ...parts, store: { ...parts.store, findProduct: () => Promise.reject(new Error('locked')) } };
    const device = connect();
    await prove(device);
    expect(device.socket.closed?.code).toBe(CLOSE.tryLater);
    await clock.advance(5_000);
    expect(settledLinks).toEqual([]);
  });

  test('that does not read is cut, and the command was certainly not sent', async () => {
    const device = await linkUp();
    device.socket.queuedBytes = LINK_MAX_QUEUED_BYTES + 1;
    expect(registry.send('gate', { commandId: 'c', numOutput: 0, action: 'toggle', executeBeforeMs: 1 })).toBe(false);
    expect(device.socket.terminated).toBe(true);
  });

  test('I12: gives way to a newer one, and its frames are discarded from then on', async () => {
    const older = await linkUp('i1');
    const newer = await linkUp('i2');
    expect(older.socket.closed?.code).toBe(CLOSE.replaced);
    older.say({ type: 'result', commandId: 'c', outcome: 'executed' });
    expect(events).toEqual(['resumed b', 'up gate', 'lost gate', 'resumed b', 'up gate']);
    older.session.ended();
    expect(registry.current('gate')?.held.epoch).toBe(2);
    expect(newer.socket.closed).toBeUndefined();
  });

  test('I12: whose epoch was drawn first but comes second does not displace the newer one', async () => {
    const slow = connect();
    let release = (): void => {};
    opening = () => {
      const epoch = ++epochs;
      return new Promise((resolve) => (release = () => resolve(epoch)));
    };
    await prove(slow);
    opening = async () => ++epochs;
    await linkUp('i2');
    release();
    await settled();
    expect(slow.socket.closed?.code).toBe(CLOSE.replaced);
    expect(registry.current('gate')?.held.epoch).toBe(2);
  });

  test('I12: whose proof comes behind a link that began later does not displace that one, nor draw an epoch', async () => {
    const abandoned = connect();
    await clock.advance(2_000);
    const later = await linkUp('i1');
    await prove(abandoned, 'i1');
    expect(abandoned.socket.closed?.code).toBe(CLOSE.tryLater);
    expect(later.socket.closed).toBeUndefined();
    expect(epochs).toBe(1);
  });

  test('I12: that is opened behind one that began later does not displace that one, whose reports count again', async () => {
    const [abandoned, releases] = [connect(), [] as (() => void)[]];
    await clock.advance(2_000);
    const later = connect();
    opening = () => new Promise((resolve) => releases.push(() => resolve(++epochs)));
    await prove(later, 'i1');
    await prove(abandoned, 'i1');
    for (const release of releases) {
      release();
      await settled();
    }
    expect(abandoned.socket.closed?.code).toBe(CLOSE.tryLater);
    expect(later.socket.closed).toBeUndefined();
    expect(registry.current('gate')?.held.epoch).toBe(1);
    expect(settledLinks).toEqual([1]);
  });

  test('that ended while the database opened it leaves the link that lives as it is, and its reports count again', async () => {
    const older = await linkUp('i1');
    older.say({ type: 'report', outputs: [], faults: [] });
    await settled();
    const device = connect();
    let release = (): void => {};
    opening = () => new Promise((resolve) => (release = () => resolve(++epochs)));
    await prove(device, 'i2');
    device.session.ended();
    release();
    await settled();
    expect(older.socket.closed).toBeUndefined();
    expect(settledLinks).toEqual([1]);
    expect(seqs).toEqual([1, 1]);
    expect(registry.current('gate')?.held.epoch).toBe(1);
  });

  test('whose open commands cannot be read leaves nothing behind of its epoch', async () => {
    openCommands = () => Promise.reject(new Error('locked'));
    const alone = connect();
    await prove(alone);
    expect(alone.socket.closed?.code).toBe(CLOSE.tryLater);
    expect(settledLinks).toEqual([null]);
    openCommands = async () => [];
    const living = await linkUp('i1');
    openCommands = () => Promise.reject(new Error('locked'));
    await prove(connect(), 'i2');
    expect(living.socket.closed).toBeUndefined();
    expect(settledLinks).toEqual([null, 2]);
  });

  test('I12: that comes to nothing behind a newer one that came up meanwhile does not end that one', async () => {
    const slow = connect();
    let release = (): void => {};
    const epoch = ++epochs;
    opening = () => new Promise((resolve) => (release = () => resolve(epoch)));
    await prove(slow);
    opening = async () => ++epochs;
    const newer = await linkUp('i2');
    slow.session.ended();
    release();
    await settled();
    expect(newer.socket.closed).toBeUndefined();
    expect(registry.current('gate')?.held.epoch).toBe(2);
    expect(settledLinks).toEqual([2]);
  });

  test('I11: whose end cannot be written down is noted once the database works again', async () => {
    const device = await linkUp();
    for (const name of ['closeLink', 'settleLink']) refused.add(name);
    const spokeAtMs = clock.epochMs();
    device.session.ended();
    await clock.advance(5_000);
    expect(settledLinks).toEqual([]);
    refused.clear();
    await clock.advance(1_000);
    expect(settledLinks).toEqual([null]);
    expect(lastSeenAtMs).toBe(spokeAtMs);
    expect(clock.pendingTimers).toBe(0);
  });

  test('I12: is not settled beside an opening, which waits for a settling in turn', async () => {
    const first = await linkUp('i1');
    let release = (): void => {};
    opening = () => new Promise((resolve) => (release = () => resolve(++epochs)));
    const second = connect();
    await prove(second, 'i2');
    refused.add('closeLink');
    first.session.ended();
    await clock.advance(3_000);
    expect(settledLinks).toEqual([]);
    release();
    await settled();
    expect(settledLinks).toEqual([2]);
    expect(registry.current('gate')?.held.epoch).toBe(2);
  });

  test('that the database cannot open is closed with `tryLater`', async () => {
    opening = () => Promise.reject(new Error('locked'));
    const device = connect();
    await prove(device);
    expect(device.socket.closed?.code).toBe(CLOSE.tryLater);
  });

  test('takes every frame twice and does everything once (T7)', async () => {
    const socket = new FakeSocket();
    const session = new DeviceLink(parts, socket, '127.0.0.1');
    const device = {
      socket,
      session,
      say(message: object) {
        for (let times = 0; times < 2; times += 1) session.received(JSON.stringify(message));
      },
    };
    await prove(device);
    device.say({ type: 'time', seq: 1 });
    device.say({ type: 'resume', outcomes: [], notStarted: [] });
    expect(socket.closed).toBeUndefined();
    expect(events).toEqual(['resumed b', 'up gate']);
    expect(socket.sent.map(({ type }) => type)).toEqual(['challenge', 'welcome', 'time', 'time']);
  });

  test('may answer as many commands as it is given, however fast', async () => {
    const device = await linkUp();
    for (let n = 0; n < 2_000; n += 1) {
      registry.send('gate', { commandId: `c${n}`, numOutput: 0, action: 'toggle', executeBeforeMs: 1 });
      device.say({ type: 'result', commandId: `c${n}`, outcome: 'executed' });
    }
    expect(device.socket.closed).toBeUndefined();
  });

  test('I11: counts the frames that report outputs, so that none undoes what a later one has reported', async () => {
    const device = await linkUp();
    const report = { type: 'report', outputs: [], faults: [] };
    for (const message of [report, { type: 'result', commandId: 'c', outcome: 'executed' }, report])
      device.say(message);
    await settled();
    expect(seqs).toEqual([1, 2, 3]);
  });

  test('out of turn, or flooding, is closed', async () => {
    const early = connect();
    early.say({ type: 'resume', outcomes: [], notStarted: [] });
    expect(early.socket.closed?.code).toBe(CLOSE.protocolError);
    const flood = await linkUp();
    for (let seq = 0; seq < 300; seq += 1) flood.say({ type: 'time', seq });
    expect(flood.socket.closed).toEqual({ code: CLOSE.protocolError, reason: 'too many frames' });
  });
});

describe('the presence of a link', () => {
  test('after a start every product counts as just lost for 5 s', async () => {
    expect(registry.stateOf('gate').kind).toBe('recently-lost');
    await clock.advance(RECENTLY_LINKED_MS);
    expect(registry.stateOf('gate').kind).toBe('down');
  });

  test('a lost link counts as just lost for 5 s, a link that never came up does not', async () => {
    await clock.advance(RECENTLY_LINKED_MS);
    const device = connect();
    await prove(device);
    device.session.ended();
    expect(registry.stateOf('gate').kind).toBe('down');
    (await linkUp()).session.ended();
    expect(registry.stateOf('gate').kind).toBe('recently-lost');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(RECENTLY_LINKED_MS);
    expect(registry.stateOf('gate').kind).toBe('down');
  });
});
