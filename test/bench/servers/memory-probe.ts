/**
 * Preloaded (`--require`) into a server whose memory is measured: at SIGUSR2 it collects garbage and prints what is
 * left. Without it the figure would be mostly how long ago the last collection was.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  let looks = 0;
  process.on('SIGUSR2', () => {
    // Twice: what the first one finalises, the second one frees.
    collect();
    collect();
    looks += 1;
    process.stdout.write(`memory-probe ${looks} ${process.memoryUsage.rss()}\n`);
  });
}
