/** What the agent makes of a guard that fails at a command, or that has too much to do. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_OPEN_REQUESTS } from '@relaygate/device-agent/ipc/line-connection';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

const set = (numOutput: number): Promise<unknown> => device.localRequest('set', { numOutput, state: 1 });

test('a local command that fails unexpectedly in the guard may have happened: nobody calls it refused (I3)', async () => {
  device.fromGuard = (line) => {
    const { id, value } = JSON.parse(line);
    return value?.outcome === undefined
      ? line
      : JSON.stringify({ id, ok: false, error: { code: 'unknown', message: 'unexpected' } });
  };
  await expect(set(0)).rejects.toMatchObject(errorWith('outcome-unknown', 'look at it'));
  expect(device.board.edges).toHaveLength(1);
  // Asked once more, it says what it did.
  expect(await device.historyEntries({ limit: 2 })).toMatchObject([
    { kind: 'set-on', outcome: 'unknown' },
    { kind: 'known-later', outcome: 'executed' },
  ]);
});

describe('more commands at once than the guard takes (I15)', () => {
  const TOO_MANY = MAX_OPEN_REQUESTS + 20;
  /** One output takes a few only. */
  const OUTPUTS = 4;

  test('are refused here, and cost nobody the guard', async () => {
    const finish = device.board.hold();
    const asked = Array.from({ length: TOO_MANY }, (_, n) => set(n % OUTPUTS).catch((error: unknown) => error));
    await device.passed(50);
    device.server.command('remote', 1);
    await device.passed(50);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'remote', outcome: 'refused', reason: 'busy' }]);
    finish();
    device.board.answer = () => null;
    await device.passed(500);
    const became = await Promise.all(asked);
    const refused = became.filter((one) => one instanceof Error);
    expect(refused.length).toBeGreaterThan(20);
    for (const one of refused) expect(one).toMatchObject(errorWith('refused', 'not sent'));
    expect(became.filter((one) => !(one instanceof Error))).toHaveLength(TOO_MANY - refused.length);
    expect(device.server.of('report').flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('leave room for a lock', async () => {
    const finish = device.board.hold();
    for (let n = 0; n < TOO_MANY; n += 1) void set(n % OUTPUTS).catch(() => {});
    await device.passed(50);
    const locked = device.localRequest('lock', { numOutput: 1, forMs: 3_600_000 });
    await device.passed(50);
    finish();
    device.board.answer = () => null;
    await expect(locked).resolves.toMatchObject({ numOutput: 1 });
    expect(await device.status()).toMatchObject({
      outputs: [{}, { lock: { by: 'a test' } }, {}, {}],
    });
  });
});
