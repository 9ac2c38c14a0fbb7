import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** The reader of the output has gone, or its disk is full. */
export class OutputFailed extends Error {
  /** As in `list | head`. */
  readonly closedByReader: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`The output cannot be written: ${cause.message}.`, { cause });
    this.name = 'OutputFailed';
    this.closedByReader = cause.code === 'EPIPE';
  }
}

/**
 * Calls `failed` when stdout cannot be written; without it the program would end with a stack trace. If stderr cannot be
 * written, the program goes on without it.
 */
export function watchOutput(failed: (error: OutputFailed) => void): void {
  if (fstatSync(process.stdout.fd).isFile()) process.stdout._write = writeWhole;
  process.stdout.on('error', (error) => failed(new OutputFailed(error)));
  process.stderr.on('error', () => {});
}

/**
 * Node writes once to a file, and does not look how much the system has taken: at the end of a full disk the rest was lost
 * without an error.
 */
const writeWhole: Writable['_write'] = (bytes: Buffer, _encoding, written) => {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(process.stdout.fd, bytes, done);
  } catch (error) {
    return written(error instanceof Error ? error : new Error(String(error)));
  }
  written();
};

export interface PrintingProgram {
  /** Resolves with the exit code. */
  run(): Promise<number>;
  /** Called once if the output could not be written; `message` says why. */
  unwritten(message: string): void;
  /** The exit code in this case. */
  unwrittenCode: number;
  /** Called if the reader has closed the pipe. */
  unread?(): void;
}

/** Runs a program that prints, and sets the process's exit code. A reader who closes the pipe is no failure. */
export async function runPrinting({ run, unwritten, unwrittenCode, unread }: PrintingProgram): Promise<void> {
  let isUnwritten = false;
  watchOutput(({ closedByReader, message }) => {
    if (closedByReader) return unread?.();
    if (isUnwritten) return;
    isUnwritten = true;
    unwritten(message);
    process.exitCode = unwrittenCode;
  });
  const exitCode = await run();
  process.exitCode = isUnwritten ? unwrittenCode : exitCode;
}
