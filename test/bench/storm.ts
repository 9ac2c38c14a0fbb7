/** T16: how soon all devices are linked again when their server was killed and is started a second later. */

import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNowMs } from '@relaygate/shared/system';
import { AWAY_MS, Fleet, STEADY_MS } from '../support/faults/fleet';
import { Program } from '../support/processes/program';
import { pause } from '../support/time/waiting';
import type { Figure } from './figures';
import { seed } from './servers/relaygate';

const DEVICES = 10_000;
const QUICK_DEVICES = 2_000;
const LIMIT_MS = 180_000;
const MAX_BACK_S = 15;

export async function measureStorm(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const devices = quick ? QUICK_DEVICES : DEVICES;
  const dataDir = mkdtempSync(join(tmpdir(), 'relaygate-bench-'));
  const started: { stop(): Promise<unknown> }[] = [];
  try {
    const { productLogins, key } = await seed(dataDir, devices);
    const { server, port } = await startServer(dataDir, 0);
    started.unshift(server);
    const { d: keySeed = '' } = createPrivateKey(key.privateKeyPem).export({ format: 'jwk' });
    const products = productLogins.map((productLogin) => ({ productLogin, enrolmentCode: null }));
    const fleet = await Fleet.start({ ports: [port], products, keySeed });
    started.unshift(fleet);
    await fleet.allLinked(LIMIT_MS);
    say(`${devices} devices linked`);
    await pause(STEADY_MS);
    server.kill('SIGKILL');
    const killedMs = monotonicNowMs();
    await server.ended;
    await pause(AWAY_MS);
    started.push((await startServer(dataDir, port)).server);
    const value = ((await fleet.allLinked(LIMIT_MS)) - killedMs) / 1_000;
    say(`all back after ${value.toFixed(1)} s`);
    const name = `storm: ${devices.toLocaleString('en-US')} devices back after a server kill`;
    return [{ name, value, unit: 's', atMost: MAX_BACK_S }];
  } finally {
    for (const one of started) await one.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startServer(dataDir: string, listenAt: number): Promise<{ server: Program; port: number }> {
  const env = { RELAYGATE_DATA_DIR: dataDir, RELAYGATE_LISTEN: `127.0.0.1:${listenAt}` };
  const server = await Program.start({ name: 'server', file: 'server/bin/relaygate-server.js', args: ['start'], env });
  const [, port] = await server.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
  return { server, port: Number(port) };
}
