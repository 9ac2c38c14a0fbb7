import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { settingsTable, withSettingsTable } from '../../support/device/settings-table';
import { ROOT } from '../../support/processes/program';

test('the table of the settings in device-agent/SETTINGS.md is that of the schema: npm run generate', () => {
  const document = readFileSync(join(ROOT, 'device-agent/SETTINGS.md'), 'utf8');
  expect(document).toBe(withSettingsTable(document));
});

test.each([
  ['ranges and defaults', /^\| `board\.answerMs` \| 20 to 400; default 150 \| `modbus`: how long/m],
  ['choices', /^\| `outputs\[\]\.mode` \| `on-off`, `impulse` \| /m],
  ['members of lists', /^\| `board\.units\[\]\.flashOn` \| true, false; default false \| `modbus`: /m],
  ['members that several boards share, once', /^\| `board\.port` \| text \| `modbus`, `lcus`: /m],
  ['what may be missing', /^\| `link\.serverCaFile` \| 1 to 512 characters, optional \| /m],
])('it says %s', (_what, row) => {
  expect(settingsTable().match(new RegExp(row, 'gm'))).toHaveLength(1);
});
