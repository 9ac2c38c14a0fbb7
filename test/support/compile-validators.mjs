// Compiles the validators of every schema that server and device parse by, after tsc: shared/dist/precompiled-validators.js,
// a table from a schema's text to its validator (see shared/src/validators.ts). Run by prepare.mjs; plain JavaScript.
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const OUTPUT = 'shared/dist/precompiled-validators.js';
const SOURCES = ['shared/dist', 'device-agent/dist', 'server/dist'];
/** Modules that do something when they are loaded, or need what only the running program has. */
const NOT_LOADED = /(^|\/)(main|write-worker|precompiled-validators)\.js$/;

/** Returns how many validators were compiled, 0 when none was out of date. */
export function compileValidators(root) {
  const modules = SOURCES.flatMap((folder) => modulesOf(join(root, folder)));
  const output = join(root, OUTPUT);
  if (existsSync(output) && modules.every((file) => statSync(file).mtimeMs <= statSync(output).mtimeMs)) return 0;
  const require = createRequire(join(root, 'shared/package.json'));
  const loaded = modules.map((file) => require(file));
  const { schemasOfParsers } = require(join(root, 'shared/dist/schema.js'));
  const { AJV_OPTIONS, schemaText } = require(join(root, 'shared/dist/validators.js'));
  const schemas = [...schemasOfParsers(), ...loaded.flatMap((module) => Object.values(module).filter(isSchema))];
  const texts = [...new Set(schemas.map(schemaText))].sort();
  // Whole or not at all: another program may be starting.
  writeFileSync(`${output}.new`, codeOf(require, AJV_OPTIONS, texts));
  renameSync(`${output}.new`, output);
  return texts.length;
}

function codeOf(require, options, texts) {
  const { Ajv } = require('ajv');
  const { default: standaloneCode } = require('ajv/dist/standalone');
  const ajv = new Ajv({ ...options, code: { source: true } });
  texts.forEach((text, n) => void ajv.addSchema(JSON.parse(text), `schema${n}`));
  const code = standaloneCode(ajv, Object.fromEntries(texts.map((_, n) => [`validate${n}`, `schema${n}`])));
  const table = texts.map((text, n) => `  ${JSON.stringify(text)}: exports.validate${n},`);
  return [code, 'module.exports = {', ...table, '};', ''].join('\n');
}

function modulesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.js') && !NOT_LOADED.test(file))
    .map((file) => join(folder, file));
}

/** What json-schema.ts makes of an object: the messages of sockets, files and settings. */
const isSchema = (value) =>
  typeof value === 'object' && value !== null && value.type === 'object' && 'properties' in value;
