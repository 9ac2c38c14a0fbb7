/** A thread that writes a little to a disk again and again, and tells how long the disk took each time. */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';

const EVERY_MS = 100;
const WRITTEN = Buffer.alloc(4_096, 1);

const never = new Int32Array(new SharedArrayBuffer(4));
const file = openSync((workerData as { file: string }).file, 'w', 0o600);
for (;;) {
  const fromMs = monotonicNowMs();
  writeSync(file, WRITTEN, 0, WRITTEN.length, 0);
  fsyncSync(file);
  parentPort?.postMessage({ fromMs, toMs: monotonicNowMs() });
  Atomics.wait(never, 0, 0, EVERY_MS);
}
