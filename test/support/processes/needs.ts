import { describe } from '@jest/globals';

/**
 * `describe`, or a skipped one that prints what is missing here; where all tools must be there (RELAYGATE_FULL,
 * RELAYGATE_ALL_TOOLS) it fails instead.
 * `missing`: undefined when all is there.
 */
export function describeWhere(missing: string | undefined): typeof describe | typeof describe.skip {
  if (missing === undefined) return describe;
  if (process.env.RELAYGATE_FULL || process.env.RELAYGATE_ALL_TOOLS) throw new Error(`cannot run here: ${missing}`);
  process.stderr.write(`skipped: ${missing}\n`);
  return describe.skip;
}
