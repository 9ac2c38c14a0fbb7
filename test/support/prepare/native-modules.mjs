// Packages with a compiled part, which must fit the Node that loads it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { npm, PrepareError } from './program.mjs';

/** server/src/storage/sqlite/sqlite.ts says why; that for newer ones is not compiled. */
const SQLITE = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3' : 'better-sqlite3-12';
/** [package, workspace that has it]. */
const NEEDED = [
  [SQLITE, 'server'],
  ['koffi', 'device-agent'],
  ['@serialport/bindings-cpp', 'device-agent'],
];
/** Where it cannot be compiled, what needs it says so. */
const OPTIONAL = [['epoll', 'device-agent']];

/** Names of those that do not load in this Node: not compiled yet, or for another major version. */
export function modulesToCompile(root, scope) {
  return problemsOf(root, scope === 'all' ? [...NEEDED, ...OPTIONAL] : NEEDED).map(({ name }) => name);
}

export async function compileModules(root, names, show) {
  const left = [];
  for (const name of names) {
    show(`${name}, looking for a prebuilt one`);
    await compile(root, name, show).catch((error) => {
      if (NEEDED.some(([needed]) => needed === name)) throw error;
      left.push(name);
    });
  }
  const [problem] = problemsOf(root, NEEDED);
  if (problem)
    throw new PrepareError([`${problem.name} does not load: ${problem.text}`, compileHint('')].join('\n').trim());
  return left.length > 0 ? `without ${left.join(', ')}, which cannot be compiled here` : names.join(', ');
}

function compile(root, name, show) {
  return npm({
    args: ['rebuild', name, '--foreground-scripts'],
    label: `npm rebuild ${name}`,
    cwd: root,
    // Of node-gyp: as many compilers as the machine has processors.
    env: { JOBS: 'max' },
    onLine: (line) => {
      const file = /^\s*(?:CC|CXX)\(target\) .*\/(\w+)\.o$/.exec(line)?.[1];
      if (file) show(`${name}, compiling ${file}${file === 'sqlite3' ? ' (1 to 3 minutes)' : ''}`);
    },
    hint: compileHint,
  });
}

function problemsOf(root, modules) {
  const script = `
    const { createRequire } = require('node:module');
    const problems = [];
    for (const [name, from] of ${JSON.stringify(modules)}) {
      try {
        const loaded = createRequire(${JSON.stringify(root)} + '/' + from + '/package.json')(name);
        if (name === '${SQLITE}') new loaded(':memory:').close();
      } catch (error) { problems.push({ name, text: String(error.message).split('\\n')[0] }); }
    }
    console.log(JSON.stringify(problems));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  if (status !== 0) throw new PrepareError(`The compiled packages cannot be tried: ${stderr}`);
  return JSON.parse(stdout);
}

/** What is missing to compile where no prebuilt binary can be fetched, or nothing. */
function compileHint(output) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = [['make'], ['g++', 'c++', 'clang++'], ['python3', 'python']]
    .filter((names) => !names.some((name) => folders.some((folder) => existsSync(join(folder, name)))))
    .map(([name]) => name);
  if (missing.length > 0)
    return (
      `Where no prebuilt one can be fetched it is compiled, and ${missing.join(' and ')} cannot be found here. ` +
      'Node 24 needs no compiler; for this one, on Debian, Ubuntu and Raspberry Pi OS: sudo apt-get install build-essential python3'
    );
  // node-gyp fetches the headers of the Node that runs it.
  if (/gyp ERR! .*(nodejs\.org|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)/.test(output))
    return (
      'Neither a prebuilt one (github.com) nor the headers of this Node (nodejs.org) can be fetched. ' +
      'Look at the network or set HTTPS_PROXY; with headers of your own: export npm_config_nodedir=FOLDER (it holds include/node).'
    );
  return '';
}
