/** The script by which systemd stops the guard: a guard that hangs is not waited for as long as a slow bus is (I4). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const SCRIPT = join(ROOT, 'hardware/package/files/usr/lib/relaygate/bin/guard-stop');
/** The longest that a guard takes for its own stop is 5.5 s. */
const MIN_PATIENCE_MS = 7_500;
const MAX_PATIENCE_MS = 10_000;

let guard: ChildProcess | null = null;
afterEach(() => void guard?.kill('SIGKILL'));

/** Resolves once it has set up what it does at TERM. */
async function startGuard(onTerm: string): Promise<{ pid: string; ended: Promise<unknown[]> }> {
  const script = `process.on('SIGTERM', () => { ${onTerm} }); setInterval(() => {}, 1000); console.log('ready')`;
  guard = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(guard, 'exit');
  if (guard.stdout) await once(guard.stdout, 'data');
  return { pid: String(guard.pid), ended };
}

/** Resolves with its exit code and what it took. */
async function stop(pid: string): Promise<{ code: unknown; tookMs: number }> {
  const beganMs = performance.now();
  const [code] = await once(spawn(SCRIPT, [pid], { stdio: 'ignore' }), 'exit');
  return { code, tookMs: performance.now() - beganMs };
}

test('a guard that takes its time to stop is left to it', async () => {
  const { pid, ended } = await startGuard('setTimeout(() => process.exit(7), 1000)');
  const { code, tookMs } = await stop(pid);
  expect(await ended).toEqual([7, null]);
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(5_000);
});

test.each(['SIGCONT', 'SIGSTOP'] as const)(
  'a guard that ignores it is killed after 8 s, after %s too',
  async (signal) => {
    const { pid, ended } = await startGuard('');
    guard?.kill(signal);
    const { code, tookMs } = await stop(pid);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThan(MIN_PATIENCE_MS);
    expect(tookMs).toBeLessThan(MAX_PATIENCE_MS);
  },
);

test('a guard that has ended already is no error', async () => {
  const { pid, ended } = await startGuard('process.exit(0)');
  guard?.kill();
  await ended;
  for (const args of [[pid], [''], []]) execFileSync(SCRIPT, args, { timeout: MIN_PATIENCE_MS });
});
