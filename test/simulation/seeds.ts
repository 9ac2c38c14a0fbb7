import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Rule, Violation } from './checker/violation';

export interface PlayedSeed {
  seed: number;
  violations: Violation[];
  /** Its thread hung or died: playing it again here would do the same to this one. */
  isUnplayable?: true;
}

/** `from` and those behind it. */
export function seedsFrom(from: number, count: number): number[] {
  return Array.from({ length: count }, (_none, n) => from + n);
}

interface PlayOptions {
  startWorker?: () => Worker;
  patienceMs?: number;
  stop?: AbortSignal;
}

/** A seed takes less than 100 ms of CPU. */
const PATIENCE_MS = 60_000;

/**
 * Plays the seeds on all cores. `onPlayed` hears of each, in whatever order they end. `stop`: those that have begun are
 * played, and no more.
 */
export async function playSeeds(
  seeds: readonly number[],
  onPlayed: (played: PlayedSeed) => void,
  { startWorker = () => new Worker(join(__dirname, 'worker.js')), patienceMs = PATIENCE_MS, stop }: PlayOptions = {},
): Promise<void> {
  const left = seeds.values();
  const playSome = async (): Promise<void> => {
    let worker = startWorker();
    for (const seed of left) {
      if (stop?.aborted) break;
      const played = await playOne(worker, seed, patienceMs);
      if (played.isUnplayable) {
        await worker.terminate();
        worker = startWorker();
      }
      onPlayed(played);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), seeds.length) }, playSome));
}

function playOne(worker: Worker, seed: number, patienceMs: number): Promise<PlayedSeed> {
  return new Promise((resolve) => {
    const settle = (played: PlayedSeed): void => {
      clearTimeout(watchdog);
      worker.off('message', settle).off('error', died).off('exit', ended);
      resolve(played);
    };
    const fail = (invariant: Rule, sentence: string): void =>
      settle({ seed, violations: [{ invariant, sentence, atMs: 0 }], isUnplayable: true });
    const died = (error: Error): void => fail('uncaught', `seed ${seed} ended its thread: ${error.stack}`);
    const ended = (code: number): void => fail('uncaught', `seed ${seed} ended its thread with code ${code}`);
    const watchdog = setTimeout(
      () => fail('liveness', `seed ${seed} has not ended after ${patienceMs} ms`),
      patienceMs,
    );
    worker.on('message', settle).on('error', died).on('exit', ended);
    worker.postMessage(seed);
  });
}
