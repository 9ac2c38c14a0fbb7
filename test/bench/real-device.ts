import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputSettings } from '@relaygate/shared/device';
import {
  type DeviceFolders,
  makeDeviceFolders,
  startAgent,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from '../support/device/device';
import type { Program } from '../support/processes/program';
import type { SeededServer } from './servers/relaygate';

const LINK_LIMIT_MS = 20_000;

/** Folders of a device that the server knows as its first product already. */
export function provisionDevice(
  { server, productLogins, key }: SeededServer,
  outputs: OutputSettings[],
): DeviceFolders & { remove(): void } {
  const folders = makeDeviceFolders();
  const productLogin = productLogins[0] ?? '';
  const link = { serverUrl: `ws://127.0.0.1:${server.port}`, serverName: 'relaygate', productLogin };
  writeDeviceSettings(folders.dataDir, { link, outputs });
  const { d } = createPrivateKey(key.privateKeyPem).export({ format: 'jwk' });
  const identity = { privateKey: d, publicKey: key.publicKey };
  writeFileSync(join(folders.dataDir, 'identity.json'), JSON.stringify(identity), { mode: 0o600 });
  return folders;
}

/** Guard and agent as they run on a Raspberry Pi, with a simulated board. */
export class RealDevice {
  readonly guard: Program;
  readonly agent: Program;
  /** From the start of the guard until its outputs are where they belong and it takes commands. */
  readonly guardReadyAfterMs: number;
  /** From the start of the guard to the link of the agent. */
  readonly linkedAfterMs: number;

  /** The agent is started when the guard is ready, as systemd does. Resolves when the link is up. */
  static async start(folders: DeviceFolders): Promise<RealDevice> {
    const startedMs = performance.now();
    const guard = await startGuard(folders);
    const guardReadyAfterMs = performance.now() - startedMs;
    const agent = await startAgent(folders);
    try {
      await agent.line(/link up/, LINK_LIMIT_MS);
    } catch (error) {
      await stopDevice([agent, guard]);
      throw error;
    }
    return new RealDevice(guard, agent, guardReadyAfterMs, performance.now() - startedMs);
  }

  private constructor(guard: Program, agent: Program, guardReadyAfterMs: number, linkedAfterMs: number) {
    this.guard = guard;
    this.agent = agent;
    this.guardReadyAfterMs = guardReadyAfterMs;
    this.linkedAfterMs = linkedAfterMs;
  }

  stop(): Promise<void> {
    return stopDevice([this.agent, this.guard]);
  }
}
