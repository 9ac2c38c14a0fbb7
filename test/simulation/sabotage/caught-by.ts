import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The compiled simulation lies in test/dist. */
const FILE = join(__dirname, '../../../simulation/sabotage/caught-by.json');

const noted: Record<string, number> = JSON.parse(readFileSync(FILE, 'utf8'));

/** The first seed that caught this deliberate fault when somebody last noted it. Plans may have changed since. */
export function notedSeed(fault: string): number | undefined {
  return noted[fault];
}

/** With RELAYGATE_NOTE_SEEDS=1 the next run begins with these. Test files write the same file: play them in one process. */
export function note(caught: ReadonlyMap<string, number>): void {
  if (process.env.RELAYGATE_NOTE_SEEDS === undefined) return;
  const before: Record<string, number> = JSON.parse(readFileSync(FILE, 'utf8'));
  const after = { ...before, ...Object.fromEntries(caught) };
  const sorted = Object.entries(after).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
