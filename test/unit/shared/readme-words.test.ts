/** The words that shared/README.md lists by hand are those of the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { COMMON } from '@relaygate/device-agent/locales/en/common';
import { DEVICE_REASONS } from '@relaygate/shared';
import { ROOT } from '../../support/processes/program';

const readme = readFileSync(join(ROOT, 'shared/README.md'), 'utf8');

test('every kind of entry in the history', () => {
  const [, table = ''] = readme.match(/\n\| `kind` \|.*\n\|[-|]+\n((?:\|.*\n)+)/) ?? [];
  const listed = table.split('\n').flatMap((row) => wordsIn(row.split('|')[1] ?? ''));
  expect(listed.sort()).toEqual(Object.keys(COMMON.kinds).sort());
});

test('every reason that the server gives by itself', () => {
  const [, table = ''] = readme.match(/has reasons of its own.*\n\n\|.*\n\|[-|]+\n((?:\|.*\n)+)/) ?? [];
  const listed = table.split('\n').flatMap((row) => wordsIn(row.split('|')[2] ?? ''));
  expect(listed.sort()).toEqual([...new Set([...serverReasons()])].sort());
  for (const reason of listed) expect(Object.keys(DEVICE_REASONS)).not.toContain(reason);
});

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`([a-z0-9-]+)`/g)].flatMap(([, word]) => word ?? []);
}

function serverReasons(): string[] {
  const folders = ['commands', 'storage'].map((name) => join(ROOT, 'server/src', name));
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  return sources.flatMap((source) =>
    [...source.matchAll(/(?:\breason: (?:.*? \? )?|\bdenied\(|: Interruption = )'([a-z0-9-]+)'/g)].flatMap(
      ([, reason]) => reason ?? [],
    ),
  );
}
