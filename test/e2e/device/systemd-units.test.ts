import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { ROOT } from '../../support/processes/program';

const unitFile = (name: string): string => join(ROOT, `hardware/systemd/${name}.service`);

describe.each(['relaygate-guard', 'relaygate-agent'])('%s', (name) => {
  const text = readFileSync(unitFile(name), 'utf8');

  test('is watched, and started again without limit', () => {
    for (const line of ['Type=notify', 'Restart=always', 'StartLimitIntervalSec=0'])
      expect(text).toContain(`\n${line}\n`);
    expect(text).toMatch(/^WatchdogSec=[1-9]/m);
  });

  test('finds the kinds of serial adapters that it lets in known to the kernel', () => {
    const drivers = 'modprobe@usbserial.service modprobe@cdc_acm.service';
    expect(text).toMatch(/^DeviceAllow=char-ttyUSB rw\nDeviceAllow=char-ttyACM rw$/m);
    for (const order of ['Wants', 'After']) expect(text).toContain(`\n${order}=${drivers}\n`);
  });

  test('waits for no network', () => {
    expect(text).not.toMatch(/^(After|Wants|Requires)=.*network/m);
  });
});

// Nearly each order is a start, because a helper ends with its last client. At its limit systemd fails the socket too, until the next boot.
test.each(['relaygate-wifi', 'relaygate-status-file'])(
  '%s is started for its socket as often as it is asked',
  (name) => {
    const [unit = ''] = readFileSync(unitFile(name), 'utf8').split('[Service]');
    expect(unit).toContain('\nStartLimitIntervalSec=0\n');
    const socket = readFileSync(join(ROOT, `hardware/systemd/${name}.socket`), 'utf8');
    // systemd's own is 20 starts in 2 s: a brake for a helper that fails at once.
    expect(socket).not.toMatch(/^(StartLimit|TriggerLimit)/m);
  },
);

test('the agent may ask for its own addresses, which needs netlink', () => {
  expect(readFileSync(unitFile('relaygate-agent'), 'utf8')).toMatch(/^RestrictAddressFamilies=.* AF_NETLINK$/m);
});

test('a guard that hangs is killed after 2 s, by the one signal that a stopped process dies of (I4)', () => {
  const text = readFileSync(unitFile('relaygate-guard'), 'utf8');
  expect(text).toMatch(/^WatchdogSec=2\nWatchdogSignal=SIGKILL$/m);
  expect(text).toMatch(/^ExecStopPost=\/usr\/lib\/relaygate\/bin\/outputs-off$/m);
});

test('a guard that hangs while it stops is not waited for as long as outputs-off is (I4)', () => {
  const text = readFileSync(unitFile('relaygate-guard'), 'utf8');
  expect(text).toMatch(/^ExecStop=\/usr\/lib\/relaygate\/bin\/guard-stop \$MAINPID$/m);
});

// Paths belong to basic.target, which every service waits for: systemd would break the circle by starting no setup.
test('what sets the device up comes before guard and agent, and before no path', () => {
  const before = [...readFileSync(unitFile('relaygate-setup'), 'utf8').matchAll(/^Before=(.*)$/gm)].join(' ');
  for (const name of ['relaygate-guard', 'relaygate-agent']) expect(before).toContain(`${name}.service`);
  expect(before).not.toContain('.path');
});

test.each(['relaygate-setup', 'relaygate-status-file'])('%s starts on a machine that has no /boot/firmware', (name) => {
  expect(readFileSync(unitFile(name), 'utf8')).toMatch(/^ReadWritePaths=(.* )?-\/boot\/firmware$/m);
});

test.each(['relaygate-setup', 'relaygate-status'])('%s waits for the boot partition, and works without it', (name) => {
  const text = readFileSync(unitFile(name), 'utf8');
  expect(text).toMatch(/^After=(.* )?boot-firmware\.mount( |$)/m);
  expect(text).not.toMatch(/^(RequiresMountsFor|Requires|BindsTo|Requisite)=.*boot.firmware/m);
});

describe('the first settings', () => {
  const text = readFileSync(unitFile('relaygate-settings'), 'utf8');
  const [, script = ''] = /^ExecStart=\/bin\/sh -c '([^']+)'$/m.exec(text.replaceAll('\\\n', '')) ?? [];
  const folder = folderForEach('rg-systemctl-');
  beforeEach(() => {
    const answers = ['is-enabled) test "$ENABLED" = yes ;;', 'show) echo "$MET" ;;', 'start) echo "$2" ;;'];
    // "show" is the only one without an option before it.
    const stub = ['#!/bin/sh', '[ "$1" = show ] || shift', 'case "$1" in', ...answers, 'esac', ''];
    writeFileSync(join(folder, 'systemctl'), stub.join('\n'), { mode: 0o755 });
  });

  /** What is started, where the condition of each unit's last start was met or not. */
  function started(MET: 'yes' | 'no', ENABLED: 'yes' | 'no'): string[] {
    const env = { PATH: `${folder}:${process.env.PATH}`, MET, ENABLED };
    return execFileSync('sh', ['-c', script], { encoding: 'utf8', env }).split('\n').filter(Boolean);
  }

  test('are noticed however often they have changed just before: a refused start would end the path that notices', () => {
    expect(text).toContain('\nStartLimitIntervalSec=0\n');
  });

  test('start what has waited for them', () => {
    expect(started('no', 'yes')).toEqual(['relaygate-guard', 'relaygate-agent']);
  });

  test('start nothing that somebody has stopped or disabled', () => {
    expect(started('yes', 'yes')).toEqual([]);
    expect(started('no', 'no')).toEqual([]);
  });
});

test.each(['relaygate-agent', 'relaygate-status-file'])(
  '%s may ask whether the clock is synchronised, and set none',
  (name) => {
    const text = readFileSync(unitFile(name), 'utf8');
    expect(text).toMatch(/^SystemCallFilter=adjtimex clock_adjtime$/m);
    expect(text).not.toMatch(/^ProtectClock=/m);
    expect(text).not.toMatch(/CAP_SYS_TIME|@clock/);
  },
);

test.each([
  ['relaygate-agent', ['wifi']],
  ['relaygate-status', ['wifi', 'status-file']],
])('%s asks its helpers at the sockets where they are', (name, helpers) => {
  const text = readFileSync(unitFile(name), 'utf8');
  for (const helper of helpers) {
    const socket = readFileSync(join(ROOT, `hardware/systemd/relaygate-${helper}.socket`), 'utf8');
    const [, path] = /^ListenStream=(.*)$/m.exec(socket) ?? [];
    expect(text).toContain(`--${helper.replace('-file', '')}-socket ${path}`);
    for (const order of ['Wants', 'After'])
      expect(text).toMatch(new RegExp(`^${order}=.*relaygate-${helper}\\.socket`, 'm'));
  }
});

test('what sets the device up may set the clock and name time servers', () => {
  const text = readFileSync(unitFile('relaygate-setup'), 'utf8');
  expect(text).toMatch(/^CapabilityBoundingSet=.*CAP_SYS_TIME/m);
  expect(text).toMatch(/^SystemCallFilter=.* @clock/m);
  expect(text).toMatch(/^ReadWritePaths=.*-\/run\/systemd\/timesyncd\.conf\.d/m);
  expect(text).not.toMatch(/^ProtectClock=/m);
});
