import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { VERSION } from '@relaygate/device-agent/runtime/version';
import { ROOT } from '../../../support/processes/program';

test('the programs say the version of their package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(join(ROOT, 'device-agent/package.json'), 'utf8')).version);
});
