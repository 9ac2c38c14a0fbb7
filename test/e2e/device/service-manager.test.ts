/** What systemd hears of guard and agent, over a socket like its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type DeviceFolders, makeDeviceFolders, stopDevice, writeDeviceSettings } from '../../support/device/device';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { Program } from '../../support/processes/program';
import { eventually } from '../../support/time/waiting';

const WATCHDOG_MS = 400;

describeWhere(missingProgram('socat', 'socat'))('guard and agent under systemd', () => {
  let folders: DeviceFolders & { remove(): void };
  let socat: ChildProcess;
  let socket: string;
  let heard: string;
  const programs: Program[] = [];

  beforeEach(async () => {
    folders = makeDeviceFolders();
    writeDeviceSettings(folders.dataDir, {});
    socket = join(folders.runDir, 'notify');
    heard = '';
    socat = spawn('socat', ['-u', `UNIX-RECV:${socket}`, '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
    socat.stdout?.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    await eventually(() => existsSync(socket));
  });
  afterEach(async () => {
    await stopDevice(programs.splice(0), folders);
    socat.kill();
  });

  async function start(name: 'relaygate-guard' | 'relaygate-agent'): Promise<Program> {
    const args = ['--data', folders.dataDir, '--run', folders.runDir];
    const program = await Program.start({
      name,
      file: `device-agent/bin/${name}.js`,
      args,
      env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: String(WATCHDOG_MS * 1000) },
      through: ['sh', '-c', 'WATCHDOG_PID=$$ exec "$@"', 'sh'],
    });
    programs.push(program);
    await program.line(/ ready: /);
    return program;
  }

  const feeds = (): number => heard.split('WATCHDOG=1').length - 1;

  test.each(['relaygate-guard', 'relaygate-agent'] as const)(
    '%s says that it is ready, feeds the watchdog from its event loop, and says that it ends',
    async (name) => {
      const program = await start(name);
      await eventually(() => feeds() >= 3);
      expect(heard).toMatch(/^READY=1WATCHDOG=1/);
      program.kill('SIGSTOP');
      let before = -1;
      // What was under way comes to rest.
      await eventually(async () => {
        const isQuiet = before === feeds();
        before = feeds();
        await new Promise((resume) => setTimeout(resume, 2 * WATCHDOG_MS));
        return isQuiet;
      });
      expect(feeds()).toBe(before);
      program.kill('SIGCONT');
      await eventually(() => feeds() > before);
      program.kill('SIGTERM');
      await program.ended;
      await eventually(() => heard.includes('STOPPING=1'));
    },
  );
});
