/** What needs a right of its own, by programs that are started for their socket as systemd starts them. */
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type DeviceFolders,
  makeDeviceFolders,
  relayctl,
  run,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from '../../support/device/device';
import { ScriptedNmcli } from '../../support/device/scripted-nmcli';
import { folderForEach } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { Program } from '../../support/processes/program';
import { eventually } from '../../support/time/waiting';

const HELPER = 'device-agent/bin/relaygate-helper.js';

let folders: DeviceFolders & { remove(): void };
const boot = folderForEach('rg-boot-');
let nmcli: ScriptedNmcli;
const programs: Program[] = [];
beforeEach(() => {
  folders = makeDeviceFolders();
  nmcli = new ScriptedNmcli();
});
afterEach(async () => {
  await stopDevice(programs.splice(0).reverse(), folders);
  nmcli.remove();
});

const wifiSocket = (): string => join(folders.runDir, 'wifi.sock');
const statusSocket = (): string => join(folders.runDir, 'status.sock');

async function started(starting: Promise<Program>): Promise<Program> {
  const program = await starting;
  programs.push(program);
  return program;
}

/** Listens as systemd does, and is the helper from the first client on. */
async function helperAt(socket: string, ...args: string[]): Promise<Program> {
  const through = ['systemd-socket-activate', '--listen', socket];
  const env = { PATH: `${nmcli.folder}:${process.env.PATH}` };
  const helper = await started(Program.start({ name: 'relaygate-helper', file: HELPER, args, through, env }));
  await helper.line(/^Listening on /);
  return helper;
}

function startAgent(): Promise<Program> {
  const args = ['--data', folders.dataDir, '--run', folders.runDir, '--wifi-socket', wifiSocket()];
  return started(Program.start({ name: 'relaygate-agent', file: 'device-agent/bin/relaygate-agent.js', args }));
}

/** One line of its protocol; resolves with the answer, or with nothing where it hangs up. */
function asked(socket: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const client = createConnection(socket, () => client.write(`${line}\n`));
    client.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      client.end();
    });
    client.once('error', reject).once('close', () => resolve(answer.trim()));
  });
}

describeWhere(missingProgram('systemd-socket-activate', 'systemd'))('a helper', () => {
  test('begins and ends the page’s Wi-Fi for an agent that has no nmcli, and ends with each of its clients', async () => {
    writeDeviceSettings(folders.dataDir);
    nmcli.says('wlan0:wifi\\n', { 'connection delete relaygate-page': 10 });
    await started(startGuard(folders));
    await (await startAgent()).line(/guard reached/);
    await relayctl(folders.runDir, 'identity', '--new-pin', '--yes');
    const begins = await helperAt(wifiSocket(), 'wifi', folders.runDir);
    const { stdout, code } = await relayctl(folders.runDir, 'web', 'on', '--hotspot');
    expect(code).toBe(0);
    const passphrase = /^passphrase +(\S+) /m.exec(stdout)?.[1] ?? '';
    expect(nmcli.secrets).toBe(`802-11-wireless-security.psk:${passphrase}\n`);
    expect(await begins.ended).toMatchObject({ code: 0 });
    const ends = await helperAt(wifiSocket(), 'wifi', folders.runDir);
    await relayctl(folders.runDir, 'web', 'off');
    expect(nmcli.asked.at(-1)).toBe('connection delete relaygate-page');
    expect(await ends.ended).toMatchObject({ code: 0 });
  });

  test('tells what NetworkManager refuses in the agent’s words, and an agent tells that it is away', async () => {
    writeDeviceSettings(folders.dataDir);
    nmcli.says('eth0:ethernet\\n');
    await started(startGuard(folders));
    await (await startAgent()).line(/guard reached/);
    await relayctl(folders.runDir, 'identity', '--new-pin', '--yes');
    expect(await relayctl(folders.runDir, 'web', 'on', '--hotspot')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/There is no Wi-Fi of this device: the helper at .* ENOENT/),
    });
    await helperAt(wifiSocket(), 'wifi', folders.runDir);
    expect(await relayctl(folders.runDir, 'web', 'on', '--hotspot')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('This device has no Wi-Fi'),
    });
  });

  test.each([
    ['of another type', '{"id":1,"type":"connection-add","ssid":"x"}', '"ok":false'],
    [
      'with a name that is too long',
      `{"id":1,"type":"begin-hotspot","ssid":"${'x'.repeat(33)}","passphrase":"12345678"}`,
      'bad-usage',
    ],
    [
      'with a second line in the passphrase',
      '{"id":1,"type":"begin-hotspot","ssid":"x","passphrase":"12345678\\nx:y"}',
      'bad-usage',
    ],
    ['that is none', 'x', ''],
  ])('refuses a request %s', async (_what, line, answer) => {
    nmcli.says('wlan0:wifi\\n');
    const helper = await helperAt(wifiSocket(), 'wifi', folders.runDir);
    expect(await asked(wifiSocket(), line)).toContain(answer);
    expect(nmcli.asked).toEqual([]);
    expect(await helper.ended).toMatchObject({ code: 0 });
  });

  test('writes the status for a watch that may write nothing, and has NetworkManager try the site’s Wi-Fi again', async () => {
    await helperAt(statusSocket(), 'status-file', boot);
    const sockets = ['--status-socket', statusSocket(), '--wifi-socket', wifiSocket()];
    const args = ['watch', '--data', folders.dataDir, '--run', folders.runDir, '--boot', boot, ...sockets];
    await started(Program.start({ name: 'relaygate-setup', file: 'device-agent/bin/relaygate-setup.js', args }));
    await eventually(() => existsSync(join(boot, 'relaygate-status.txt')), 30_000);
    expect(readFileSync(join(boot, 'relaygate-status.txt'), 'utf8')).toMatch(/NO SETTINGS: .*\r\n\r\nSince /s);
    nmcli.says('');
    await helperAt(wifiSocket(), 'wifi', folders.runDir);
    expect(await asked(wifiSocket(), '{"id":1,"type":"reconnect"}')).toContain('"ok":true');
    expect(nmcli.asked).toEqual(['radio wifi on', '--wait 0 connection up relaygate-wifi']);
  }, 60_000);

  test('says whether the file had to be written', async () => {
    for (const isNew of [true, false]) {
      await helperAt(statusSocket(), 'status-file', boot);
      const answer = await asked(statusSocket(), '{"id":1,"type":"say","words":"Relaygate\\n\\nLINKED"}');
      expect(JSON.parse(answer)).toEqual({ id: 1, ok: true, value: isNew });
    }
  });

  test('says why the file cannot be written, and is not started again for a minute', async () => {
    const away = join(boot, 'away');
    const helper = await helperAt(statusSocket(), 'status-file', away);
    const args = ['watch', '--data', folders.dataDir, '--run', folders.runDir, '--boot', away];
    const file = 'device-agent/bin/relaygate-setup.js';
    const watch = await started(
      Program.start({ name: 'relaygate-setup', file, args: [...args, '--status-socket', statusSocket()] }),
    );
    await watch.line(/the status cannot be written: The boot partition cannot be written: ENOENT/, 30_000);
    expect(await helper.ended).toMatchObject({ code: 0 });
    await helperAt(statusSocket(), 'status-file', away);
    // It warns at each look, and would be refused otherwise if it asked.
    await watch.line(/the status cannot be written: The boot partition cannot be written: ENOENT/, 10_000);
    expect(programs.at(-1)?.running).toBe(true);
  }, 60_000);

  test('that somebody starts by hand says that systemd does', async () => {
    expect(await run('relaygate-helper', ['status-file', boot])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('started by systemd'),
    });
  });
});
