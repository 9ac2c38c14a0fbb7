/** A restarting guard has a relay to switch off (I4): what one kind of board needs is not loaded for another. */
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes';

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
