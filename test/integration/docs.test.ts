/** What /docs serves: whole in itself, kept by browsers, and nothing where the operator has switched it off. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readDocs } from '@relaygate/server/http/docs/docs-files';
import { ROOT } from '../support/processes/program';
import { serverForAll } from '../support/server/server-for-all';
import { withSuccessors } from '../support/server/successor-table';
import { startTestServer } from '../support/server/test-server';

const FILES = [...readDocs(join(ROOT, 'server/page/dist'))];
const PAGES = ['/docs', '/docs/guide'];

const server = serverForAll();

describe.each(FILES)('%s', (path, file) => {
  test('is served as it was built, packed for those who take it, and nothing else may run in it', async () => {
    const answer = await fetch(server.url + path);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(file.body)).toBe(true);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toContain('unsafe');
    for (const [name, value] of [
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['x-frame-options', 'DENY'],
    ] as const)
      expect(answer.headers.get(name)).toBe(value);
    const plain = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('content-length')).toBe(String(file.body.length));
  });

  test('is not sent again to those who have it, and an asset is not asked for again', async () => {
    // As browsers send it: Node's fetch would add no-cache.
    const headers = { 'if-none-match': file.etag, 'cache-control': 'max-age=0' };
    const again = await fetch(server.url + path, { headers });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const kept = PAGES.includes(path) ? 'no-cache' : 'public, max-age=31536000, immutable';
    expect(again.headers.get('cache-control')).toBe(kept);
  });

  test('answers HEAD without a body, and other methods with 405', async () => {
    const head = await fetch(server.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, file.etag]);
    const post = await fetch(server.url + path, { method: 'POST' });
    expect([post.status, post.headers.get('allow'), await post.text()]).toEqual([
      405,
      'GET, HEAD',
      '{"error":"method-not-allowed"}',
    ]);
  });
});

test.each(PAGES)('%s loads only what the server has, and has no script and no style of its own', async (page) => {
  const html = await (await fetch(server.url + page)).text();
  const loaded = [...html.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)].map(([, path]) => path);
  expect(loaded.length).toBeGreaterThan(1);
  for (const path of loaded) expect(FILES.map(([known]) => known)).toContain(path);
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  expect(html).not.toMatch(/@\w+@/);
});

test('the guide has every chapter of its documents, and no link that leads nowhere', async () => {
  const html = await (await fetch(`${server.url}/docs/guide`)).text();
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  const chapters = ['GUIDE.md', 'API.md'].flatMap((name) => [
    ...readFileSync(join(ROOT, 'server', name), 'utf8').matchAll(/^## /gm),
  ]);
  expect(links.length).toBeGreaterThanOrEqual(chapters.length);
  for (const link of links) expect(ids).toContain(link);
});

test('the table of successors in server/API.md is that of the operations: npm run generate', () => {
  const page = readFileSync(join(ROOT, 'server/API.md'), 'utf8');
  expect(page).toBe(withSuccessors(page));
});

test('RELAYGATE_DOCS=off: nothing of it is there, and the OpenAPI document still is', async () => {
  const without = await startTestServer({ settings: { docs: 'off' } });
  for (const [path] of FILES) expect((await fetch(without.url + path)).status).toBe(404);
  expect((await fetch(`${without.url}/openapi.json`)).status).toBe(200);
  await without.stop();
});
