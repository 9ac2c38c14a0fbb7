import { expect, test } from '@jest/globals';
import { NOTHING_RECORDED } from '@relaygate/server/audit/archive-text';
import type { AuditFinding } from '@relaygate/server/audit/audit-report';
import { checkLeftRecords } from '@relaygate/server/audit/left-records';
import { AuditMaker } from '../../../support/server/audit-maker';

/** A database of a version that did not keep what it had removed, in the middle of a removal: the records 1 and 2 are gone. */
const left = new AuditMaker().add('cli').add('cli').add('cli').add('cli').records.slice(2);
async function faultsOf(records = left): Promise<AuditFinding['fault'][]> {
  const faults: AuditFinding['fault'][] = [];
  const readAudit = async (afterId: number) => records.filter(({ id }) => id > afterId);
  const end = { ...NOTHING_RECORDED, lastId: records.at(-1)?.id ?? 0 };
  await checkLeftRecords({ readAudit, removedState: async () => null }, end, ({ fault }) => faults.push(fault));
  return faults;
}

test('what an older version was removing is not called broken: nobody knows what it follows', async () => {
  expect(left.length).toBeGreaterThan(1);
  expect(await faultsOf()).toEqual([]);
});

test('a record that was added before the first is found all the same', async () => {
  const [first] = left;
  expect(await faultsOf([...(first ? [{ ...first, id: -1 }] : []), ...left])).toEqual(['added']);
});
