import { expect, test } from '@jest/globals';
import type { ChangeStore } from '@relaygate/server/changes/change';
import { ChangeStream } from '@relaygate/server/changes/change-stream';
import { collectingLog } from '../../../support/server/collecting-log';
import { MemoryChanges } from '../../../support/server/memory-changes';
import { VirtualClock } from '../../../support/time/virtual-clock';

test('what is committed while the database is read is read at once, not when others are asked for', async () => {
  const [clock, changes] = [new VirtualClock(), new MemoryChanges()];
  let onReading = (): void => {};
  const store: ChangeStore = {
    changeCursor: () => changes.changeCursor(),
    onCommit: (run) => changes.onCommit(run),
    async changesSince(cursor, limit) {
      const page = await changes.changesSince(cursor, limit);
      onReading();
      return page;
    },
  };
  const seen: string[] = [];
  new ChangeStream(store, clock, collectingLog()).listen(new Map(), (page) => {
    for (const change of page) if (change.kind === 'product') seen.push(change.productLogin);
  });
  await clock.advance(50);
  await changes.turn('p0');
  onReading = () => {
    onReading = () => {};
    void changes.turn('p1');
  };
  await clock.advance(20);
  expect(seen).toEqual(['p0', 'p1']);
});
