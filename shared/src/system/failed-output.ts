/** Nobody reads our output any more, or its disk is full. */
export class OutputFailed extends Error {
  /** `list | head` has all it wanted. */
  readonly closedByReader: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`The output cannot be written: ${cause.message}.`, { cause });
    this.name = 'OutputFailed';
    this.closedByReader = cause.code === 'EPIPE';
  }
}

/**
 * Tells when stdout takes no more, instead of ending the program with a stack. Nobody can be told that stderr takes no
 * more: what was asked for goes on without it.
 */
export function watchOutput(failed: (error: OutputFailed) => void): void {
  process.stdout.on('error', (error) => failed(new OutputFailed(error)));
  process.stderr.on('error', () => {});
}

export interface PrintingProgram {
  /** Resolves with the exit code. */
  run(): Promise<number>;
  /** The answer was lost, and this says why; once. */
  unwritten(message: string): void;
  /** The exit code then. */
  unwrittenCode: number;
  /** Whoever read the answer has had enough of it, and `run` may not know. */
  unread?(): void;
}

/** Runs a program that prints, and leaves its exit code to the process. A reader who has had enough is no failure. */
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
