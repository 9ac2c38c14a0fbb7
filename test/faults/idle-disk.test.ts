/**
 * A device that nobody uses writes nothing to its disk, be it linked or its server away: cards wear out. Its disk is one of
 * its own, and the kernel counts what is written to it.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { CardDevice } from '../support/faults/card-device';
import { ext4ImageMissing } from '../support/faults/ext4-image';
import { Site } from '../support/faults/site';
import { LinkRelay } from '../support/processes/link-relay';
import { describeWhere } from '../support/processes/needs';
import { pause } from '../support/time/waiting';

/** `RELAYGATE_IDLE_MINUTES=10 npm test -- faults/idle-disk`; by default as long as a few tries to link take. */
const IDLE_MS = Number(process.env.RELAYGATE_IDLE_MINUTES ?? 2 / 3) * 60_000;
/** The first boot's own writes and ext4's are over then. */
const SETTLE_MS = 8_000;
const START_LIMIT_MS = 90_000;

/** What its programs gave to any disk, in bytes, as the kernel counts it; files in memory, pipes and sockets do not count. */
function bytesWritten(device: CardDevice): number {
  return device.programs.reduce((sum, { pid }) => {
    const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
    if (bytes === undefined) throw new Error(`the kernel counts no writes of process ${pid}`);
    return sum + Number(bytes);
  }, 0);
}

interface Written {
  sectors: number;
  bytes: number;
  /** Of the programs' log, which a system may keep on the card. */
  lines: number;
}

/** Measures from its call on. */
function writtenBy(device: CardDevice): () => Written {
  const count = (): Written => ({
    sectors: device.disk.sectorsWritten(),
    bytes: bytesWritten(device),
    lines: device.programs.reduce((sum, { printed }) => sum + printed, 0),
  });
  const before = count();
  return () => {
    const { sectors, bytes, lines } = count();
    return { sectors: sectors - before.sectors, bytes: bytes - before.bytes, lines: lines - before.lines };
  };
}

async function isLinked(device: CardDevice): Promise<boolean> {
  const { link } = (await device.ask('status', {})) as DeviceStatus;
  return link.isUp;
}

describeWhere(ext4ImageMissing())('a device that nobody uses', () => {
  test(
    'writes nothing to its disk and its log, linked or with its server away; what is done at it is written',
    async () => {
      const site = await Site.start({ pairs: 0 });
      const relay = await LinkRelay.start(() => `ws://127.0.0.1:${site.port}`);
      const devices: CardDevice[] = [];
      try {
        for (const serverUrl of [undefined, relay.url]) {
          const device = await CardDevice.provisioned(site, serverUrl);
          devices.push(device);
          await device.boot('first');
          await device.untilLinked();
        }
        relay.isRefusing = true;
        relay.cut();
        await devices[1]?.agent.line(/not linked/);
        await pause(SETTLE_MS);
        const counts = devices.map(writtenBy);
        await pause(IDLE_MS);
        expect(counts.map((count) => count())).toEqual(devices.map(() => ({ sectors: 0, bytes: 0, lines: 0 })));

        expect(await Promise.all(devices.map(isLinked))).toEqual([true, false]);
        // The count is one that can be other than 0.
        for (const device of devices)
          await device.change('output', { numOutput: 2, change: { pulseMs: 750 }, force: false, actor: 'a test' });
        for (const count of counts) {
          const { sectors, bytes, lines } = count();
          expect(Math.min(sectors, bytes, lines)).toBeGreaterThan(0);
        }
      } finally {
        for (const device of devices) await device.remove();
        await relay.stop();
        await site.stop();
      }
    },
    START_LIMIT_MS + IDLE_MS,
  );
});
