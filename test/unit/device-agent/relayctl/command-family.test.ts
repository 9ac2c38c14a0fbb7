import { expect, test } from '@jest/globals';
import { type CommandFamily, familiesFor } from '@relaygate/device-agent/relayctl/command-family';

const family = (...names: string[]): CommandFamily => ({ names, load: () => () => {} });
const LOCKS = family('lock', 'unlock');
const LOG = family('log');

test.each<[string, CommandFamily[]]>([
  ['status', []],
  ['--run /run/log status --json', []],
  ['unlock 2', [LOCKS]],
  ['--run lock log -f', [LOCKS, LOG]],
  ['', [LOCKS, LOG]],
  ['--version', [LOCKS, LOG]],
  ['lokc 2', [LOCKS, LOG]],
  ['--help', [LOCKS, LOG]],
  ['help lock', [LOCKS, LOG]],
  ['-h status', [LOCKS, LOG]],
])('"relayctl %s" loads what it needs', (line, wanted) => {
  const found = familiesFor(line.split(' '), [LOCKS, LOG], (name) => name === 'status');
  expect(found).toEqual(wanted);
});
