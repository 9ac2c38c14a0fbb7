import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';
import { withServerSettings } from '../../support/server/settings-table';

test('the table of the settings in server/README.md is that of the schema: npm run generate', () => {
  const readme = readFileSync(join(ROOT, 'server/README.md'), 'utf8');
  expect(readme).toBe(withServerSettings(readme));
});
