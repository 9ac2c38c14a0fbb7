/**
 * Loaded by `--require` before whatever a hunt starts. `RELAYGATE_HUNT_FAULT`: `fails` has every seed break I1 and every
 * test file fail; `collects` has the garbage collected all the time; a path has test files write their process id there,
 * and never end.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort } from 'node:worker_threads';

const { RELAYGATE_HUNT_FAULT: fault, RELAYGATE_SEED: seed } = process.env;
const isTestFile = isMainThread && seed !== undefined;

if (fault === 'fails' && parentPort) {
  const answer = parentPort.postMessage.bind(parentPort);
  const violations = [{ invariant: 'I1', sentence: 'a deliberate fault', atMs: 0 }];
  parentPort.postMessage = (played: object) => answer({ ...played, violations });
}
if (fault === 'fails' && isTestFile) process.exit(1);
if (fault === 'collects' && isMainThread && !isTestFile) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setInterval(collect, 50).unref();
}
if (fault !== undefined && fault !== 'fails' && fault !== 'collects' && isTestFile) {
  writeFileSync(fault, String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
