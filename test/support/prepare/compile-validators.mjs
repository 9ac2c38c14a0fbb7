// Compiles the validators of every schema that server and device parse by, after tsc: shared/dist/precompiled-validators.js,
// a table from a schema's text to what loads its validator, and a file for each of them, so that a program has in memory
// only those that it uses (see shared/src/validators.ts). Run by prepare.mjs; plain JavaScript.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const TABLE = 'shared/dist/precompiled-validators.js';
/** Beside the table. */
const FOLDER = 'precompiled-validators';
const SOURCES = ['shared/dist', 'device-agent/dist', 'server/dist'];
/** Modules that do something when they are loaded, or need what only the running program has. */
const NOT_LOADED = /(^|\/)(main|write-worker|checkpoint-program|precompiled-validators(\/\w+)?)\.js$/;

/** Returns how many validators were compiled, 0 when none was out of date. */
export function compileValidators(root) {
  const modules = SOURCES.flatMap((folder) => modulesOf(join(root, folder)));
  const table = join(root, TABLE);
  if (existsSync(table) && modules.every((file) => statSync(file).mtimeMs <= statSync(table).mtimeMs)) return 0;
  const { require, texts, names } = loadedSchemas(root);
  const { AJV_OPTIONS } = require(join(root, 'shared/dist/validators.js'));
  writeValidators(table, compiled(require, AJV_OPTIONS, texts), names);
  return texts.length;
}

/** The texts of all schemas that server and device parse by, the texts by name where a schema has one, and what has loaded their modules. */
export function loadedSchemas(root) {
  const require = createRequire(join(root, 'shared/package.json'));
  const loaded = SOURCES.flatMap((folder) => modulesOf(join(root, folder))).map((file) => require(file));
  const { schemasOfParsers } = require(join(root, 'shared/dist/schema.js'));
  const { schemaText } = require(join(root, 'shared/dist/validators.js'));
  const { schemasByName } = require(join(root, 'shared/dist/named-parser.js'));
  const names = [...schemasByName()].map(([name, schema]) => ({ name, text: schemaText(schema()) })).sort(byName);
  const schemas = [...schemasOfParsers(), ...loaded.flatMap((module) => Object.values(module).filter(isSchema))];
  const texts = [...schemas.map(schemaText), ...names.map(({ text }) => text)];
  return { require, texts: [...new Set(texts)].sort(), names };
}

/** A program that runs has the old table in its memory: what is gone then, it compiles by itself. */
function writeValidators(table, validators, names) {
  const folder = join(table, '..', FOLDER);
  mkdirSync(folder, { recursive: true });
  const files = new Map();
  for (const { text, code } of validators) {
    const name = `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.js`;
    replaceFile(join(folder, name), code);
    files.set(text, name);
  }
  const row = (key, text) => `  ${JSON.stringify(key)}: () => require('./${FOLDER}/${files.get(text)}'),`;
  const loads = [
    ...[...files.keys()].map((text) => row(text, text)),
    ...names.map(({ name, text }) => row(name, text)),
  ];
  replaceFile(table, ["'use strict';", 'module.exports = {', ...loads, '};', ''].join('\n'));
  const kept = new Set(files.values());
  for (const file of readdirSync(folder)) if (!kept.has(file)) rmSync(join(folder, file));
}

/** Whole or not at all: another program may be starting. */
function replaceFile(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function compiled(require, options, texts) {
  const { Ajv } = require('ajv');
  const { default: standaloneCode } = require('ajv/dist/standalone');
  return texts.map((text) => {
    const ajv = new Ajv({ ...options, code: { source: true } });
    return { text, code: `${standaloneCode(ajv, ajv.compile(JSON.parse(text)))}\n` };
  });
}

function modulesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.js') && !NOT_LOADED.test(file))
    .map((file) => join(folder, file));
}

const byName = (one, other) => (one.name < other.name ? -1 : 1);

/** What json-schema.ts makes of an object: the messages of sockets, files and settings. */
const isSchema = (value) =>
  typeof value === 'object' && value !== null && value.type === 'object' && 'properties' in value;
