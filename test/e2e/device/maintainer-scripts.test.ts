/** The scripts that dpkg runs, with their paths under a folder of the test: what they leave of a machine. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { ROOT } from '../../support/processes/program';

const PACKAGE = join(ROOT, 'hardware/package');
const CONFIG = '/boot/firmware/config.txt';
/** Debian's raspi-firmware has the first, and puts the second into the config.txt that it writes anew with each kernel. */
const [DEBIAN, CUSTOM] = ['/etc/default/raspi-firmware', '/etc/default/raspi-firmware-custom'];
const INCLUDES = '\n[all]\ninclude relaygate.txt\ninclude relaygate-board.txt\n';
/** What they do something by. */
const PROGRAMS = ['cp', 'grep', 'mv', 'rm', 'sed', 'sync', 'find'];
/** What they call and is not for this machine. */
const STUBS = ['systemd-sysusers', 'systemd-tmpfiles', 'deb-systemd-helper'];

const machine = folderForEach('rg-machine-');
beforeEach(() => {
  for (const name of STUBS) putStub(name);
  const share = '/usr/share/relaygate/config.txt';
  put(share, '');
  copyFileSync(join(PACKAGE, 'files', share), at(share));
  put(CONFIG, 'arm_64bit=1\n');
  put('/var/lib/relaygate/settings.json', '{}');
  put('/etc/relaygate/device.env', '');
});

const at = (path: string): string => join(machine, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');

function putStub(name: string): void {
  put(`/stubs/${name}`, '#!/bin/sh\n');
  chmodSync(at(`/stubs/${name}`), 0o755);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function script(name: 'postinst' | 'postrm', ...args: string[]): void {
  const { status, stderr } = run(name, args);
  if (status !== 0) throw new Error(`${name} has ended with ${status}: ${stderr}`);
}

function run(
  name: 'postinst' | 'postrm',
  args: readonly string[],
  units = 'relaygate-guard.service',
): SpawnSyncReturns<string> {
  const input = readFileSync(join(PACKAGE, 'debian', name), 'utf8')
    .replaceAll('@UNITS@', units)
    .replaceAll(/\/(?=(boot|etc|run|usr|var)\/)/g, `${machine}/`);
  const env = { ...process.env, PATH: `${at('/stubs')}:${process.env.PATH}` };
  return spawnSync('sh', ['-s', '--', ...args], { input, env, encoding: 'utf8' });
}

/** Runs it until it is killed, as by a supply that is cut, in place of its nth program; false: it has ended before. */
function isKilledAt(call: number, name: 'postinst' | 'postrm', ...args: string[]): boolean {
  put('/calls', '0');
  for (const program of [...PROGRAMS, ...STUBS]) {
    const step = `n=$(($(cat ${at('/calls')}) + 1)); echo $n >${at('/calls')}; [ $n != ${call} ] || kill -KILL $PPID`;
    const own = STUBS.includes(program) ? 'exit 0' : `PATH=${process.env.PATH} exec ${program} "$@"`;
    put(`/stubs/${program}`, `#!/bin/sh\n${step}\n[ $n != ${call} ] || exit 1\n${own}\n`);
    chmodSync(at(`/stubs/${program}`), 0o755);
  }
  const { signal, status, stderr } = run(name, args);
  if (signal === null && status !== 0) throw new Error(`${name} has ended with ${status}: ${stderr}`);
  return signal === 'SIGKILL';
}

/** Of the boot partition, by name. */
function bootPartition(): Record<string, string> {
  const names = readdirSync(at('/boot/firmware'));
  return Object.fromEntries(names.map((name) => [name, read(`/boot/firmware/${name}`)]));
}

/** As dpkg calls it: a package that was removed and not purged is configured with its last version. */
const install = (before = ''): void => script('postinst', 'configure', before);

test('config.txt has the includes from the first installation on, once', () => {
  install();
  install('0.1.0');
  expect(read(CONFIG)).toBe(`arm_64bit=1\n${INCLUDES}`);
  expect(read('/boot/firmware/relaygate.txt')).toContain('dtparam=strict_gpiod');
});

test('on Debian the includes are in what config.txt is made of too, once, until the removal', () => {
  put(DEBIAN, '');
  put(CUSTOM, 'gpu_mem=16\n');
  // Also where a kernel has written config.txt anew since an installation that did not know of it.
  put('/boot/firmware/relaygate.txt', '');
  install('0.1.0');
  install('0.1.0');
  expect(read(CUSTOM)).toMatch(
    /^gpu_mem=16\n\n# Relaygate\. .* #.*\n\[all\]\ninclude relaygate.txt\ninclude relaygate-board.txt\n$/,
  );
  put(CUSTOM, read(CUSTOM).replaceAll('include', '#include'));
  install('0.1.0');
  expect(read(CUSTOM)).not.toMatch(/^include/m);
  script('postrm', 'remove');
  expect(read(CUSTOM)).toBe('gpu_mem=16\n\n[all]\n');
});

test('on Debian a removal takes the includes out of a config.txt with the lines of the other file too', () => {
  put(DEBIAN, '');
  install();
  put(CONFIG, `arm_64bit=1\n${read(CUSTOM)}`);
  script('postrm', 'remove');
  expect(read(CONFIG)).toBe('arm_64bit=1\n\n[all]\n');
});

test('a machine whose config.txt nobody writes anew gets no other file', () => {
  install();
  expect(existsSync(at(CUSTOM))).toBe(false);
});

test('config.txt is exchanged only for what is on the card already, at an installation and at a removal', () => {
  for (const name of ['mv', 'sync']) {
    put(
      `/stubs/${name}`,
      `#!/bin/sh\necho ${name} "$@" >>${at('/called')}\nPATH=${process.env.PATH} exec ${name} "$@"\n`,
    );
    chmodSync(at(`/stubs/${name}`), 0o755);
  }
  const exchange = [`sync ${at(CONFIG)}.new`, `mv ${at(CONFIG)}.new ${at(CONFIG)}`].join('\n');
  install();
  expect(read('/called')).toContain(exchange);
  put('/called', '');
  script('postrm', 'remove');
  expect(read('/called')).toContain(exchange);
});

test('an upgrade has helpers end before their sockets start anew, starts none of them, and restarts the guard last', () => {
  put('/run/systemd/system/x', '');
  for (const name of ['systemctl', 'deb-systemd-invoke', 'udevadm']) {
    put(`/stubs/${name}`, `#!/bin/sh\necho "\${0##*/} $*" >>${at('/called')}\n`);
    chmodSync(at(`/stubs/${name}`), 0o755);
  }
  const units = [
    ...['relaygate-status-file.socket', 'relaygate-wifi.socket', 'relaygate-agent.service', 'relaygate-setup.service'],
    ...['relaygate-status-file.service', 'relaygate-wifi.service', 'relaygate-guard.service'],
  ];
  expect(run('postinst', ['configure', '0.1.0'], units.join(' '))).toMatchObject({ status: 0, stderr: '' });
  expect(read('/called').match(/^(systemctl stop|deb-systemd-invoke) .*$/gm)).toEqual([
    'systemctl stop relaygate-wifi.socket relaygate-status-file.socket relaygate-wifi.service relaygate-status-file.service',
    'deb-systemd-invoke restart relaygate-status-file.socket',
    'deb-systemd-invoke restart relaygate-wifi.socket',
    'deb-systemd-invoke restart relaygate-agent.service',
    'deb-systemd-invoke restart relaygate-guard.service',
  ]);
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

/** Kills it at its first program, then at its second, and so on; `prepared` makes the machine that it finds. */
function expectMended(name: 'postinst' | 'postrm', args: readonly string[], prepared: () => void): void {
  const begin = (): void => {
    for (const folder of ['/boot', '/stubs', '/etc/default']) rmSync(at(folder), { recursive: true, force: true });
    for (const stub of STUBS) putStub(stub);
    put(CONFIG, 'arm_64bit=1\n');
    prepared();
  };
  begin();
  script(name, ...args);
  const left = (): object => ({ ...bootPartition(), custom: existsSync(at(CUSTOM)) && read(CUSTOM) });
  const whole = left();
  let call = 1;
  for (begin(); isKilledAt(call, name, ...args); begin()) {
    // What the Raspberry Pi would start by now.
    expect(read(CONFIG)).toContain('arm_64bit=1\n');
    script(name, ...args);
    expect(left()).toEqual(whole);
    call += 1;
  }
  expect(call).toBeGreaterThan(3);
}

test('a postinst that was killed at any of its steps is mended by the next one', () => {
  expectMended('postinst', ['configure', ''], () => {});
  expectMended('postinst', ['configure', '0.1.0'], () => {});
  expectMended('postinst', ['configure', ''], () => put(DEBIAN, ''));
});

test('a removal that was killed at any of its steps is mended by the next one', () => {
  expectMended('postrm', ['remove'], install);
  expectMended('postrm', ['remove'], () => {
    put(DEBIAN, '');
    install();
  });
});
