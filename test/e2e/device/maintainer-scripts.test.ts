/** The scripts that dpkg runs, with their paths under a folder of the test: what they leave of a machine. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes';

const PACKAGE = join(ROOT, 'hardware/package');
const CONFIG = '/boot/firmware/config.txt';
const INCLUDES = '\n[all]\ninclude relaygate.txt\ninclude relaygate-board.txt\n';
/** What they call and is not for this machine. */
const STUBS = ['systemd-sysusers', 'systemd-tmpfiles', 'deb-systemd-helper'];

let machine: string;
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'rg-machine-'));
  for (const name of STUBS) {
    put(`/stubs/${name}`, '#!/bin/sh\n');
    chmodSync(at(`/stubs/${name}`), 0o755);
  }
  const share = '/usr/share/relaygate/config.txt';
  put(share, '');
  copyFileSync(join(PACKAGE, 'files', share), at(share));
  put(CONFIG, 'arm_64bit=1\n');
  put('/var/lib/relaygate/settings.json', '{}');
  put('/etc/relaygate/device.env', '');
});
afterEach(() => rmSync(machine, { recursive: true }));

const at = (path: string): string => join(machine, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function script(name: 'postinst' | 'postrm', ...args: string[]): void {
  const text = readFileSync(join(PACKAGE, 'debian', name), 'utf8')
    .replaceAll('@UNITS@', 'relaygate-guard.service')
    .replaceAll(/\/(?=(boot|etc|run|usr|var)\/)/g, `${machine}/`);
  const env = { ...process.env, PATH: `${at('/stubs')}:${process.env.PATH}` };
  execFileSync('sh', ['-s', '--', ...args], { input: text, env });
}

/** As dpkg calls it: a package that was removed and not purged is configured with its last version. */
const install = (before = ''): void => script('postinst', 'configure', before);

test('config.txt has the includes from the first installation on, once', () => {
  install();
  install('0.1.0');
  expect(read(CONFIG)).toBe(`arm_64bit=1\n${INCLUDES}`);
  expect(read('/boot/firmware/relaygate.txt')).toContain('dtparam=strict_gpiod');
});

test('an upgrade leaves out what somebody has taken out', () => {
  install();
  put(CONFIG, 'arm_64bit=1\n');
  install('0.1.0');
  expect(read(CONFIG)).toBe('arm_64bit=1\n');
});

test('config.txt has them again after a removal and a second installation, with the levels of the board', () => {
  install();
  put('/boot/firmware/relaygate-board.txt', 'gpio=26=op,dh\n');
  script('postrm', 'remove');
  expect(read(CONFIG)).not.toContain('include');
  expect(existsSync(at('/boot/firmware/relaygate.txt'))).toBe(false);
  install('0.1.0');
  expect(read(CONFIG).match(/^include .*$/gm)).toEqual(['include relaygate.txt', 'include relaygate-board.txt']);
  expect(read('/boot/firmware/relaygate.txt')).toContain('dtparam=strict_gpiod');
  expect(read('/boot/firmware/relaygate-board.txt')).toBe('gpio=26=op,dh\n');
  put(CONFIG, 'arm_64bit=1\n');
  install('0.1.0');
  expect(read(CONFIG)).toBe('arm_64bit=1\n');
});

test('purge takes all that is the device’s, and leaves a server on the same machine alone', () => {
  install();
  put('/etc/relaygate/server.env', 'RELAYGATE_LISTEN=0.0.0.0:443\n');
  script('postrm', 'remove');
  script('postrm', 'purge');
  for (const path of ['/var/lib/relaygate', '/etc/relaygate/device.env', '/boot/firmware/relaygate-board.txt'])
    expect(existsSync(at(path))).toBe(false);
  expect(read('/etc/relaygate/server.env')).toBe('RELAYGATE_LISTEN=0.0.0.0:443\n');
});

test('purge takes the folder of the settings where nothing else is in it', () => {
  install();
  script('postrm', 'purge');
  expect(existsSync(at('/etc/relaygate'))).toBe(false);
});
