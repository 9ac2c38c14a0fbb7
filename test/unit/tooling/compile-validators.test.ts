/** The validators that the build compiles ahead: a program of the device starts without ajv. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { MaxOnMs } from '@relaygate/shared';

const ROOT = resolve(__dirname, '../../../..');

/** How many schemas the modules parse by, and whether ajv had to be loaded for one of them, or for `more`. */
function parsersOf(modules: readonly string[], more = ''): { schemas: number; loadsAjv: boolean } {
  const script = `
    for (const file of ${JSON.stringify(modules)}) require(file);
    const { parserOf, schemasOfParsers, Type } = require('./shared/dist/index.js');
    ${more}
    for (const schema of schemasOfParsers()) parserOf(schema).prepare();
    const loadsAjv = Object.keys(require.cache).some((file) => file.endsWith('/ajv/dist/ajv.js'));
    console.log(JSON.stringify({ schemas: schemasOfParsers().size, loadsAjv }));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test.each([
  ['the guard', './device-agent/dist/guard/compose.js', 5],
  ['the agent', './device-agent/dist/agent/compose.js', 15],
  ['the server', './server/dist/compose.js', 15],
])('%s parses everything by validators of the build', (_name, module, fewest) => {
  const { schemas, loadsAjv } = parsersOf([module]);
  expect(schemas).toBeGreaterThanOrEqual(fewest);
  expect(loadsAjv).toBe(false);
});

test('what schemas say to people is in no program', () => {
  const { description = '' } = MaxOnMs;
  expect(description).not.toBe('');
  const built = readFileSync(resolve(ROOT, 'shared/dist/precompiled-validators.js'), 'utf8');
  expect(built).not.toContain(description);
});

test('a schema that the build has not seen is compiled by ajv when it is needed', () => {
  const other = 'parserOf(Type.Object({ other: Type.Integer({ minimum: 17 }) }));';
  expect(parsersOf(['./device-agent/dist/guard/compose.js'], other).loadsAjv).toBe(true);
});
