import { describe, expect, test } from '@jest/globals';
import { SeededChance } from '../../support/chance/seeded-chance';
import { Incarnation } from '../machines/incarnation';
import { MachineClock } from '../machines/machine-clock';
import { Disk } from '../ports/disk';
import { Scheduler } from '../scheduler';

const PATH = '/var/lib/relaygate/history.jsonl';
/** Enough for what happens in one of four. */
const SEEDS = Array.from({ length: 60 }, (_, n) => n + 1);

class Bench {
  readonly #scheduler: Scheduler;
  readonly disk: Disk;
  readonly life: Incarnation;

  constructor(seed: number) {
    const chance = new SeededChance(seed);
    this.#scheduler = new Scheduler(chance);
    this.disk = new Disk(chance, () => {});
    const machineClock = new MachineClock(0, 0);
    this.life = new Incarnation('agent', { scheduler: this.#scheduler, machineClock, uncaught: () => {} });
    this.disk.put(PATH, '-');
  }

  append(text: string): void {
    this.disk
      .files(this.life)
      .append(PATH, text, { sync: true })
      .catch(() => {});
  }

  wait(forMs: number): Promise<void> {
    return this.#scheduler.runUntil(this.#scheduler.nowMs + forMs);
  }
}

/** What each seed leaves in the file, each text once. */
async function texts(play: (bench: Bench) => Promise<void>): Promise<string[]> {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const bench = new Bench(seed);
    await play(bench);
    found.add(bench.disk.textOf(PATH) ?? '');
  }
  return [...found].sort();
}

describe('what somebody appends to a file', () => {
  test('may be cut in the middle by the death of its process, and by a full disk', async () => {
    const killed = async (bench: Bench): Promise<void> => {
      bench.append('ab');
      bench.life.kill();
    };
    const refused = async (bench: Bench): Promise<void> => {
      bench.disk.faults.begin('fails');
      bench.append('ab');
      await bench.wait(100);
    };
    expect(await texts(killed)).toEqual(['-', '-a']);
    expect(await texts(refused)).toEqual(['-', '-a']);
  });

  test('is past any cut once it was taken or refused: a death that comes later adds nothing', async () => {
    for (const mode of ['works', 'fails'] as const) {
      for (const seed of SEEDS) {
        const bench = new Bench(seed);
        bench.disk.faults.begin(mode);
        bench.append('ab');
        await bench.wait(100);
        const text = bench.disk.textOf(PATH);
        bench.life.kill();
        expect(bench.disk.textOf(PATH)).toBe(text);
      }
    }
  });

  test('is confirmed only once all of it was taken, and not the half that a refusal has left', async () => {
    for (const seed of SEEDS) {
      const bench = new Bench(seed);
      const heal = bench.disk.faults.begin('fails');
      bench.append('ab');
      await bench.wait(100);
      expect(bench.disk.confirmedTextOf(PATH)).toBe('-');
      heal();
      bench.append('c');
      await bench.wait(100);
      expect(bench.disk.confirmedTextOf(PATH)).toBe(bench.disk.textOf(PATH));
    }
  });
});
