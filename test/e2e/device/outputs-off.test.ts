/** The script that systemd runs when the guard has ended: what it tells the boards. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';
import { eventually } from '../../support/time/waiting';

/** With its resistor where that can be had: what fails together may have failed for one line that another program holds. */
const LINE_BY_LINE = ['17=0', '22=0'].flatMap((line) => [`--bias=pull-down gpiochip4 ${line}`, `gpiochip4 ${line}`]);
const SCRIPT = join(ROOT, 'hardware/package/files/usr/lib/relaygate/bin/outputs-off');

const folder = folderForEach('rg-off-');

/** `ended`: how systemd says that the guard has. */
function switchOff(orders: string, ended: Record<string, string> = {}): void {
  const file = join(folder, 'off-orders');
  writeFileSync(file, orders);
  const env = { ...process.env, ...ended, PATH: `${folder}:${process.env.PATH}` };
  execFileSync(SCRIPT, [file], { env, timeout: 20_000 });
}

test('a guard that never ran has left nothing to do', () => {
  execFileSync(SCRIPT, [join(folder, 'none')]);
});

describe('on GPIO lines, by the tools of libgpiod', () => {
  /** Stands for the tool, whose kernel is not here. */
  function tool(name: string, script: string): void {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** `then`: what it does once it has written down how it was called. */
  function gpioset(version: string, then = ''): void {
    tool('gpiodetect', 'echo "gpiochip0 [other] (54 lines)"; echo "gpiochip4 [pinctrl-rp1] (54 lines)"');
    const asked = `echo "gpioset (libgpiod) v${version}"`;
    tool('gpioset', `[ "$1" = --version ] && ${asked} && exit; echo "$@" >>${join(folder, 'called')}; ${then}`);
  }
  const called = (): string => readFileSync(join(folder, 'called'), 'utf8');

  // What it lets go of becomes an input: the chip's own resistor then holds it where it was set.
  test.each([
    ['1.6.3', 'gpiochip4'],
    ['2.2.1', '--toggle 0 --chip gpiochip4'],
  ])('of version %s, on the chip that has the label, each with its resistor', (version, chip) => {
    gpioset(version);
    switchOff('gpio\t17=0 27=1 22=0\t\n');
    switchOff('gpio\t17=0 27=1 22=0\tpinctrl-rp1\n');
    expect(called()).toBe(`--bias=pull-down ${chip} 17=0 22=0\n--bias=pull-up ${chip} 27=1\n`.repeat(2));
  });

  test.each([
    ['was killed', 'killed', 'KILL', true],
    ['has failed', 'exited', '1', true],
    ['was told to stop', 'exited', '0', true],
    ['has found another one at work', 'exited', '75', false],
  ])('after a guard that %s', (_how, code, status, isSwitchedOff) => {
    gpioset('1.6.3');
    switchOff('gpio\t17=0\t\n', { EXIT_CODE: code, EXIT_STATUS: status });
    expect(existsSync(join(folder, 'called'))).toBe(isSwitchedOff);
  });

  test('and none to lines that are not there', () => {
    gpioset('1.6.3');
    switchOff('gpio\t27=1\t\n');
    expect(called()).toBe('--bias=pull-up gpiochip4 27=1\n');
  });

  test('without a resistor on a chip that has none, a line at a time', () => {
    gpioset('1.6.3', 'case "$1" in --bias*) exit 1 ;; esac');
    switchOff('gpio\t17=0 22=0\t\n');
    expect(called().trim().split('\n')).toEqual(['--bias=pull-down gpiochip4 17=0 22=0', ...LINE_BY_LINE]);
  });
});

describeWhere(missingProgram('socat', 'socat'))('on a serial port', () => {
  let socat: ChildProcess;
  afterEach(() => void socat.kill());

  test('writes every frame, and those that no board answers once more: a byte may be lost', async () => {
    const port = join(folder, 'port');
    const seen: Buffer[] = [];
    socat = spawn('socat', ['-u', `PTY,link=${port},raw,echo=0`, '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
    socat.stdout?.on('data', (bytes: Buffer) => void seen.push(bytes));
    await eventually(() => existsSync(port));
    switchOff(`serial\t${port}\t9600\tnone\ta00100a1 010500000000cdca\n`);
    await eventually(() => Buffer.concat(seen).length >= 24);
    expect(Buffer.concat(seen).toString('hex')).toBe('a00100a1010500000000cdca'.repeat(2));
  });

  test('goes on where another program has read what was announced to it', async () => {
    const port = join(folder, 'port');
    const seen = join(folder, 'seen');
    writeFileSync(seen, '');
    socat = spawn('socat', [`PTY,link=${port},raw,echo=0`, `EXEC:tee ${seen}`], { stdio: 'ignore' });
    await eventually(() => existsSync(port));
    // Each first reading finds nothing, as with two readers.
    const robbed =
      'package Robbed; use Errno; my $n = 0; *CORE::GLOBAL::sysread = sub (*\\$$;$) {' +
      ' my ($port, $into, $most, $at) = @_; unless ($n++ % 2) { $! = Errno::EAGAIN; return undef }' +
      ' CORE::sysread $port, $$into, $most, $at }; 1';
    writeFileSync(join(folder, 'Robbed.pm'), robbed);
    switchOff(`serial\t${port}\t9600\tnone\ta00100a1 010500000000cdca\n`, { PERL5OPT: `-I${folder} -MRobbed` });
    await eventually(() => readFileSync(seen).length >= 24);
    expect(readFileSync(seen).toString('hex')).toBe('a00100a1010500000000cdca'.repeat(2));
  });
});
