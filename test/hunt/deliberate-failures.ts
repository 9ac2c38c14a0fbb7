/**
 * Loaded by `--require` before whatever a hunt starts. All is played, and what came of it is replaced, so that no real find
 * decides about a test of the hunt. `RELAYGATE_HUNT_FAULT`: `fails` has every seed break I1 and every test file fail;
 * otherwise none does. `collects` has the garbage collected all the time; a path has test files write their process id
 * there, and never end.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort } from 'node:worker_threads';

const { RELAYGATE_HUNT_FAULT: fault, RELAYGATE_SEED: seed } = process.env;
const isTestFile = isMainThread && seed !== undefined;

if (fault !== undefined && parentPort) {
  const answer = parentPort.postMessage.bind(parentPort);
  const violations = fault === 'fails' ? [{ invariant: 'I1', sentence: 'a deliberate fault', atMs: 0 }] : [];
  parentPort.postMessage = (played: object) => answer({ ...played, violations });
}
if (fault === 'fails' && isTestFile) process.exit(1);
if (fault === 'passes' && isTestFile)
  process.on('exit', () => {
    process.exitCode = 0;
  });
if (fault === 'collects' && isMainThread && !isTestFile) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setInterval(collect, 50).unref();
}
if (fault?.startsWith('/') && isTestFile) {
  writeFileSync(fault, String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
