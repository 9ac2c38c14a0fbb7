import { afterAll, beforeAll } from '@jest/globals';
import { TestServer, type TestServerOptions } from './test-server';

/** A server that runs while the tests of a file or block do. */
export function serverForAll(options?: TestServerOptions): TestServer {
  const server = new TestServer(options);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
