/** A thread that plays seeds: each one that it is sent is answered with its violations. */
import { parentPort } from 'node:worker_threads';
import { drawPlan } from './plan/draw-plan';
import { runPlan } from './run';

parentPort?.on('message', (seed: number) => {
  void runPlan(drawPlan(seed)).then((violations) => parentPort?.postMessage({ seed, violations }));
});
