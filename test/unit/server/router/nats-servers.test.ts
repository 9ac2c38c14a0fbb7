import { expect, test } from '@jest/globals';
import { natsServers } from '@relaygate/server/router/nats-servers';
import { RelaygateError } from '@relaygate/shared';

const read = (text: string): unknown => natsServers(text, 'RELAYGATE_NATS_URL');

test.each([
  ['nats://broker', { servers: ['broker:4222'], isTls: false }],
  ['nats://broker:4333/', { servers: ['broker:4333'], isTls: false }],
  ['tls://[::1]:4333, tls://two', { servers: ['[::1]:4333', 'two:4222'], isTls: true }],
  ['tls://ana:p%40ss@one,tls://two', { servers: ['one:4222', 'two:4222'], isTls: true, user: 'ana', pass: 'p@ss' }],
  ['nats://t0ken@one,nats://t0ken@two', { servers: ['one:4222', 'two:4222'], isTls: false, token: 't0ken' }],
])('%s is read', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  '',
  'broker:4222',
  'http://s3cret@broker',
  'nats://s3cret@broker/path',
  'nats://:s3cret@broker',
  'nats://broker?token=s3cret',
  'nats://broker#s3cret',
  'nats://ana:s3cret@one,tls://two',
  'nats://ana:s3cret@one,nats://ben:s3cret@two',
  'nats://s3cret%zz@one',
  'nats://ana:s3cret@one,,',
])('%s is refused without a word of it', (text) => {
  let thrown: unknown;
  try {
    read(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(RelaygateError);
  expect(thrown).toMatchObject({ code: 'bad-setting', message: expect.stringContaining('RELAYGATE_NATS_URL') });
  expect(JSON.stringify([thrown, String(thrown), (thrown as Error).stack])).not.toContain('s3cret');
});
