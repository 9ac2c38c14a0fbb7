import { expect, test } from '@jest/globals';
import { natsServers } from '@relaygate/server/router/nats-servers';
import { RelaygateError } from '@relaygate/shared';

const read = (text: string): unknown => natsServers(text, 'RELAYGATE_NATS_URL');

test.each([
  ['nats://localhost', { servers: ['localhost:4222'], isTls: false }],
  ['nats://broker:4333/?tls=disable', { servers: ['broker:4333'], isTls: false }],
  ['nats://127.0.0.2:4333', { servers: ['127.0.0.2:4333'], isTls: false }],
  ['tls://[::1]:4333, tls://two', { servers: ['[::1]:4333', 'two:4222'], isTls: true }],
  ['tls://ana:p%40ss@one,tls://two', { servers: ['one:4222', 'two:4222'], isTls: true, user: 'ana', pass: 'p@ss' }],
  [
    'nats://t0ken@[::1],nats://t0ken@localhost:1',
    { servers: ['[::1]:4222', 'localhost:1'], isTls: false, token: 't0ken' },
  ],
])('%s is read', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  '',
  'broker:4222',
  'http://s3cret@broker',
  'tls://s3cret@broker/path',
  'tls://:s3cret@broker',
  'nats://s3cret@broker',
  'nats://s3cret@127.0.0.1,nats://s3cret@broker',
  'nats://s3cret@127.0.0.1.example.com',
  'tls://s3cret@broker?tls=disable',
  'nats://localhost?token=s3cret',
  'nats://localhost#s3cret',
  'nats://ana:s3cret@localhost,tls://two',
  'tls://ana:s3cret@one,tls://ben:s3cret@two',
  'tls://s3cret%zz@one',
  'tls://ana:s3cret@one,,',
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
