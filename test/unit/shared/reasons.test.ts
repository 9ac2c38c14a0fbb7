import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DEVICE_REASONS } from '@relaygate/shared';
import { ROOT } from '../../support/processes/program';

const folder = join(ROOT, 'device-agent/src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('command-problem.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));

// That a device gives no other one is for the compiler: its reasons have the type of this table's keys.
test.each(Object.keys(DEVICE_REASONS))('a device gives the reason %s', (reason) => {
  expect(sources.some((source) => source.includes(`'${reason}'`))).toBe(true);
});
