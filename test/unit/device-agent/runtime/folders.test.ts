import { expect, test } from '@jest/globals';
import { foldersOf } from '@relaygate/device-agent/runtime/folders';

test('an empty run folder counts as none', () => {
  expect(foldersOf({ data: '/d', run: '' })).toEqual(foldersOf({ data: '/d' }));
  expect(foldersOf({ data: '/d', run: '' }).guardSocket).toBe('/run/relaygate-guard/guard.sock');
});
