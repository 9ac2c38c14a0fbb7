/** What the programs' main.ts share: the process's ends. Exiting itself stays in main.ts. */

import { oneLine, plainLine } from '@relaygate/shared/plain-text';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { problemOf } from '../runtime/problem';

/** A log whose reader is gone must not end a program that holds relays. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Resolves at the first SIGTERM or SIGINT; later ones change nothing, the programs end within a second. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
  });
}

/** A fault of the program itself: `end` is called after its line is out, stack and all. */
export function onCrash(program: string, end: () => void): void {
  process.on('uncaughtException', (error) => {
    reportFailure(program, error.stack ?? error);
    end();
  });
}

/** The one line on stderr about why a program could not start or go on. */
export function reportFailure(program: string, error: unknown): void {
  const code = error instanceof RelaygateError ? error.code : 'unknown';
  const line = plainLine(oneLine(problemOf(error)));
  process.stderr.write(`${program}: ${code}: ${line}\n`);
}
