import { execFileSync } from 'node:child_process';
import { describe } from '@jest/globals';

/**
 * `describe`, or a skipped one that prints what is missing here; a full run (RELAYGATE_FULL) fails instead.
 * `missing`: undefined when all is there.
 */
export function describeWhere(missing: string | undefined): typeof describe | typeof describe.skip {
  if (missing === undefined) return describe;
  if (process.env.RELAYGATE_FULL) throw new Error(`cannot run here: ${missing}`);
  process.stderr.write(`skipped: ${missing}\n`);
  return describe.skip;
}

/** For a suite that needs a program; undefined when it is installed. */
export function missingProgram(program: string, debianPackage: string): string | undefined {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return undefined;
  } catch {
    return `${program} is missing (Debian package ${debianPackage})`;
  }
}
