import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { RelaygateError } from '@relaygate/shared';
import { type Checkpoint, checkpointText } from '../audit/checkpoint';
import { messageOf } from '../foreign-error';
import { CHECKPOINT_MODE } from './checkpoint-file';

const PROGRAM = join(__dirname, 'checkpoint-program.js');

/**
 * Like `saveCheckpoint`, in a process of its own: a network disk that hangs stops no thread of this one, which would neither
 * answer nor end. Resolves or rejects when that process has ended; `signal` kills it.
 */
export function saveCheckpointApart(file: string, checkpoint: Checkpoint, signal: AbortSignal): Promise<void> {
  return runApart(file, checkpointText(checkpoint), signal);
}

/** Fails with `bad-setting` if checkpoints can never be saved there. A fault that may pass, such as a full disk, is no failure. */
export async function tryCheckpointFile(file: string, signal: AbortSignal): Promise<void> {
  const tried = runApart(file, '', signal).catch((cause: unknown) => {
    const [, why] = NEVER.exec(messageOf(cause)) ?? [];
    if (why === undefined) return;
    const text = `RELAYGATE_AUDIT_CHECKPOINT_FILE names ${file}, which cannot be written (${why}); it may be a file in a folder that this user may write.`;
    throw new RelaygateError('bad-setting', text, { cause });
  });
  await Promise.race([tried, untilAborted(signal)]);
}

/** For callers that go on without that process: if it hangs in the disk, it may not end when it is killed. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const NEVER = /: ((?:ENOENT|ENOTDIR|EISDIR|EACCES|EPERM|EROFS|ENAMETOOLONG|ELOOP|ENOTSUP|EXDEV): [^,]*)/;

function runApart(file: string, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, file, CHECKPOINT_MODE.toString(8)], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    // A process that could not begin has no pipes, although their types say so, if the file descriptors have run out.
    child.once('error', reject);
    let errorText = '';
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      errorText = `${errorText}${more}`.slice(0, MAX_STDERR_CHARS);
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} cannot be written: ${errorText.trim() || 'its process was ended'}`));
    });
    const giveUp = (): void => {
      child.kill('SIGKILL');
      // It may hang in the disk for ever. Neither it nor its pipes may keep this process from ending.
      child.stdin?.destroy();
      child.stderr?.destroy();
      child.unref();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    // The process may end before it reads.
    child.stdin?.on('error', () => {}).end(text);
  });
}

const MAX_STDERR_CHARS = 1_000;
