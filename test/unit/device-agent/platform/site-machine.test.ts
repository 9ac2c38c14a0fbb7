import { chownSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  ownerOf,
  placeConnection,
  placeTimeServers,
  setClock,
  unblockWifi,
} from '@relaygate/device-agent/platform/site-machine';
import { timeServersText } from '@relaygate/device-agent/provisioning/time-servers';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { describeWhere } from '../../../support/processes/needs';

const folder = folderForEach('rg-machine-');
const from = join(folder, 'wifi');
const to = join(folder, 'run', 'connections', 'wifi');

describe('the copy of a connection', () => {
  test('is for its owner only, and follows what it was made of', () => {
    for (const text of ['one', 'two']) {
      writeFileSync(from, text, { mode: 0o644 });
      placeConnection(from, to);
      expect(readFileSync(to, 'utf8')).toBe(text);
      expect(statSync(to).mode & 0o777).toBe(0o600);
    }
    rmSync(from);
    placeConnection(from, to);
    placeConnection(from, to);
    expect(() => statSync(to)).toThrow('ENOENT');
  });

  test('is not made of a link', () => {
    symlinkSync('/etc/passwd', from);
    expect(() => placeConnection(from, to)).toThrow('ELOOP');
  });
});

describeWhere(process.getuid?.() === 0 ? undefined : 'giving files away needs root')('as root', () => {
  test('no connection is taken that another user has written', () => {
    writeFileSync(from, 'x');
    chownSync(from, 1234, 1234);
    expect(() => placeConnection(from, to)).toThrow('was not written by this program');
    expect(() => statSync(to)).toThrow('ENOENT');
  });

  test('a user is known by its name, or not at all', () => {
    expect(ownerOf('daemon')).toBe(1);
    expect(ownerOf('nobody-of-this-name')).toBeUndefined();
  });
});

describe('the Wi-Fi of a machine', () => {
  /** What was run; `failing` is not there. */
  async function unblocked(failing: string | null): Promise<{ ran: string[]; problem: string | null }> {
    const ran: string[] = [];
    const run = async (program: string, args: readonly string[]): Promise<void> => {
      if (program === failing) throw new Error(`spawn ${program} ENOENT`);
      ran.push([program, ...args].join(' '));
    };
    const problem = await unblockWifi('FR', run).then(
      () => null,
      (error: unknown) => problemOf(error),
    );
    return { ran, problem };
  }

  test.each([
    [null, ['iw reg set FR', 'rfkill unblock wifi'], null],
    ['iw', ['rfkill unblock wifi'], 'spawn iw ENOENT'],
    ['rfkill', ['iw reg set FR'], 'spawn rfkill ENOENT'],
  ])('gets its country and is switched on, each without the other (missing: %s)', async (failing, ran, problem) => {
    expect(await unblocked(failing)).toEqual({ ran, problem });
  });
});

describe('the time of a machine', () => {
  const RESTART = 'systemctl --no-block try-restart systemd-timesyncd.service';
  let ran: string[];
  beforeEach(() => {
    ran = [];
  });
  const run = async (program: string, args: readonly string[]): Promise<void> =>
    void ran.push([program, ...args].join(' '));

  test('comes from the servers of its site, for every user to read, and from others once it names none', async () => {
    const text = timeServersText(['192.168.1.1', 'time.example.com']);
    await placeTimeServers(to, text, run);
    expect(readFileSync(to, 'utf8')).toMatch(/^\[Time\]\nNTP=192\.168\.1\.1 time\.example\.com\n$/m);
    expect(statSync(to).mode & 0o777).toBe(0o644);
    await placeTimeServers(to, timeServersText(undefined), run);
    expect(() => statSync(to)).toThrow('ENOENT');
    expect(ran).toEqual([RESTART, RESTART]);
  });

  test('is not asked for anew where nothing has changed', async () => {
    await placeTimeServers(to, null, run);
    await placeTimeServers(to, 'x', run);
    await placeTimeServers(to, 'x', run);
    expect(ran).toEqual([RESTART]);
  });

  test('is set in whole seconds, not back by a part of one', async () => {
    await setClock(1_800_000_000_001, run);
    expect(ran).toEqual(['date --utc --set=@1800000001']);
  });
});
