// What Debian's tools and users read of a package: its changelog and the licences of all that is in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BuildError } from './workshop.mjs';

const COLUMNS = 78;

/** CHANGELOG.md in Debian's format, compressed; what is not released yet belongs to this version. */
export function debianChangelog(markdown, { version, epochS, maintainer }) {
  const releases = markdown.split(/^## /m).slice(1).map(release);
  const entries = releases.flatMap(({ title, groups }) => {
    const [, released, day] = /^\[?([^\]\s]+)\]?(?:\s+-\s+(\d{4}-\d{2}-\d{2}))?/.exec(title) ?? [];
    if (groups.length === 0) return [];
    const isThis = released === 'Unreleased';
    const timeMs = isThis || day === undefined ? epochS * 1000 : Date.parse(day);
    return [
      `relaygate-device (${isThis ? version : released}) unstable; urgency=medium`,
      ...groups.flatMap(({ name, items }) => ['', `  [ ${name} ]`, ...items.flatMap(item)]),
      '',
      ` -- ${maintainer}  ${new Date(timeMs).toUTCString().replace('GMT', '+0000')}`,
      '',
    ];
  });
  return gzipSync(entries.join('\n'), { level: 9 });
}

function release(text) {
  const [title = '', ...groups] = text.split(/^### /m);
  return {
    title: title.trim(),
    groups: groups.map((group) => {
      const [name = '', ...lines] = group.split('\n');
      const items = lines.join('\n').split(/^- /m).slice(1);
      return { name: name.trim(), items: items.map((words) => words.replace(/\s+/g, ' ').trim()) };
    }),
  };
}

function item(words) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines.length - 1;
    if (lines[last].length + word.length > COLUMNS - 4) lines.push(word);
    else lines[last] = lines[last] === '' ? word : `${lines[last]} ${word}`;
  }
  return lines.map((line, n) => `${n === 0 ? '  * ' : '    '}${line}`);
}

/** Which file of a package is its licence. */
export const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * The file `copyright` (machine-readable, format 1.0). `own` and `node`: licence texts. `packages`: { name, version, licence,
 * text, files }.
 */
export function copyrightFile({ own, node, packages }) {
  const stanzas = [
    ['Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/', 'Upstream-Name: Relaygate'],
    stanza('*', 'MIT', own),
    stanza('usr/lib/relaygate/bin/node', 'Node.js', node),
    ...packages.map(({ name, version, licence, text, files }) => [
      `Comment: ${name} ${version}`,
      ...stanza(files, licence, text),
    ]),
  ];
  return `${stanzas.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function stanza(files, licence, text) {
  const holders = text.match(/^.*\bcopyright\b.*\d{4}.*$/gim) ?? ['see the licence'];
  return [
    `Files: ${files}`,
    `Copyright: ${holders
      .slice(0, files === 'usr/lib/relaygate/bin/node' ? 1 : undefined)
      .map((line) => line.trim())
      .join('\n ')}`,
    `License: ${licence}`,
    ...text
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => ` ${line.trim() === '' ? '.' : line.trimEnd()}`),
  ];
}

/** Name, version and licence of a package in a folder. Throws `BuildError` where it has none. */
export function licenceOf(folder, names, fallback) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = names.filter((file) => LICENCE_FILE.test(file)).sort();
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n') || fallback(name);
  if (!text) throw new BuildError(`${name} has no licence file: find its licence out before it is shipped.`);
  return { name, version, licence: license, text };
}
