/** Programs that compute without an end on one processor: each waits for it most of the time, on a machine of any size. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PROGRAMS = 4;

export function crowdedProcessor(): ChildProcess[] {
  const [, processor = ''] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const args = ['--cpu-list', processor, process.execPath, '-e', 'for (;;);'];
  return Array.from({ length: PROGRAMS }, () => spawn('taskset', args, { stdio: 'ignore' }));
}
