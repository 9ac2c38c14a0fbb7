import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withOutputOptions } from '@relaygate/device-agent/cli/output-options';
import { Command } from 'commander';
import { ROOT } from '../../support/processes';

test('the README tells every option that relayctl output changes a setting with', () => {
  const readme = readFileSync(join(ROOT, 'device-agent/README.md'), 'utf8');
  const row = readme.split('\n').find((line) => line.startsWith('| `output N'));
  const told = [...(row ?? '').matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag);
  expect(told).toEqual(withOutputOptions(new Command('output')).options.map(({ long }) => long));
});
