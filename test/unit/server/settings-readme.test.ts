import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SETTINGS } from '@relaygate/server/settings';
import { ROOT } from '../../support/processes';

test("the README's table is that of the schema", () => {
  const readme = readFileSync(join(ROOT, 'server/README.md'), 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `RELAYGATE_'));
  const expected = SETTINGS.map(({ variable, name, default: preset, description }) => {
    return `| \`${variable}\` | \`${name}\` | ${preset === undefined ? '' : `\`${preset}\``} | ${description} |`;
  });
  expect(rows).toEqual(expected);
});
