/**
 * T30: one client, or one device, has as much written as it can. Each kind of durable record stays within its budget, and
 * with it the disk; another client's commands are served all the time.
 */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CLOSE,
  type HistoryEntry,
  LINK_FRAMES_PER_SECOND,
  MAX_EVENT_CHANGES,
  MAX_EVENT_VALUE_CHARS,
  type TokenPair,
  WRITE_LIMITS,
} from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { DatabaseGrowth } from '../support/faults/database-growth';
import { elapsedMs, Fault, IS_WHOLE, PLAY_LIMIT_MS, type Times } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { Site } from '../support/faults/site';
import { type Answer, v1 } from '../support/server/api-client';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { DiskWatch, isNotTaken, judgeNotTaken, NotTaken } from '../support/time/disk-watch';
import { expectWithin } from '../support/time/timed';
import { eventually, pause } from '../support/time/waiting';

const T30 = new Fault('T30', 'as much written as one client or device can', 'answer of a command beside it');
const ONCE: Times = { few: 1, full: 1 };
const SHORT_MS = process.env.RELAYGATE_FULL === undefined ? 4_000 : 10_000;
const FLOOD_MS = IS_WHOLE ? 60_000 : SHORT_MS;
/** Of one client or device. */
const AT_ONCE = 10;
/** Alone it takes a few milliseconds. */
const SERVED_WITHIN_MS = 1_000;
const COMMAND_EVERY_MS = 50;
/** Faster ones would end the link. */
const REPORT_EVERY_MS = 1_000 / (LINK_FRAMES_PER_SECOND * 0.8);
/** Of the disk, for a small record or row: body, hashes, numbers, indexes, and how full SQLite's pages are. */
const RECORD_BYTES = 1_024;
/** How full pages of large records are at least: a page has one of them, or the end of one. */
const FILLED = 0.6;
/** Rows that are overwritten, and the pages begun. */
const SLACK_BYTES = 256 * 1024;
/** It is copied back at 16 MiB, with what is written meanwhile. */
const MAX_LOG_BYTES = 20 * 1024 * 1024;

/** A link of a device that begins many at once: a later one may be there already. */
const MAY_END_WITH: readonly unknown[] = [CLOSE.tooOften, CLOSE.replaced, CLOSE.tryLater];

let site: Site;
let disk: DiskWatch;
beforeAll(async () => {
  site = await Site.start({ pairs: 1 });
  disk = await DiskWatch.start(dirname(site.databaseFile));
}, 120_000);
afterAll(async () => {
  await disk?.stop();
  await site?.stop();
}, 60_000);

type Kind = keyof typeof WRITE_LIMITS;
interface Flood {
  kind: Kind;
  /** Of the rows that the budget is for. */
  rows: readonly string[];
  /** The budget counts their bytes. */
  isByBytes?: boolean;
  /** Writes until told to stop, and resolves with how often it was refused, or kept waiting. */
  run(goesOn: () => boolean): Promise<number>;
}

async function play(prepare: () => Promise<Flood>): Promise<void> {
  await T30.play(site.pairs, ONCE, async (pair) => {
    const { kind, rows, isByBytes = false, run } = await prepare();
    await site.logIn();
    const growth = new DatabaseGrowth(site.databaseFile);
    const startMs = monotonicNowMs();
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    const flooding = run(() => !isOver && elapsedMs(startMs) < FLOOD_MS).finally(end);
    const serving = worstServedMs(pair, () => isOver).finally(end);
    const played = Promise.all([flooding, serving]);
    const [refused, worstMs] = await played.catch((error) => judgeNotTaken(error, disk));

    const { burst, perSecond } = WRITE_LIMITS[kind];
    const budget = burst + perSecond * (elapsedMs(startMs) / 1_000);
    const grown = growth.of(...rows);
    const commands = growth.of('command', 'outcome').count;
    const used = isByBytes ? grown.bodyBytes : grown.count;
    const { logBytes } = growth;
    tell(kind, { ...grown, commands, logBytes, refused, worstMs });
    expect(used).toBeLessThanOrEqual(budget + 1);
    const rowsBytes = isByBytes ? budget / FILLED : rows.length === 0 ? 0 : budget * RECORD_BYTES;
    expect(grown.databaseBytes).toBeLessThanOrEqual(rowsBytes + commands * RECORD_BYTES + SLACK_BYTES);
    expect(logBytes).toBeLessThanOrEqual(MAX_LOG_BYTES);
    if (rows.length === 0) expect(growth.besideCommands()).toEqual({});
    // It did flood.
    if (rows.length > 0) expect(used).toBeGreaterThan(0);
    if (rows.length > 0 && (IS_WHOLE || used > 0.95 * budget)) expect(refused).toBeGreaterThan(0);
    return worstMs;
  });
}

function tell(kind: Kind, numbers: Readonly<Record<string, number>>): void {
  const told = Object.entries(numbers).map(([name, number]) => `${name} ${Math.round(number).toLocaleString('en')}`);
  process.stderr.write(`T30 ${kind}: ${told.join(', ')}\n`);
}

/** Another client's commands: each is done. */
async function worstServedMs(pair: Pair, isOver: () => boolean): Promise<number> {
  let worstMs = 0;
  while (!isOver()) {
    const { status, text, ...times } = await pair.toggle(1);
    if (isNotTaken({ status, text })) throw new NotTaken('a command');
    expect({ status, text }).toEqual({ status: 200, text: 'OK' });
    expectWithin(times, SERVED_WITHIN_MS, [site.server.pid]);
    worstMs = Math.max(worstMs, times.tookMs);
    await pause(COMMAND_EVERY_MS);
  }
  return worstMs;
}

/** Some workers at once, each asking again and again. Resolves with how many were refused as they should be. */
async function asFastAsItCan(goesOn: () => boolean, ask: (worker: number) => Promise<boolean>): Promise<number> {
  let refused = 0;
  const worker = async (number: number): Promise<void> => {
    while (goesOn()) if (!(await ask(number))) refused += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => worker(number)));
  return refused;
}

/** False: beyond the budget, with how long to wait. */
function isDone({ status, headers, text }: Answer): boolean {
  if (status >= 200 && status < 300) return true;
  if (isNotTaken({ status, text })) throw new NotTaken('a write of the flood');
  expect({ status, text }).toEqual({ status: 429, text: '{"error":"too-many-requests"}' });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  return false;
}

let clients = 0;

/** A repetition that is played again has a client of its own. */
async function newClientKey(name: Kind): Promise<string> {
  clients += 1;
  const { clientKey } = (await site.operator('client', 'create', '--name', `${name}-${clients}`)) as {
    clientKey: string;
  };
  return clientKey;
}

async function newDevice(options: { instanceId?: string } = {}) {
  const [product] = await site.newProducts(1);
  if (!product) throw new Error('no product');
  const { productLogin, enrolmentCode } = product;
  const identity = newIdentity(productLogin, enrolmentCode);
  return { productLogin, identity, device: await new ScriptedDevice(site.url, identity, options).linkUp() };
}

describe('T30: a client', () => {
  test(
    'that logs in without a pause',
    () =>
      play(async () => {
        const clientKey = await newClientKey('logins');
        const logIn = async () => isDone(await v1(site.url).login(clientKey));
        const rows = ['refresh_families', 'refresh-family-ended'];
        return { kind: 'logins', rows, run: (goesOn) => asFastAsItCan(goesOn, logIn) };
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that associates and dissociates without a pause',
    () =>
      play(async () => {
        const { json } = await v1(site.url).login(await newClientKey('associations'));
        const { accessToken: token } = json as TokenPair;
        const products = (await site.newProducts(AT_ONCE)).map((product) => ({ ...product, isMine: false }));
        const change = async (worker: number): Promise<boolean> => {
          const product = products[worker];
          if (!product) throw new Error('no product of this worker');
          const { productLogin, productKey, isMine } = product;
          const api = v1(site.url);
          const asked = isMine
            ? api.deleteProduct(productLogin, { token })
            : api.addProduct(productLogin, productKey, { token });
          const done = isDone(await asked);
          if (done) product.isMine = !isMine;
          return done;
        };
        const rows = ['associated', 'dissociated'];
        return { kind: 'associations', rows, run: (goesOn) => asFastAsItCan(goesOn, change) };
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T30: a device', () => {
  test(
    'that links without a pause, as another instance each time',
    () =>
      play(async () => {
        const { identity, device } = await newDevice();
        device.close();
        let links = 0;
        const link = async (): Promise<boolean> => {
          links += 1;
          const next = new ScriptedDevice(site.url, identity, { instanceId: `i${links % 3}` });
          await next.opened();
          next.hello();
          await next.welcomeHeard().catch(() => expect(MAY_END_WITH).toContain(next.closed?.code));
          next.close();
          return next.closed?.code !== CLOSE.tooOften;
        };
        return { kind: 'links', rows: ['device-replaced'], run: (goesOn) => asFastAsItCan(goesOn, link) };
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that reports without a pause, of which the last is kept',
    () =>
      play(async () => {
        const { productLogin, device } = await newDevice();
        const run = async (goesOn: () => boolean): Promise<number> => {
          let turn = 0;
          for (; goesOn(); turn += 1) {
            device.states[0] = turn % 2 === 0 ? 1 : 0;
            device.report();
            await pause(REPORT_EVERY_MS);
          }
          // More than are saved.
          const { burst, perSecond } = WRITE_LIMITS.reports;
          expect(turn).toBeGreaterThan(burst + perSecond * (FLOOD_MS / 1_000));
          device.states.splice(0, 2, 1, 1);
          device.report();
          await eventually(async () => {
            const { json } = await v1(site.url).state(productLogin, { token: site.token });
            const { outputs } = json as { outputs: { state: number }[] };
            return outputs[0]?.state === 1 && outputs[1]?.state === 1;
          });
          expect(device.closed).toBeUndefined();
          device.close();
          return 0;
        };
        return { kind: 'reports', rows: [], run };
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that tells of the largest entries without a pause',
    () =>
      play(async () => {
        const { device } = await newDevice();
        const run = async (goesOn: () => boolean): Promise<number> => {
          let seq = 0;
          while (goesOn()) {
            seq += 1;
            device.send({ type: 'events', historyId: 'floodedfloodedfl', entries: [largestEntry(seq)] });
            while (keptUpTo(device) < seq && goesOn()) await pause(1);
          }
          expect(device.closed).toBeUndefined();
          const waits = seq - keptUpTo(device);
          device.close();
          return waits;
        };
        return { kind: 'history', rows: ['device-history'], isByBytes: true, run };
      }),
    PLAY_LIMIT_MS,
  );
});

function keptUpTo({ received }: ScriptedDevice): number {
  const last = received.findLast(({ type }) => type === 'events-kept');
  return last?.type === 'events-kept' ? last.upTo : 0;
}

function largestEntry(seq: number): HistoryEntry {
  const value = '🚪'.repeat(MAX_EVENT_VALUE_CHARS / 2);
  const change = { member: 'outputs.0.name', from: value, to: value };
  const changes = Array.from({ length: MAX_EVENT_CHANGES }, () => change);
  return { seq, actor: 'a flood', kind: 'set', changes, atMs: null, bootId: 'boot-1', bootMs: seq };
}
