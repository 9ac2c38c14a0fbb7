/** The machine's serial ports, as far as serialport alone does not do it. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { nodeSerial } from '@relaygate/device-agent/platform/node-serial';
import type { SerialConnection } from '@relaygate/device-agent/serial/serial-port';
import { Pty } from '../../support/device/serial/pty';
import { folderForAll } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { eventually } from '../../support/time/waiting';

const PORTS = 50;
/** How long the process is watched, and how much of a processor it may use: one port that is read for ever takes half of one. */
const WATCH_MS = 1_000;
const MAX_BUSY = 0.25;

describeWhere(missingProgram('socat', 'socat'))('a serial port whose adapter is unplugged', () => {
  const folder = folderForAll('rg-p-');
  const plug = (n: number): Promise<Pty> => Pty.plug(join(folder, `port-${n}`));
  const open = nodeSerial();

  test(`is noticed, of ${PORTS} each one, and costs nothing afterwards`, async () => {
    const gone: number[] = [];
    const heard = new Map<number, number[]>();
    const connections: SerialConnection[] = [];
    for (let n = 0; n < PORTS; n += 1) {
      const pty = await plug(n);
      connections.push(
        await open(
          { path: pty.path, baud: 9_600, parity: 'none' },
          {
            bytes: (bytes) => void heard.set(n, [...(heard.get(n) ?? []), ...bytes]),
            gone: () => void gone.push(n),
          },
        ),
      );
      // Idle, right after bytes both ways, or in the middle of them.
      if (n % 3 > 0) {
        pty.say(Uint8Array.of(1, 2, 3));
        void connections[n]?.write(Uint8Array.of(4, 5, 6)).catch(() => {});
      }
      if (n % 3 === 1) await eventually(() => heard.get(n)?.length === 3);
      await pty.unplug();
    }
    await eventually(() => gone.length === PORTS);
    expect(new Set(gone).size).toBe(PORTS);
    const { user, system } = process.cpuUsage();
    await new Promise((resume) => setTimeout(resume, WATCH_MS));
    const used = process.cpuUsage({ user, system });
    expect((used.user + used.system) / 1_000).toBeLessThan(MAX_BUSY * WATCH_MS);
    for (const connection of connections) {
      await expect(connection.write(Uint8Array.of(1))).rejects.toThrow();
      await connection.close();
    }
    expect(gone).toHaveLength(PORTS);
  });

  test('is not said to be gone once it was closed', async () => {
    const pty = await plug(PORTS);
    let isGone = false;
    const connection = await open(
      { path: pty.path, baud: 9_600, parity: 'none' },
      { bytes: () => {}, gone: () => (isGone = true) },
    );
    await connection.close();
    const second = await open({ path: pty.path, baud: 9_600, parity: 'none' }, { bytes: () => {}, gone: () => {} });
    await second.close();
    await pty.unplug();
    expect(isGone).toBe(false);
  });
});
