/** relayctl doctor beside guard and agent as they are started, and without them. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { startAgent, startGuard, stopDevice, writeDeviceSettings } from '../../support/device/device';
import { Pty } from '../../support/device/serial/pty';
import { foldersForEach } from '../../support/device/test-device';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';

const folders = foldersForEach();
beforeEach(() => void writeDeviceSettings(folders.dataDir));

async function examined(): Promise<{ code: number | null; findings: Map<string, Finding> }> {
  const { stdout, stderr, code } = await folders.relayctl('doctor', '--data', folders.dataDir, '--json');
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { isWell, findings }: { isWell: boolean; findings: Finding[] } = JSON.parse(stdout);
  expect(isWell).toBe(code === 0);
  return { code, findings: new Map(findings.map((finding) => [finding.name, finding])) };
}

test('the doctor asks the running agent, and sees what others may read', async () => {
  const guard = await startGuard(folders);
  const agent = await startAgent(folders);
  try {
    await agent.line(/guard reached/);
    const { code, findings } = await examined();
    // Nothing listens where these settings say that the server is.
    expect(code).toBe(1);
    expect(findings.get('server')).toMatchObject({ verdict: 'fail', found: expect.stringContaining('ECONNREFUSED') });
    expect(findings.get('programs')).toMatchObject({ verdict: 'ok' });
    expect(findings.get('secrets')).toMatchObject({ verdict: 'ok' });
    chmodSync(join(folders.dataDir, 'identity.json'), 0o644);
    expect((await examined()).findings.get('secrets')).toMatchObject({ verdict: 'fail' });
  } finally {
    await stopDevice([agent, guard]);
  }
});

describeWhere(missingProgram('socat', 'socat'))('the port of the serial console', () => {
  test('that another program has open is named with that program; one that is not there with its cure', async () => {
    const port = join(folders.runDir, 'console');
    writeDeviceSettings(folders.dataDir, { console: { port } });
    expect((await examined()).findings.get('console')).toMatchObject({
      verdict: 'fail',
      found: `there is no ${port}`,
      cure: expect.stringContaining('relayctl board ports'),
    });
    // The test itself has it open.
    const pty = await Pty.plug(port);
    try {
      const finding = (await examined()).findings.get('console');
      expect(finding).toMatchObject({ verdict: 'fail', means: 'the agent cannot have it' });
      expect(finding?.found).toContain(`(process ${process.pid})`);
    } finally {
      await pty.unplug();
    }
  });
});

test('the doctor needs no agent, and says in a table what to do', async () => {
  const { stdout, code } = await folders.relayctl('doctor', '--data', folders.dataDir);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok +settings +4 outputs on a board of kind simulated/m);
  expect(stdout).toMatch(/^FAIL +programs +The agent does not run/m);
  expect(stdout).toMatch(/^ +do: systemctl status relaygate-agent$/m);
});
