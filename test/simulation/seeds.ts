import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Violation } from './checker/violation';

export interface PlayedSeed {
  seed: number;
  violations: Violation[];
}

/** Plays the seeds from..from + count - 1 on all cores. `onPlayed` hears of each, in whatever order they end. */
export async function playSeeds(from: number, count: number, onPlayed: (played: PlayedSeed) => void): Promise<void> {
  let next = from;
  const until = from + count;
  const playSome = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const goOn = (): void => {
        if (next >= until) return resolve();
        worker.postMessage(next);
        next += 1;
      };
      worker.on('message', (played: PlayedSeed) => {
        onPlayed(played);
        goOn();
      });
      worker.on('error', reject);
      goOn();
    });
  const workers = Array.from(
    { length: Math.min(availableParallelism(), count) },
    () => new Worker(join(__dirname, 'worker.js')),
  );
  try {
    await Promise.all(workers.map(playSome));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
