/** The validators that the build compiles ahead: a program of the device starts without ajv. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { OutputSettings } from '@relaygate/shared/device';

const ROOT = resolve(__dirname, '../../../..');
const GUARD = './device-agent/dist/guard/compose.js';
const TABLE = './shared/dist/precompiled-validators.js';
const PREPARE_ALL = `
  for (const schema of schemasOfParsers()) parserOf(schema).prepare();
  for (const [name, schema] of schemasByName()) parserNamed(name, schema).prepare();`;

/** How many schemas the module parses by, and what is in memory once `deed` is done with their parsers. */
function parsersOf(module: string, deed: string): { schemas: number; validators: number; loadsAjv: boolean } {
  const script = `
    require('${module}');
    const { parserNamed, schemasByName } = require('./shared/dist/named-parser.js');
    const { parserOf, schemasOfParsers, Type } = require('./shared/dist/index.js');
    ${deed}
    const loaded = Object.keys(require.cache);
    console.log(JSON.stringify({
      schemas: schemasOfParsers().size + schemasByName().size,
      validators: loaded.filter((file) => file.includes('/precompiled-validators/')).length,
      loadsAjv: loaded.some((file) => file.endsWith('/ajv/dist/ajv.js')),
    }));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test.each([
  ['the guard', GUARD, 5],
  ['the agent', './device-agent/dist/agent/compose.js', 15],
  ['the server', './server/dist/compose.js', 15],
])('%s parses everything by validators of the build', (_name, module, fewest) => {
  const { schemas, loadsAjv } = parsersOf(module, PREPARE_ALL);
  expect(schemas).toBeGreaterThanOrEqual(fewest);
  expect(loadsAjv).toBe(false);
});

test('what schemas say to people is in no program', () => {
  const { description = '' } = OutputSettings.properties.maxOnMs;
  expect(description).not.toBe('');
  const folder = resolve(ROOT, 'shared/dist/precompiled-validators');
  const files = [resolve(ROOT, TABLE), ...readdirSync(folder).map((file) => join(folder, file))];
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toContain(description);
});

test('only the validators that a program uses are in its memory', () => {
  const one = 'const [schema] = schemasOfParsers(); parserOf(schema).prepare();';
  expect(parsersOf(GUARD, one)).toMatchObject({ validators: 1, loadsAjv: false });
});

test('the guard parses by name, and loads no schema', () => {
  const all = 'for (const [name, schema] of schemasByName()) parserNamed(name, schema).prepare();';
  const script = `
    require('${GUARD}');
    const { parserNamed, schemasByName } = require('./shared/dist/named-parser.js');
    ${all}
    console.log(JSON.stringify([schemasByName().size, Object.keys(require.cache)]));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  const [schemas, loaded]: [number, string[]] = JSON.parse(stdout);
  expect(schemas).toBeGreaterThanOrEqual(13);
  expect(loaded.filter((file) => /json-schema|guard\/(requests|guard-records)\.js$/.test(file))).toEqual([]);
});

test('a validator that a build since the start of the program has replaced is compiled by ajv', () => {
  const replaced = `
    const table = require('${TABLE}');
    for (const text of Object.keys(table)) table[text] = () => require('./shared/dist/precompiled-validators/gone.js');`;
  expect(parsersOf(GUARD, replaced + PREPARE_ALL)).toMatchObject({ validators: 0, loadsAjv: true });
});

test('a schema that the build has not seen is compiled by ajv when it is needed', () => {
  const other = 'parserOf(Type.Object({ other: Type.Integer({ minimum: 17 }) }));';
  expect(parsersOf(GUARD, other + PREPARE_ALL).loadsAjv).toBe(true);
});
