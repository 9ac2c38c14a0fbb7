import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { systemUser } from '@relaygate/server/cli/system-user';
import { SYSTEM_USER_MAX_CHARS } from '@relaygate/shared';

test('is who called sudo', () => {
  expect(systemUser({ SUDO_USER: 'ana' })).toBe('ana');
});

test.each([[{}], [{ SUDO_USER: '' }]])('is the user of the process with %p', (env) => {
  expect(systemUser(env)).toBe(userInfo().username);
});

test('is the user id where it has no name', () => {
  const name = systemUser({}, () => {
    throw new Error('no entry');
  });
  expect(name).toBe(`uid ${process.getuid?.()}`);
});

test('is plain and bounded, whatever SUDO_USER holds', () => {
  expect(systemUser({ SUDO_USER: 'a\u001b[2J\nb\u202e' })).toBe('a\\u001b[2J\\u000ab\\u202e');
  expect([...systemUser({ SUDO_USER: '😀'.repeat(100_000) })]).toHaveLength(SYSTEM_USER_MAX_CHARS);
});
