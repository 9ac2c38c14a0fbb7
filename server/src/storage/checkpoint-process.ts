import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Checkpoint, checkpointText } from '../audit/checkpoint';
import { CHECKPOINT_MODE } from './checkpoint-file';

const PROGRAM = join(__dirname, 'checkpoint-program.js');

/**
 * Like `saveCheckpoint`, in a process of its own: a network disk that hangs stops no thread of this one, which would neither
 * answer nor end. Resolves or rejects when that process has ended; `signal` kills it.
 */
export function saveCheckpointApart(file: string, checkpoint: Checkpoint, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, file, CHECKPOINT_MODE.toString(8)], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(0, COMPLAINT_CHARS);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} cannot be written: ${complaint.trim() || 'its process was ended'}`));
    });
    signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    // It may end before it reads.
    child.stdin.on('error', () => {}).end(checkpointText(checkpoint));
  });
}

const COMPLAINT_CHARS = 1_000;
