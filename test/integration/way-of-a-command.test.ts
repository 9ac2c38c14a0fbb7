import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/processes/program';
import type { CalledFunction } from '../support/server/command-calls';

/** CONTRIBUTING's table of a command's way, held against the calls that V8 counts. */

const MAX_FUNCTIONS = 50;
const MAX_FILES = 22;

/** What the table leaves out, by file or by function, as the text above it says. */
const LEFT_OUT = [
  // Before the handler: connections, requests, bodies, authentication.
  /^server\/src\/http\/(?!operation|v1-operations)/,
  /^server\/src\/(tokens|clients)\//,
  /^server\/src\/(activity-counter|limits\/address-limited-set)\.ts /,
  / isKeyActive$/,
  // Validators. The device of this test reads its frames with `link-frames.ts`.
  /^shared\/src\/\S+ (parse|isOf|validatorOf|validatorFor)$/,
  /^shared\/src\/(precompiled-validators\/|link-frames\.ts )/,
  // The listeners of messages between the threads, and of commits.
  /^server\/src\/storage\/(threaded-writer|sqlite\/writer-thread|sqlite\/write-worker)\.ts (message|workerThread|serve)$/,
  /^server\/src\/changes\/change-stream\.ts #wake$/,
];

const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const [section = ''] = (text.split('\n## The way of a command\n')[1] ?? '').split('\n## ');

/** Each as `file name`. */
const table = [...section.matchAll(/^\| .*? \| (.*) \| `(.*)` \|$/gm)].flatMap(([, names = '', file = '']) =>
  [...names.matchAll(/`(#?\w+)`/g)].map(
    ([, name]) => `${file.startsWith('shared/') ? '' : 'server/src/'}${file} ${name}`,
  ),
);

interface Known {
  name: string;
  isShort: boolean;
}

const sources = new Map<string, ts.SourceFile>();

/** Undefined: no function of its own, as a getter or a whole file. */
function known({ file, start, end }: CalledFunction): Known | undefined {
  const source =
    sources.get(file) ?? ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  sources.set(file, source);
  let found: ts.FunctionLikeDeclaration | undefined;
  const visit = (node: ts.Node): void => {
    if (node.getStart() > end || node.end < end) return;
    if (ts.isFunctionLike(node) && 'body' in node && node.body && node.end === end) {
      const nearer = !found || Math.abs(node.getStart() - start) < Math.abs(found.getStart() - start);
      if (nearer) found = node as ts.FunctionLikeDeclaration;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (!found || ts.isAccessor(found)) return undefined;
  const { body } = found;
  const path = relative(ROOT, file).replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  return { name: `${path} ${nameOf(found)}`, isShort: !body || !ts.isBlock(body) || body.statements.length < 2 };
}

/** A function without a name goes by the one that makes it. */
function nameOf(node: ts.Node): string {
  if (ts.isSourceFile(node)) return '(file)';
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.text ?? '';
  const holder = ts.isArrowFunction(node) || ts.isFunctionExpression(node) ? node.parent : node;
  const named = holder as { name?: ts.Node };
  const isHolder =
    ts.isFunctionLike(holder) ||
    ts.isPropertyAssignment(holder) ||
    ts.isVariableDeclaration(holder) ||
    ts.isPropertyDeclaration(holder);
  if (isHolder && named.name && (ts.isIdentifier(named.name) || ts.isPrivateIdentifier(named.name)))
    return named.name.text;
  let outer = node.parent;
  while (!ts.isFunctionLike(outer) && !ts.isSourceFile(outer)) outer = outer.parent;
  return nameOf(outer);
}

let called: Known[];

beforeAll(() => {
  const program = join(__dirname, '../support/server/command-calls.js');
  const commands: CalledFunction[][] = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
  const times = new Map<string, number>();
  const functions = new Map<string, Known>();
  for (const calls of commands) {
    const outer = calls.filter(({ file, start, end }) =>
      calls.every(
        (other) => other.file !== file || other.start >= start || other.end < end || known(other) === undefined,
      ),
    );
    const found = new Map(outer.flatMap((one) => known(one) ?? []).map((one) => [one.name, one]));
    for (const [name, one] of found) {
      times.set(name, (times.get(name) ?? 0) + 1);
      functions.set(name, one);
    }
  }
  called = [...functions.values()].filter(({ name }) => (times.get(name) ?? 0) > commands.length / 2);
}, 60_000);

test('every function that most commands call is in the table, unless its rule leaves it out', () => {
  const counted = called.filter(({ name, isShort }) => !isShort && !LEFT_OUT.some((rule) => rule.test(name)));
  expect(counted.map(({ name }) => name).filter((name) => !table.includes(name))).toEqual([]);
});

test('most commands call every function of the table', () => {
  const names = new Set(called.map(({ name }) => name));
  expect(table.filter((name) => !names.has(name))).toEqual([]);
});

test(`they are at most ${MAX_FUNCTIONS} in ${MAX_FILES} files, as the text says`, () => {
  const functions = new Set(table);
  const files = new Set(table.map((name) => name.split(' ')[0]));
  expect(section).toContain(`from the HTTP handler to the wire: ${functions.size} in ${files.size} files.`);
  expect(functions.size).toBeLessThanOrEqual(MAX_FUNCTIONS);
  expect(files.size).toBeLessThanOrEqual(MAX_FILES);
});
