/**
 * No text from outside may cost a regular expression more than its length: every pattern of a schema and every expression of
 * the programs is searched for backtracking. One that could be made linear is; one that meets our own short texts is named here.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSafePattern } from 'redos-detector';
import { createSourceFile, forEachChild, isRegularExpressionLiteral, type Node, ScriptTarget } from 'typescript';

const ROOT = resolve(__dirname, '../../../..');
const SOURCES = [
  'shared/src',
  'server/src',
  'server/page/src',
  'device-agent/src',
  'device-agent/page/src',
  'hardware/src',
];

/** `maxScore`: how many ways there may be to read the same text, where alternatives overlap. Without a loop they do not grow. */
const SEARCH = { maxScore: 50, maxSteps: 20_000, timeout: Number.POSITIVE_INFINITY } as const;

/** By file and expression: why its text cannot be long, or is ours. */
const SHORT: Readonly<Record<string, string>> = {
  'device-agent/src/agent/technician/console/console-views.ts /:\\d\\d\\.\\d+Z$/': 'a time that we have written',
  'device-agent/src/relayctl/show-history.ts /\\.\\d+Z$/': 'a time that we have written',
  "device-agent/src/files/member-hint.ts /required property '(\\w+)'/": 'it begins anew at each quotation mark only',
  'hardware/src/image/fat-names.ts /^(.+)\\.([^.]*)$/': 'a name of a file of ours',
  'hardware/src/prepare.ts /\\.+$/': 'a path that holds a login of at most 64 characters',
  'hardware/src/site/label.ts /<text [^<>]*>([^<]*)<\\/text>/g': 'it begins anew at each bracket only',
  'server/src/cli/format.ts /\\.\\d+Z$/': 'a time that we have written',
  'server/src/http/api-routes.ts /\\{(\\w+)\\}/g': 'our own paths',
  'server/src/http/deprecation.ts /\\{(\\w+)\\}/g': 'our own paths',
  'server/src/http/openapi/document.ts /\\{(\\w+)\\}/g': 'our own paths',
  'server/src/http/refusals.ts /\\{(\\w+)\\}/g': 'our own paths',
};

interface Found {
  where: string;
  source: string;
  flags: string;
}

/** What the search does not know, as it does: names of groups, and some of the characters that a property has. */
const KNOWN: readonly (readonly [unknown: RegExp, known: string])[] = [
  [/\(\?<[A-Za-z]+>/g, '('],
  [/\\p\{Cc\}/g, '\\0-\\x1f'],
  [/\\p\{(Cs|Zl|Zp)\}/g, ''],
  [/\\p\{Default_Ignorable_Code_Point\}/g, '\\u200b-\\u200f\\ufe00-\\ufe0f'],
];

const isLinear = ({ source, flags }: Found): boolean =>
  isSafePattern(
    KNOWN.reduce((text, [unknown, known]) => text.replaceAll(unknown, known), source),
    {
      ...SEARCH,
      caseInsensitive: flags.includes('i'),
      dotAll: flags.includes('s'),
      multiLine: flags.includes('m'),
      unicode: flags.includes('u'),
    },
  ).safe;
const nameOf = ({ where, source, flags }: Found): string => `${where} /${source}/${flags}`;

/** Expressions that the text of a source file holds. */
function literalsIn(file: string): Found[] {
  const source = createSourceFile(file, readFileSync(file, 'utf8'), ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: Node): void => {
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ where: relative(ROOT, file), source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What the programs build when they are loaded: the patterns of their schemas, and expressions made of other texts. */
function built(): { patterns: string[]; expressions: Found[] } {
  const script = `
    const Own = RegExp;
    const expressions = [];
    globalThis.RegExp = new Proxy(Own, {
      construct(target, [source, flags = '']) {
        const [, , caller = ''] = new Error().stack.split('\\n');
        const where = /(shared|server|device-agent|hardware)\\/(dist|src)\\/[^:]*/.exec(caller)?.[0];
        if (where && !where.includes('precompiled')) expressions.push({ where, source: String(source.source ?? source), flags });
        return new Own(source, flags);
      },
    });
    import('./test/support/prepare/compile-validators.mjs').then(({ loadedSchemas }) => {
      const { texts } = loadedSchemas(process.cwd());
      const patterns = new Set();
      const visit = (value) => {
        if (typeof value !== 'object' || value === null) return;
        if (typeof value.pattern === 'string') patterns.add(value.pattern);
        for (const name of Object.keys(value.patternProperties ?? {})) patterns.add(name);
        Object.values(value).forEach(visit);
      };
      texts.map((text) => JSON.parse(text)).forEach(visit);
      visit(JSON.parse(require('node:fs').readFileSync('server/openapi.json', 'utf8')));
      console.log(JSON.stringify({ patterns: [...patterns], expressions }));
    });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const { patterns, expressions } = built();
const literals = SOURCES.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => literalsIn(join(ROOT, folder, file))),
);

test('every pattern of a schema is linear', () => {
  expect(patterns.length).toBeGreaterThan(30);
  // ajv compiles each with the flag u.
  expect(patterns.filter((source) => !isLinear({ where: '', source, flags: 'u' }))).toEqual([]);
});

test('every expression of the programs is linear, or meets short texts only', () => {
  expect(literals.length).toBeGreaterThan(100);
  expect(expressions.length).toBeGreaterThan(5);
  const slow = new Set([...literals, ...expressions].filter((found) => !isLinear(found)).map(nameOf));
  expect([...slow].sort()).toEqual(Object.keys(SHORT).sort());
});

test('the search knows an expression that is not', () => {
  for (const source of ['^(\\s*A[A\\s]+B\\s*)+$', '^(a+)+$', '\\s*[\\r\\n]+\\s*', '/+$'])
    expect(isSafePattern(source, SEARCH).safe).toBe(false);
});
