/** The script that NetworkManager runs: which time servers of a network systemd-timesyncd is given. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';

const SCRIPT = resolve(
  __dirname,
  '../../../../hardware/package/files/usr/lib/NetworkManager/dispatcher.d/60-relaygate-time',
);
const LIMIT_MS = 10_000;

const folder = folderForEach('rg-time-');
const time = join(folder, 'timesyncd.conf.d');
beforeEach(() => {
  writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho "$@" >>${folder}/restarts\n`);
  chmodSync(join(folder, 'systemctl'), 0o755);
});

const play = (action: string, servers?: string, name = 'eth0'): void => {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    RELAYGATE_TIME_DIR: time,
    ...(servers === undefined ? {} : { DHCP4_NTP_SERVERS: servers }),
  };
  execFileSync('sh', [SCRIPT, name, action], { env, timeout: LIMIT_MS });
};
const restarts = (): number =>
  existsSync(join(folder, 'restarts')) ? readFileSync(join(folder, 'restarts'), 'utf8').split('\n').length - 1 : 0;
const given = (name = 'eth0'): string | null => {
  const file = join(time, `60-relaygate-network-${name}.conf`);
  return existsSync(file) ? (/^NTP=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '') : null;
};

describe('the time servers of a network', () => {
  test('are asked before others, as long as its cable is in', () => {
    play('up', '192.168.1.1 10.0.0.7');
    expect(given()).toBe('192.168.1.1 10.0.0.7 0.debian.pool.ntp.org 1.debian.pool.ntp.org');
    play('down');
    expect(given()).toBeNull();
    expect(restarts()).toBe(2);
  });

  test('change with the lease, and one that says the same begins nothing anew', () => {
    play('up', '192.168.1.1');
    play('dhcp4-change', '192.168.1.1');
    expect(restarts()).toBe(1);
    play('dhcp4-change', '192.168.1.2');
    expect(given()).toMatch(/^192\.168\.1\.2 /);
    play('dhcp4-change');
    expect(given()).toBeNull();
    expect(restarts()).toBe(3);
  });

  test.each([
    'time.example.com',
    '$(touch%20x)',
    '1.2.3',
    '1.2.3.4.5',
    '1..2.3',
    '.1.2.3.4',
    '*',
    '::1',
    '\n[Time]',
    '1.2.3.4\\nNTP=x',
  ])('are addresses and nothing else: %j', (servers) => {
    play('up', servers);
    expect(given()).toBeNull();
    expect(restarts()).toBe(0);
  });

  test('are four at most', () => {
    play('up', Array.from({ length: 9 }, (_, n) => `10.0.0.${n}`).join(' '));
    expect(given()).toMatch(/^10\.0\.0\.0 10\.0\.0\.1 10\.0\.0\.2 10\.0\.0\.3 0\.debian/);
  });

  test('are not asked where the site names its own', () => {
    play('up', '192.168.1.1');
    writeFileSync(join(time, '50-relaygate-site.conf'), '[Time]\nNTP=10.9.9.9\n');
    play('dhcp4-change', '192.168.1.2');
    expect(given()).toMatch(/^192\.168\.1\.1 /);
    rmSync(join(time, '60-relaygate-network-eth0.conf'));
    play('up', '192.168.1.1');
    expect(given()).toBeNull();
  });

  test('are none of other events, or of a name that is no file’s', () => {
    play('hostname', '192.168.1.1');
    play('up', '192.168.1.1', '../eth0');
    expect(existsSync(time) ? readdirSync(time) : []).toEqual([]);
  });
});
