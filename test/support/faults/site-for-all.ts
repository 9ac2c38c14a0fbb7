import { afterAll, beforeAll } from '@jest/globals';
import { Site, type SiteOptions } from './site';

/** A site that runs while the tests of a file or block do. */
export function siteForAll(options: SiteOptions): Site {
  const site = new Site(options);
  beforeAll(() => site.setUp(), 120_000);
  afterAll(() => site.stop(), 60_000);
  return site;
}
