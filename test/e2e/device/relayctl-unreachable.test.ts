/** relayctl where agent or guard is away, hangs or is not for this user. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { makeDeviceFolders, type Ran, relayctl } from '../../support/device/device';
import { deviceForAll } from '../../support/device/test-device';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const device = deviceForAll();

const ctl = (...args: string[]): Promise<Ran> => device.relayctl(...args);
const complaint = ({ stderr }: Ran): string => {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
};

test('says when the agent does not run', async () => {
  const ran = await relayctl(join(device.runDir, 'nowhere'), 'status');
  expect(ran.code).toBe(3);
  expect(complaint(ran)).toMatch(/agent-unreachable: The agent does not run/);
});

test('says when the guard does not run', async () => {
  device.guard.kill('SIGKILL');
  await device.guard.ended;
  const ran = await ctl('set', '0', 'on');
  expect(ran.code).toBe(4);
  expect(complaint(ran)).toMatch(/guard-unreachable: /);
  const { stdout } = await ctl('status');
  expect(stdout).toMatch(/^guard +away/m);
  expect(stdout).toMatch(/^0 +unknown/m);
  await device.startGuard();
});

test('says when the guard hangs, and no state of it as live (I11)', async () => {
  const guardState = async (): Promise<unknown> => JSON.parse((await ctl('status', '--json')).stdout).guard;
  const waitFor = async (isReachable: boolean): Promise<void> => {
    const deadlineMs = Date.now() + 10_000;
    for (;;) {
      const guard = await guardState();
      if (JSON.stringify(guard).includes(`"isReachable":${isReachable}`)) return;
      if (Date.now() > deadlineMs) throw new Error(`not reachable=${isReachable}: ${JSON.stringify(guard)}`);
    }
  };
  await waitFor(true);
  device.guard.kill('SIGSTOP');
  await waitFor(false);
  const { stdout } = await ctl('status');
  expect(stdout).toMatch(/^guard +away: it does not answer$/m);
  expect(stdout).toMatch(/^0 +unknown/m);
  device.guard.kill('SIGCONT');
  await waitFor(true);
});

test.each([
  ['hangs up', (socket: { destroy(): void }) => socket.destroy()],
  [
    'talks nonsense',
    (socket: { write(text: string): void; destroy(): void }) => {
      socket.write('nonsense\n');
      setTimeout(() => socket.destroy(), 50);
    },
  ],
] as const)('says so when whoever listens %s', async (_name, behave) => {
  const other = makeDeviceFolders();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(other.runDir, 'agent.sock'), resolve));
  const asked = await relayctl(other.runDir, 'status');
  const wished = await relayctl(other.runDir, 'set', '0', 'on');
  server.close();
  other.remove();
  expect(asked.code).toBe(3);
  expect(complaint(asked)).toMatch(/agent-unreachable/);
  expect(wished.code).toBe(7);
  expect(complaint(wished)).toMatch(/outcome-unknown: .*may have happened/);
});

test('says when the agent that runs is older, and knows nothing of profiles', async () => {
  const other = makeDeviceFolders();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    createInterface(socket).on('line', (line) => {
      // As an agent answers to a request that it does not know.
      const error = { code: 'bad-usage', message: 'There is no request of this type.' };
      socket.write(`${JSON.stringify({ id: JSON.parse(line).id, ok: false, error })}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(other.runDir, 'agent.sock'), resolve));
  const listed = await relayctl(other.runDir, 'board', 'list', '--json');
  const shown = await relayctl(other.runDir, 'board', 'show', 'lcus-1');
  const used = await relayctl(other.runDir, 'board', 'use', 'generic-active-high', '--yes');
  server.close();
  other.remove();
  const older =
    /The agent that runs is older than relayctl: restart relaygate-agent\. .*which profile came with the card/;
  for (const ran of [listed, shown]) expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(older) });
  expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ name: 'lcus-1' }));
  expect(used.code).toBe(5);
  expect(complaint(used)).toMatch(older);
});

describeWhere(process.getuid?.() === 0 ? undefined : 'only root can become somebody else')('as somebody else', () => {
  test('says whose socket it is not', () => {
    const main = join(ROOT, 'device-agent/dist/relayctl/main.js');
    const argv = JSON.stringify(['node', 'relayctl', '--run', device.runDir, 'status']);
    const script = `const { main } = require('${main}'); process.setgid(65534); process.setuid(65534); main(${argv});`;
    // The folder may be entered, so that it is the socket that says no.
    chmodSync(device.runDir, 0o711);
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).toMatch(/agent-unreachable: .*not for this user/);
    expect(status).toBe(3);
  });
});
