/** The script that systemd runs when the guard has ended: what it tells the boards. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { describeWhere, missingProgram } from '../../support/needs';
import { ROOT } from '../../support/processes';

const SCRIPT = join(ROOT, 'hardware/package/files/usr/lib/relaygate/bin/outputs-off');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-off-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function switchOff(orders: string): void {
  const file = join(folder, 'off-orders');
  writeFileSync(file, orders);
  execFileSync(SCRIPT, [file], { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` }, timeout: 20_000 });
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

  test.each([
    ['1.6.3', 'gpiochip4 17=0 27=1\n'],
    ['2.2.1', '--toggle 0 --chip gpiochip4 17=0 27=1\n'],
  ])('of version %s, on the chip that has the label', (version, called) => {
    tool('gpiodetect', 'echo "gpiochip0 [other] (54 lines)"; echo "gpiochip4 [pinctrl-rp1] (54 lines)"');
    const asked = `echo "gpioset (libgpiod) v${version}"`;
    tool('gpioset', `[ "$1" = --version ] && ${asked} && exit; echo "$@" >>${join(folder, 'called')}`);
    switchOff('gpio\t17=0 27=1\t\n');
    switchOff('gpio\t17=0 27=1\tpinctrl-rp1\n');
    expect(readFileSync(join(folder, 'called'), 'utf8')).toBe(called.repeat(2));
  });
});

describeWhere(missingProgram('socat', 'socat'))('on a serial port', () => {
  let socat: ChildProcess;
  afterEach(() => void socat.kill());

  test('writes every frame', async () => {
    const port = join(folder, 'port');
    const seen: Buffer[] = [];
    socat = spawn('socat', ['-u', `PTY,link=${port},raw,echo=0`, '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
    socat.stdout?.on('data', (bytes: Buffer) => void seen.push(bytes));
    await eventually(() => existsSync(port));
    switchOff(`serial\t${port}\t9600\tnone\ta00100a1 010500000000cdca\n`);
    await eventually(() => Buffer.concat(seen).length >= 12);
    expect(Buffer.concat(seen).toString('hex')).toBe('a00100a1010500000000cdca');
  });
});
