/** What the doctor says of the serial console's port, on machines in memory. */
import { describe, expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';

describe('the port of the serial console', () => {
  const SHOW = 'systemctl show --property=ActiveState --value serial-getty@ttyS0.service';
  function withConsole(port = '/dev/serial0'): PlayedMachine {
    const machine = new PlayedMachine();
    Object.assign(machine.settings ?? {}, { console: { port } });
    machine.rights.set('/dev/serial0', { mode: 0o660, uid: 0 });
    machine.links.set('/dev/serial0', '/dev/ttyS0');
    machine.texts.set('/sys/class/tty/console/active', 'tty0\n');
    machine.printed.set(SHOW, 'inactive\n');
    return machine;
  }
  const seen = async (machine: PlayedMachine): Promise<Finding | undefined> =>
    (await findingsOf(machine)).get('console');

  test('is well where nobody but the agent has it', async () => {
    const machine = withConsole();
    machine.openers = [{ pid: 7, commandLine: '/usr/bin/node /opt/relaygate/bin/relaygate-agent.js' }];
    expect(await seen(machine)).toMatchObject({ verdict: 'ok', found: expect.stringContaining('/dev/serial0') });
  });

  test.each([
    ['/dev/serial0', /raspi-config/],
    ['/dev/ttyGS0', /g_serial/],
    ['/dev/serial/by-id/usb-x', /relayctl board ports/],
  ])('that is missing (%s) has a cure of its own', async (port, cure) => {
    const machine = withConsole(port);
    machine.rights.delete('/dev/serial0');
    expect(await seen(machine)).toMatchObject({ verdict: 'fail', cure: expect.stringMatching(cure) });
  });

  test.each(['active', 'activating'])('on which a login is (%s) names it and how to be rid of it', async (state) => {
    const machine = withConsole();
    machine.printed.set(SHOW, `${state}\n`);
    const finding = await seen(machine);
    expect(finding).toMatchObject({ verdict: 'fail', found: expect.stringContaining('serial-getty@ttyS0.service') });
    expect(finding?.cure).toContain('systemctl mask --now serial-getty@ttyS0.service');
    expect(finding?.cure).not.toContain('cmdline.txt');
    machine.texts.set('/sys/class/tty/console/active', 'tty0 ttyS0\n');
    expect((await seen(machine))?.cure).toContain('console=serial0');
  });

  test('that another program has open names it', async () => {
    const machine = withConsole();
    machine.openers = [{ pid: 512, commandLine: 'minicom -D /dev/ttyS0' }];
    expect(await seen(machine)).toMatchObject({ verdict: 'fail', found: expect.stringMatching(/minicom.*512/) });
  });

  test('on which the kernel writes, or that is not for this user, is a warning', async () => {
    const machine = withConsole();
    machine.unusable.add('/dev/serial0');
    expect(await seen(machine)).toMatchObject({ verdict: 'warn', cure: expect.stringContaining('dialout') });
    machine.texts.set('/sys/class/tty/console/active', 'tty0 ttyS0\n');
    expect(await seen(machine)).toMatchObject({ verdict: 'warn', cure: expect.stringContaining('cmdline.txt') });
  });
});
