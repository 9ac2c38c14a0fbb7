import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Change, ChangeStore } from '@relaygate/server/changes/change';
import { CHANGES_PER_PAGE, ChangeStream, type TakeChanges } from '@relaygate/server/changes/change-stream';
import { type Cursor, cursorText } from '@relaygate/server/changes/cursor';
import { MAX_CHANGE_LISTENERS } from '@relaygate/shared';
import { collectingLog } from '../../support/server/collecting-log';
import { settled, VirtualClock } from '../../support/time/virtual-clock';

/** Products that can be activated and deactivated, behind the port of changes. */
export interface ChangesUnderTest {
  store: ChangeStore;
  /** Activates the product, or deactivates it; at first none is activated. */
  turn(productLogin: string): Promise<void>;
  /** The same in another process: nobody is woken. */
  turnElsewhere(productLogin: string): Promise<void>;
  close(): Promise<void>;
}

/** At least one more than a page holds. */
export const PRODUCTS = Array.from({ length: CHANGES_PER_PAGE + 6 }, (_, n) => `p${n}`);

/** What the stream does over every store of changes; call it inside a `describe`. */
export function changeStreamContract(open: () => Promise<ChangesUnderTest>): void {
  let changes: ChangesUnderTest;
  let readings: number;
  let isDown: boolean;
  let clock: VirtualClock;
  let log: ReturnType<typeof collectingLog>;
  let stream: ChangeStream;
  beforeEach(async () => {
    changes = await open();
    readings = 0;
    isDown = false;
    clock = new VirtualClock();
    log = collectingLog();
    stream = streamOf(changes.store);
  });
  afterEach(async () => {
    stream.stop();
    await changes.close();
  });

  const streamOf = (store: ChangeStore): ChangeStream => {
    const counted: ChangeStore = {
      changeCursor: () => store.changeCursor(),
      onCommit: (run) => store.onCommit(run),
      async changesSince(cursor, limit) {
        readings += 1;
        if (isDown) throw new Error('The database is away.');
        return store.changesSince(cursor, limit);
      },
    };
    return new ChangeStream(counted, clock, log);
  };

  test('a listener gets what changes from its cursor on, in its order, and each thing as it is now', async () => {
    await changes.turn('p0');
    const seen = new Seen();
    stream.listen(await stream.cursor(), seen.take);
    await changes.turn('p2');
    await changes.turn('p1');
    await clock.advance(10);
    await changes.turn('p2');
    await clock.advance(10);
    expect(seen.products).toEqual(['p2 on', 'p1 on', 'p2 off']);
  });

  test('what changes twice before it is read is seen once, at its last place', async () => {
    const seen = new Seen();
    stream.listen(await stream.cursor(), seen.take);
    for (const product of ['p1', 'p2', 'p1']) await changes.turn(product);
    await clock.advance(10);
    expect(seen.products).toEqual(['p2 on', 'p1 off']);
  });

  test('the cursor of a page goes on over a restart without a gap and without a repetition', async () => {
    const before = new Seen();
    const stop = stream.listen(await stream.cursor(), before.take);
    await changes.turn('p0');
    await clock.advance(10);
    stop();
    for (const product of PRODUCTS.slice(1)) await changes.turn(product);
    const after = new Seen();
    streamOf(changes.store).listen(before.cursor, after.take);
    await clock.advance(100);
    expect(before.products).toEqual(['p0 on']);
    expect(after.products).toEqual(PRODUCTS.slice(1).map((product) => `${product} on`));
    expect(after.pages.map(({ length }) => length)).toEqual([CHANGES_PER_PAGE, PRODUCTS.length - 1 - CHANGES_PER_PAGE]);
    expect(cursorText(after.cursor)).toBe(cursorText(await stream.cursor()));
  });

  test('a slow listener loses nothing, has one page in hand, and holds up nobody', async () => {
    const [slow, quick] = [new Seen(), new Seen()];
    let goOn = (): void => {};
    const from = await stream.cursor();
    stream.listen(from, async (page, cursor) => {
      await slow.take(page, cursor);
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    });
    stream.listen(from, quick.take);
    for (const product of PRODUCTS) {
      await changes.turn(product);
      await clock.advance(10);
    }
    expect(quick.products).toHaveLength(PRODUCTS.length);
    expect(slow.products).toEqual(['p0 on']);
    for (let page = 0; page < 3; page += 1) {
      goOn();
      await clock.advance(10);
    }
    expect(slow.products).toEqual(quick.products);
  });

  test('a listener that fails gets the same again a second later, and the others are not held up', async () => {
    const [failing, sound] = [new Seen(), new Seen()];
    let failures = 2;
    const from = await stream.cursor();
    stream.listen(from, (page, cursor) => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('not now');
      }
      return failing.take(page, cursor);
    });
    stream.listen(from, sound.take);
    await changes.turn('p0');
    await clock.advance(10);
    expect(sound.products).toEqual(['p0 on']);
    expect(failing.products).toEqual([]);
    await clock.advance(2_000);
    expect(failing.products).toEqual(['p0 on']);
    expect(log.lines.filter(({ event }) => event.startsWith('changes not taken'))).toHaveLength(2);
  });

  test('what another process changes is seen without a wake-up, also while a listener is behind', async () => {
    const seen = new Seen();
    const from = await stream.cursor();
    for (const product of PRODUCTS) await changes.turn(product);
    stream.listen(await stream.cursor(), seen.take);
    await clock.advance(10);
    for (let n = 0; n < 200; n += 1) stream.listen(new Map([...from, [1_000 + n, 1]]), () => {});
    await changes.turnElsewhere('p0');
    await clock.advance(1_500);
    expect(seen.products).toEqual(['p0 off']);
  });

  test('listeners with the same cursor share a reading, and nobody has any read while nothing listens', async () => {
    await changes.turn('p0');
    await clock.advance(1_000);
    expect(readings).toBe(0);
    const from = await stream.cursor();
    const all = Array.from({ length: 50 }, () => new Seen());
    for (const { take } of all) stream.listen(from, take);
    await changes.turn('p1');
    await clock.advance(50);
    expect(all.map(({ products }) => products.join())).toEqual(Array(50).fill('p1 on'));
    expect(readings).toBeLessThanOrEqual(3);
  });

  test('however many listeners are behind, there is a reading each 5 ms', async () => {
    const from = await stream.cursor();
    for (const product of PRODUCTS) await changes.turn(product);
    for (let n = 0; n < 200; n += 1) stream.listen(new Map([...from, [1_000 + n, 1]]), () => {});
    await clock.advance(100);
    expect(readings).toBeLessThanOrEqual(21);
  });

  test('while the database fails it is asked each second, with one line in the log, and nothing is left out', async () => {
    const seen = new Seen();
    stream.listen(await stream.cursor(), seen.take);
    await clock.advance(10);
    isDown = true;
    await changes.turn('p0');
    await changes.turn('p1');
    readings = 0;
    await clock.advance(10_000);
    expect(readings).toBeLessThanOrEqual(11);
    expect(log.lines.filter(({ event }) => event.startsWith('changes not readable'))).toHaveLength(1);
    isDown = false;
    await clock.advance(1_000);
    expect(seen.products).toEqual(['p0 on', 'p1 on']);
  });

  test('listeners beyond the bound are refused, until one goes', async () => {
    const from = await stream.cursor();
    const stops = Array.from({ length: MAX_CHANGE_LISTENERS }, () => stream.listen(from, () => {}));
    expect(() => stream.listen(from, () => {})).toThrow(expect.objectContaining({ code: 'too-many-requests' }));
    stops[0]?.();
    stream.listen(from, () => {});
  });

  test('a listener that has gone gets nothing more, and the end leaves no timer', async () => {
    const seen = new Seen();
    const stop = stream.listen(await stream.cursor(), seen.take);
    await changes.turn('p0');
    stop();
    stream.listen(await stream.cursor(), () => Promise.reject(new Error('never')));
    await changes.turn('p1');
    await clock.advance(10);
    stream.stop();
    await settled();
    expect(clock.pendingTimers).toBe(0);
    expect(seen.products).toEqual([]);
  });
}

/** What a listener got. */
class Seen {
  readonly pages: (readonly Change[])[] = [];
  cursor: Cursor = new Map();

  readonly take: TakeChanges = (changes, cursor) => {
    this.pages.push(changes);
    this.cursor = cursor;
  };

  get products(): string[] {
    return this.pages
      .flat()
      .map((change) =>
        change.kind === 'product' ? `${change.productLogin} ${change.activated ? 'on' : 'off'}` : change.kind,
      );
  }
}
