/** The router's contract over a broker of this process, which stands in for NATS elsewhere. */
import { beforeEach, describe } from '@jest/globals';
import { MemoryBroker } from '../../support/server/memory-broker';
import { routerContract } from './router-contract';

describe('over a broker in memory', () => {
  let broker: MemoryBroker;
  beforeEach(() => {
    broker = new MemoryBroker();
  });
  routerContract(() => broker);
});
