/** What each process of a device may do, as its unit says. Whoever gives one a right more gives it here too. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const UNITS = join(ROOT, 'hardware/systemd');

/** Of every process. */
const ALWAYS = [
  'NoNewPrivileges=yes',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'ProtectProc=invisible',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'SystemCallArchitectures=native',
];
/** Of most; who lacks one needs what it takes away, as the unit says. */
const MOSTLY = [
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelTunables=yes',
  'DevicePolicy=closed',
  'IPAddressDeny=any',
  'UMask=0077',
  'AmbientCapabilities=',
  'PrivateUsers=yes',
];

interface Rights {
  /** undefined: root. */
  user?: string;
  groups?: string;
  capabilities?: string;
  writes?: string;
  devices?: readonly string[];
  families: string;
  calls: readonly string[];
  lacks?: readonly string[];
  /** In tenths, as systemd-analyze counts it. */
  exposure: number;
}

const ROOTLESS = ['@system-service', '~@privileged @resources'];
const CLOCK_STATE = 'adjtimex clock_adjtime';
const SERIAL = ['char-ttyUSB rw', 'char-ttyACM rw', 'char-ttyAMA rw', 'char-ttyS rw'];
/** No user of their own, so none of another's either. */
const OF_ROOT = ['PrivateUsers=yes', 'AmbientCapabilities='];

const RIGHTS: Readonly<Record<string, Rights>> = {
  'relaygate-guard': {
    user: 'relaygate-guard',
    groups: 'gpio dialout',
    writes: '/var/lib/relaygate',
    devices: ['char-gpiochip rw', ...SERIAL],
    families: 'AF_UNIX',
    calls: ROOTLESS,
    lacks: ['ProtectKernelTunables=yes', 'UMask=0077'],
    exposure: 12,
  },
  'relaygate-agent': {
    user: 'relaygate-agent',
    groups: 'relaygate dialout',
    writes: '/var/lib/relaygate',
    devices: [...SERIAL, 'char-ttyGS rw'],
    families: 'AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    calls: [...ROOTLESS, CLOCK_STATE],
    lacks: ['ProtectClock=yes', 'IPAddressDeny=any', 'UMask=0077'],
    exposure: 20,
  },
  'relaygate-wifi': { user: 'relaygate-wifi', families: 'AF_UNIX', calls: ROOTLESS, exposure: 8 },
  'relaygate-status': {
    user: 'relaygate-status',
    groups: 'relaygate relaygate-tech',
    families: 'AF_UNIX AF_NETLINK',
    calls: ROOTLESS,
    exposure: 9,
  },
  'relaygate-status-file': {
    capabilities: 'CAP_SYS_ADMIN',
    writes: '-/boot/firmware',
    devices: ['block-mmc r', 'block-sd r'],
    families: 'AF_UNIX',
    calls: ['@system-service @mount', '~@resources', CLOCK_STATE],
    lacks: ['ProtectClock=yes', ...OF_ROOT],
    exposure: 20,
  },
  'relaygate-setup': {
    capabilities: 'CAP_SYS_ADMIN CAP_SYS_TIME CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_NET_ADMIN',
    writes: '/var/lib/relaygate -/run/systemd/timesyncd.conf.d -/boot/firmware',
    families: 'AF_UNIX AF_NETLINK',
    calls: ['@system-service @mount @clock'],
    lacks: [
      ...['ProtectClock=yes', 'ProtectHostname=yes', 'ProtectKernelTunables=yes', 'DevicePolicy=closed'],
      ...OF_ROOT,
    ],
    exposure: 35,
  },
  'relaygate-settings': { families: 'AF_UNIX', calls: ['@system-service'], lacks: OF_ROOT, exposure: 16 },
};

const SOCKETS: Readonly<Record<string, readonly string[]>> = {
  'relaygate-wifi': ['SocketUser=relaygate-agent', 'SocketGroup=relaygate-status', 'SocketMode=0660'],
  'relaygate-status-file': ['SocketUser=relaygate-status', 'SocketMode=0600'],
};

const linesOf = (file: string): string[] => readFileSync(join(UNITS, file), 'utf8').split('\n');
const named = (end: string): string[] =>
  readdirSync(UNITS)
    .filter((file) => file.endsWith(end) && file !== 'relaygate-server.service')
    .map((file) => file.slice(0, -end.length));

test('each process and each socket of a device is in the list', () => {
  expect(named('.service').sort()).toEqual(Object.keys(RIGHTS).sort());
  expect(named('.socket').sort()).toEqual(Object.keys(SOCKETS).sort());
});

describe.each(Object.entries(RIGHTS))('%s', (name, rights) => {
  const lines = linesOf(`${name}.service`);
  const valuesOf = (setting: string): string[] =>
    lines.filter((line) => line.startsWith(`${setting}=`)).map((line) => line.slice(setting.length + 1));
  const one = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

  test('runs as whom the list says, with these groups and capabilities', () => {
    expect(valuesOf('User')).toEqual(one(rights.user));
    expect(valuesOf('SupplementaryGroups')).toEqual(one(rights.groups));
    expect(valuesOf('CapabilityBoundingSet')).toEqual([rights.capabilities ?? '']);
    expect(valuesOf('AmbientCapabilities').join()).toBe('');
  });

  test('reaches what the list says', () => {
    expect(valuesOf('ReadWritePaths')).toEqual(one(rights.writes));
    expect(valuesOf('DeviceAllow')).toEqual(rights.devices ?? []);
    expect(valuesOf('RestrictAddressFamilies')).toEqual([rights.families]);
    expect(valuesOf('SystemCallFilter')).toEqual(rights.calls);
  });

  test('is kept from all else', () => {
    for (const line of [...ALWAYS, ...MOSTLY.filter((wanted) => !rights.lacks?.includes(wanted))])
      expect(lines).toContain(line);
    // What is lacking no more goes from the list too.
    for (const line of rights.lacks ?? []) expect(lines).not.toContain(line);
  });
});

test('what SECURITY.md has an operator add leaves the agent the guard, and no serial port', () => {
  const [, added = ''] =
    /relaygate-agent\.service\.d\/[\s\S]*?```\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')) ??
    [];
  const lines = [...linesOf('relaygate-agent.service'), ...added.split('\n').map((line) => line.trim())];
  // An empty value takes those before it away.
  const inForce = (setting: string): string[] => {
    const values = lines.filter((line) => line.startsWith(`${setting}=`)).map((line) => line.slice(setting.length + 1));
    return values.slice(values.lastIndexOf('') + 1);
  };
  expect(added).toMatch(/^ *\[Service\]\n/);
  expect(inForce('SupplementaryGroups')).toEqual(['relaygate']);
  expect(inForce('DeviceAllow')).toEqual([]);
  expect(inForce('DevicePolicy')).toEqual(['closed']);
});

test.each(Object.entries(SOCKETS))('the socket of %s is for those whom the list names', (name, expected) => {
  const lines = linesOf(`${name}.socket`);
  expect(lines.filter((line) => /^Socket(User|Group|Mode)=/.test(line))).toEqual(expected);
});

// The other one ends with its client (helpers.test.ts).
test('what runs as root is started once, but for the writer of the status', () => {
  for (const [name, { user }] of Object.entries(RIGHTS))
    if (user === undefined && name !== 'relaygate-status-file')
      expect(linesOf(`${name}.service`)).toContain('Type=oneshot');
});

describeWhere(missingProgram('systemd-analyze', 'systemd'))('systemd itself counts', () => {
  test.each(Object.entries(RIGHTS))('%s as exposed no more than before', (name, { exposure }) => {
    const file = join(UNITS, `${name}.service`);
    const args = ['security', '--offline=true', `--threshold=${exposure}`, '--no-pager', file];
    const printed = execFileSync('systemd-analyze', args, { encoding: 'utf8' });
    const [, counted] = /Overall exposure level for \S+: ([0-9.]+)/.exec(printed) ?? [];
    expect(Number(counted) * 10).toBeLessThanOrEqual(exposure);
  });
});
