import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUTE_TIMEOUT_MS } from '@relaygate/server/commands/command-router';
import { KnownCommands } from '@relaygate/server/commands/known-commands';
import { NOT_ROUTED, type RoutedCommand } from '@relaygate/server/commands/order';
import { RoutedCommands } from '@relaygate/server/commands/routed-commands';
import type { LinkAvailability } from '@relaygate/server/devices/presence';
import { AUTHORISATION_FRESH_MS, EXECUTION_DEADLINE_MS, MAX_KNOWN_COMMANDS } from '@relaygate/shared';
import { ALLOWED, DispatcherBench, ORDER } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

describe('a command of another node', () => {
  let bench: DispatcherBench;
  let reading: () => Promise<void>;
  let reads: number;
  let seen: [string, number][];
  let isOwner: boolean;
  let commands: RoutedCommands;

  beforeEach(() => {
    bench = new DispatcherBench();
    reading = async () => {};
    reads = 0;
    seen = [];
    isOwner = true;
    commands = new RoutedCommands({
      clock: bench.clock,
      store: {
        readAccess: async () => {
          reads += 1;
          await reading();
          return bench.access;
        },
      },
      links: bench,
      local: bench.dispatcher,
      takes: (productLogin, epoch) => {
        seen.push([productLogin, epoch]);
        return isOwner;
      },
    });
  });
  const command = (agoMs = 0, more: Partial<RoutedCommand> = {}): RoutedCommand => ({
    commandId: 'theirs',
    order: ORDER,
    acceptedAtMs: bench.clock.nowMs() - agoMs,
    epoch: 7,
    attempt: 1,
    ...more,
  });

  test('runs under its own id, and names who the rows here say gave it', async () => {
    bench.access = { ...ALLOWED, clientName: 'Gate app' };
    const answer = commands.take(command(100));
    await settled();
    expect(bench.sent).toMatchObject([
      { commandId: 'theirs', by: 'Gate app', executeBeforeMs: bench.clock.nowMs() - 100 + EXECUTION_DEADLINE_MS },
    ]);
    expect(seen).toEqual([[ORDER.productLogin, 7]]);
    bench.confirm('theirs');
    expect(await answer).toEqual({ kind: 'ok', commandId: 'theirs' });
  });

  test.each<[string, LinkAvailability, number, number]>([
    ['is not read before its record while the device is linked', { kind: 'up', bootId: 'boot-1' }, 0, 0],
    ['is read while the device is not linked', { kind: 'down' }, 0, 1],
    ['is read some time after the call', { kind: 'up', bootId: 'boot-1' }, AUTHORISATION_FRESH_MS, 1],
  ])('that says who gives it: the authorisation %s (I13)', async (_name, link, agoMs, times) => {
    bench.link = link;
    bench.access = { ...ALLOWED, clientName: 'Gate app' };
    const answer = commands.take(command(agoMs, { order: { ...ORDER, by: 'Gate app' } }));
    await settled();
    expect(reads).toBe(times);
    expect(bench.sent.map(({ by }) => by)).toEqual(link.kind === 'up' ? ['Gate app'] : []);
    bench.confirm('theirs');
    expect(await answer).toMatchObject({ commandId: 'theirs' });
  });

  test('gets no answer when it comes again, however it ended (I1)', async () => {
    const first = command();
    void commands.take(first);
    await settled();
    bench.confirm('theirs');
    await settled();
    for (const again of [first, { ...first, attempt: 2 }]) expect(await commands.take(again)).toBeUndefined();
    await bench.clock.advance(EXECUTION_DEADLINE_MS);
    expect(await commands.take(first)).toBeUndefined();
    await bench.clock.advance(ROUTE_TIMEOUT_MS);
    expect(await commands.take(first)).toEqual({ kind: 'late' });
    expect(bench.records).toHaveLength(1);
  });

  test.each([
    [EXECUTION_DEADLINE_MS - 1, 1],
    [EXECUTION_DEADLINE_MS, 0],
  ])('%d ms after its t0 is begun %d times (I2)', async (agoMs, times) => {
    void commands.take(command(agoMs));
    await settled();
    expect(bench.records).toHaveLength(times);
  });

  test('whose authorisation takes until its deadline is late (I2)', async () => {
    reading = () => new Promise((resolve) => void bench.clock.after(EXECUTION_DEADLINE_MS, resolve));
    const answer = commands.take(command());
    await bench.clock.advance(EXECUTION_DEADLINE_MS);
    expect(await answer).toEqual({ kind: 'late' });
    expect(bench.records).toEqual([]);
  });

  test('from the future shows that its sender is wrong about the clock here', async () => {
    expect(await commands.take(command(-1))).toEqual({ kind: 'other-clock' });
    expect(bench.records).toEqual([]);
  });

  test('that is not allowed any more is refused, and one whose rights cannot be read is not begun (I13, I14)', async () => {
    bench.access = { ...ALLOWED, outputActivated: false };
    expect(await commands.take(command())).toEqual({ kind: 'error', code: 'user-not-allowed' });
    reading = () => Promise.reject(new Error('no database'));
    expect(await commands.take(command(0, { commandId: 'other' }))).toEqual(NOT_ROUTED);
    expect(bench.records).toEqual([]);
  });

  test('whose record is refused because another node owns the product is not taken either', async () => {
    const elsewhere = { kind: 'error', code: 'unknown', isUnrecorded: true, isElsewhere: true } as const;
    const refused = new RoutedCommands({
      clock: bench.clock,
      store: { readAccess: async () => ALLOWED },
      links: bench,
      local: { dispatch: async () => elsewhere },
      takes: () => true,
    });
    expect(await refused.take(command())).toEqual({ kind: 'not-owner' });
    expect(await refused.take(command())).toBeUndefined();
    expect(await refused.take(command(0, { attempt: 2 }))).toEqual({ kind: 'not-owner' });
  });

  test('is taken in a later attempt after one that was not, and in none after one that was', async () => {
    isOwner = false;
    expect(await commands.take(command())).toEqual({ kind: 'not-owner' });
    isOwner = true;
    expect(await commands.take(command())).toBeUndefined();
    void commands.take(command(0, { attempt: 2 }));
    await settled();
    expect(bench.records).toHaveLength(1);
    expect(await commands.take(command(0, { attempt: 3 }))).toBeUndefined();
  });
});

test(`ids of at most ${MAX_KNOWN_COMMANDS} commands are remembered, each until its time is over (I15)`, async () => {
  const { clock } = new DispatcherBench();
  const known = new KnownCommands(clock, 1_000);
  for (let n = 0; n < MAX_KNOWN_COMMANDS; n += 1) known.take(`c${n}`, 1);
  expect([known.take('more', 1), known.take('c0', 1), known.size]).toEqual(['full', 'repeated', MAX_KNOWN_COMMANDS]);
  await clock.advance(1_000);
  expect([known.take('more', 1), known.size]).toEqual(['new', 1]);
});
