/** `npm run cluster -- --check`: every device through every server, each step said in words. */
import assert from 'node:assert/strict';
import { EdgeLog } from '../support/device/edge-log';
import { PlainApi } from '../support/server/plain-api';
import type { Cluster } from './cluster';

const OUTPUT = 0;
/** The board writes an edge before the answer goes out; reading the file may still lag behind it. */
const EDGE_LIMIT_MS = 3_000;

/** Rejects at the first device that does not do what it should. */
export async function checkCluster(cluster: Cluster, say: (line: string) => void): Promise<void> {
  const logs = new Map(cluster.devices.map(({ productLogin, edgeLog }) => [productLogin, new EdgeLog(edgeLog)]));
  let state: 0 | 1 = 0;
  for (const { name, baseUrl } of [...cluster.nodes, { name: 'the load balancer', baseUrl: cluster.baseUrl }]) {
    state = state === 0 ? 1 : 0;
    const api = new PlainApi(baseUrl);
    await api.login(cluster.clientKey);
    const startedMs = performance.now();
    for (const [productLogin, log] of logs) {
      const before = log.edges().length;
      const answer = await api.setOutput(productLogin, OUTPUT, state);
      assert.deepEqual(answer, { status: 200, body: 'OK' }, `${productLogin} through ${name}`);
      const edges = await log.since(before, 1, EDGE_LIMIT_MS);
      const moved = edges.map(({ output, level }) => ({ output, level }));
      assert.deepEqual(moved, [{ output: OUTPUT, level: state }], `edges of ${productLogin} through ${name}`);
    }
    const eachMs = (performance.now() - startedMs) / logs.size;
    const word = state === 1 ? 'closed' : 'opened';
    say(`${logs.size} devices through ${name}: 200 OK, and each relay ${word} once; ${eachMs.toFixed(1)} ms each`);
  }
}
