import { spawn } from 'node:child_process';

const READY_MS = 15_000;
const READY = 'ready';

/**
 * Runs `module[name](...args)` in a process of its own, and ends that by SIGKILL once it has returned. Resolves when the
 * process is gone; rejects with what it complained about.
 */
export function runAndKill(module: string, name: string, args: readonly (string | number)[]): Promise<void> {
  const call = `require(${JSON.stringify(module)})[${JSON.stringify(name)}](...${JSON.stringify(args)})`;
  // The process lives on because nobody ends its stdin.
  const script = `${call}; process.stdout.write('${READY}'); process.stdin.resume();`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'pipe'], timeout: READY_MS });
    let isReady = false;
    let complaint = '';
    // A process that could not begin has no pipes, although their types say so, if the file descriptors have run out.
    child.once('error', reject);
    child.stdout?.on('data', () => {
      isReady = true;
      child.kill('SIGKILL');
    });
    child.stderr?.on('data', (bytes) => {
      complaint = (complaint + String(bytes)).slice(0, 2_000);
    });
    child.once('close', () => {
      const sentence = /Error: (.*)/.exec(complaint)?.[1];
      if (isReady) resolve();
      else reject(new Error(sentence ?? `the process that was to hold the line gave no sign within ${READY_MS} ms`));
    });
  });
}
