import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const ROOMS = ['server', 'shared', 'device-agent', 'hardware', 'test'];
const DOCUMENTS = [
  ...readdirSync(ROOT),
  ...ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
  ),
].filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(file));
const LINK = /\]\(([^)\s]+)\)/g;
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe.each(DOCUMENTS)('%s', (file) => {
  const links = [...textOf(file).matchAll(LINK)].map(([, link = '']) => link).filter((link) => !link.includes('://'));

  test('each link leads to a file, and to a heading of it', () => {
    expect(links.filter((link) => !isThere(file, link))).toEqual([]);
  });
});

describe.each(ROOMS.map((folder) => `${folder}/DECISIONS.md`))('%s', (file) => {
  test('each decision has a heading and at most three sentences', () => {
    const [, ...decisions] = textOf(file).split('\n### ');
    expect(decisions.length).toBeGreaterThan(3);
    expect(decisions.filter((decision) => sentencesOf(decision) < 1 || sentencesOf(decision) > 3)).toEqual([]);
  });
});

test('the functions of a command inside the guard are where CONTRIBUTING says, and its hops as many', () => {
  const section = sectionOf('A command inside the guard');
  const rows = [...section.matchAll(/^\| (\d+) \| (.*?) \| `(.*?)`.*? \| .* \|$/gm)];
  const missing = rows.flatMap(([, , names = '', file = '']) => {
    const source = textOf(`device-agent/src/${file.startsWith('gpio-') ? 'relay' : 'guard'}/${file}`);
    const all = [...names.matchAll(/`#?(\w+)`/g)].map(([, name = '']) => name);
    return all.filter((name) => !new RegExp(`\\b${name}\\b`).test(source)).map((name) => `${name} in ${file}`);
  });
  expect(missing).toEqual([]);
  expect(rows.map(([, hop]) => Number(hop))).toEqual(rows.map((_row, n) => n + 1));
  expect(section).toContain(`makes ${rows.length} hops`);
  expect(rows.length).toBeLessThanOrEqual(15);
});

test.each([
  ['server/README.md', 250],
  ['server/API.md', 200],
  ['device-agent/README.md', 250],
  ['hardware/README.md', 250],
  ['test/README.md', 250],
])('%s has at most %i lines', (file, most) => {
  expect(textOf(file).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
});

function sectionOf(heading: string): string {
  const [, rest = ''] = textOf('CONTRIBUTING.md').split(`\n## ${heading}\n`);
  return rest.split('\n## ')[0] ?? '';
}

function isThere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );
}

/** Of what follows the heading's line, up to the next chapter. */
function sentencesOf(decision: string): number {
  const [text = ''] = decision.slice(decision.indexOf('\n')).split('\n## ');
  return text.match(/[.?!](\s|$)/g)?.length ?? 0;
}
