/** `npm run demo -- --check`: the whole way there and back, each step said in words. */
import assert from 'node:assert/strict';
import { type Edge, EdgeLog } from '../support/device/edge-log';
import { inconclusive, repeat, verdictOn } from '../support/time/excuse';
import { Lateness } from '../support/time/lateness';
import { beginOf } from '../support/time/windows';
import type { DemoFolder } from './demo-folder';
import { askRelayctl, type Installation } from './installation';

const HELD = 0;
const PULSED = 2;
/** The board writes an edge before the answer goes out; reading the file may still lag behind it. */
const EDGE_LIMIT_MS = 3_000;
/** I4 says -1/+5 ms on a device that does nothing else; here a whole installation shares the machine. */
const SHORTER_MS = 1;
const LONGER_MS = 100;

/** Rejects at the first step that does not do what it should. */
export async function roundTrip(demo: Installation, folder: DemoFolder, say: (line: string) => void): Promise<void> {
  const { api, productLogin } = demo;
  const log = new EdgeLog(folder.edgeLog);
  const machine = new Lateness();
  const status = JSON.parse(await askRelayctl(folder, 'status', '--json'));
  assert.ok(status.link.isUp, `relayctl status does not say linked: ${JSON.stringify(status)}`);
  const pulseMs = status.outputs[PULSED].pulseMs;
  say('relayctl says that the device is linked to the server');

  // A folder that was used before may have left the output on.
  assert.equal((await api.setOutput(productLogin, HELD, 0)).status, 200, 'switching output 0 off to begin with');
  let seen = log.edges().length;
  const expectEdges = async (what: string, output: number, ...levels: Edge['level'][]): Promise<Edge[]> => {
    const edges = await log.since(seen, levels.length, EDGE_LIMIT_MS + pulseMs);
    const expected = levels.map((level) => ({ output, level }));
    const found = edges.map(({ output, level }) => ({ output, level }));
    assert.deepEqual(found, expected, `edges of ${what}: ${JSON.stringify(edges)}`);
    seen += edges.length;
    return edges;
  };

  assert.deepEqual(await api.setOutput(productLogin, HELD, 1), { status: 200, body: 'OK' });
  await expectEdges('switching on', HELD, 1);
  say('set output 0 on: 200 OK, and the relay closed');

  const again = await api.legacySetOutput(productLogin, HELD, 1);
  assert.deepEqual({ ...again, body: JSON.parse(again.body) }, { status: 200, body: { already_set: true } });
  await expectEdges('switching on twice', HELD);
  say('set it on again, by the legacy API: 200 already_set, and nothing moved');

  assert.deepEqual(await api.setOutput(productLogin, HELD, 0), { status: 200, body: 'OK' });
  await expectEdges('switching off', HELD, 0);
  say('set output 0 off: 200 OK, and the relay opened');

  const tookMs = await repeat(async () => {
    assert.deepEqual(await api.setOutput(productLogin, PULSED, 1), { status: 200, body: 'OK' });
    const [up, down] = await expectEdges('an impulse', PULSED, 1, 0);
    assert.ok(up && down);
    const lengthMs = down.atMs - up.atMs;
    const end = { fromMs: up.atMs + pulseMs, toMs: down.atMs };
    const verdicts = [
      verdictOn('pulse', pulseMs - SHORTER_MS - lengthMs, () => machine.lostMs(beginOf({ onMs: up.atMs }))),
      verdictOn('pulse', lengthMs - pulseMs - LONGER_MS, () => machine.lostMs(end)),
    ];
    for (const { kind, lostMs } of verdicts) {
      if (kind === 'inconclusive') throw inconclusive('pulse', lostMs);
      assert.notEqual(kind, 'late', `the pulse took ${lengthMs.toFixed(1)} ms, not ${pulseMs} ms`);
    }
    return lengthMs;
  });
  machine.stop();
  say(`impulse on output 2: 200 OK, and the relay closed for ${tookMs.toFixed(1)} ms`);
}
