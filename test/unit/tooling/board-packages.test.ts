/** A restarting guard has a relay to switch off (I4): what one kind of board needs is not loaded for another. */
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

function packagesLoadedBy(code: string): string[] {
  const script = `${code}
    const packages = Object.keys(require.cache).map((file) => /node_modules\\/(koffi|onoff|epoll|serialport|@serialport)\\//.exec(file)?.[1]);
    console.log(JSON.stringify([...new Set(packages)].filter(Boolean)));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test('guard and agent load the packages of a kind of board or port only when they open one', () => {
  expect(packagesLoadedBy("require('./device-agent/dist/guard/compose.js');")).toEqual([]);
  expect(packagesLoadedBy("require('./device-agent/dist/agent/compose.js');")).toEqual([]);
  const kernel = "require('./device-agent/dist/relay/kernel-gpio.js').kernelGpio();";
  expect(packagesLoadedBy(kernel)).toEqual(['koffi']);
  const watching = `const kernel = require('./device-agent/dist/relay/kernel-gpio.js').kernelGpio();
    try { kernel.watch(kernel.open('/dev/null'), () => {}); } catch {}`;
  expect(packagesLoadedBy(watching)).toEqual(['koffi', 'epoll']);
  const ports = "require('./device-agent/dist/platform/node-serial.js').nodeSerial();";
  expect(packagesLoadedBy(ports)).toEqual(['serialport', '@serialport']);
});

test('the calls on the kernel reach it, and its refusals have their names', () => {
  const script = `
    const kernel = require('./device-agent/dist/relay/kernel-gpio.js').kernelGpio();
    const fd = kernel.open('/dev/null');
    try { kernel.ioctl(fd, 0x8044b401, Buffer.alloc(68)); } catch (error) { console.log(error.code); }
    try { kernel.ioctl(-1, 0x8044b401, Buffer.alloc(68)); } catch (error) { console.log(error.code); }
    kernel.close(fd);
    console.log(Array.isArray(kernel.chips()));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual(['ENOTTY', 'EBADF', 'true']);
});

test('what the kernel has for us is heard of, read without waiting, and keeps nobody who has cancelled', () => {
  const script = `
    const { execFileSync } = require('node:child_process');
    const { mkdtempSync, rmSync, writeSync } = require('node:fs');
    const folder = mkdtempSync(require('node:os').tmpdir() + '/rg-w-');
    execFileSync('mkfifo', [folder + '/line']);
    const kernel = require('./device-agent/dist/relay/kernel-gpio.js').kernelGpio();
    const fd = kernel.open(folder + '/line');
    rmSync(folder, { recursive: true });
    const bytes = Buffer.alloc(2);
    const said = [];
    const cancel = kernel.watch(fd, () => {
      said.push(kernel.read(fd, bytes));
      if (said.length === 1) setImmediate(() => said.push('turn'));
      if (said.at(-1) === 1) end();
    });
    if (kernel.read(fd, bytes) !== 0) throw new Error('nothing was written yet');
    writeSync(fd, 'edges');
    function end() {
      said.push(kernel.read(fd, bytes));
      cancel();
      kernel.close(fd);
      console.log(JSON.stringify(said));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 10_000,
  });
  expect(stderr).toBe('');
  // Two bytes at a time, with a turn of the event loop between them; then nothing is there.
  expect(JSON.parse(stdout)).toEqual([2, 'turn', 2, 1, 0]);
});

test('the garbage that watching leaves behind ends no guard', () => {
  const script = `
    const kernel = require('./device-agent/dist/relay/kernel-gpio.js').kernelGpio();
    let kept = [];
    for (let n = 0; n < 20; n += 1) {
      kernel.watch(0, () => {})();
      // Collected in the middle of other work, not by a call.
      for (let m = 0; m < 200_000; m += 1) kept = [() => m, kept.length];
    }`;
  const { status, signal } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});
