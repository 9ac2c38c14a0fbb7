import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v1 } from '../support/server/api-client';
import { type LinkedGate, startLinkedGate } from '../support/server/linked-gate';
import { eventually } from '../support/time/waiting';

/** An output that a technician has locked, and the application's name, over real sockets. */
let bench: LinkedGate;
beforeAll(async () => {
  bench = await startLinkedGate();
});
afterAll(() => bench.server.stop());

const outputs = async (): Promise<{ lockedUntil?: string }[]> => {
  const { server, gate, token } = bench;
  const { json } = await v1(server.url).state(gate.productLogin, { token });
  return (json as { outputs: { lockedUntil?: string }[] }).outputs;
};

async function report(lockedForMs: number | undefined): Promise<void> {
  const reported = [0, 1, 2, 3].map((numOutput) => ({
    ...{ numOutput, name: `Output ${numOutput}`, mode: 'on-off', state: 0, pulseMs: 500 },
    ...(numOutput === 1 && lockedForMs !== undefined ? { lockedForMs } : {}),
  }));
  bench.device.send({ type: 'report', outputs: reported, faults: [] });
  await bench.device.roundTrip();
}

describe('a locked output', () => {
  test('is shown with the instant at which its lock ends, until it has or the device reports it unlocked', async () => {
    const beforeMs = Date.now();
    await report(60_000);
    await eventually(async () => (await outputs())[1]?.lockedUntil !== undefined);
    const [first, locked] = await outputs();
    expect(first).not.toHaveProperty('lockedUntil');
    const untilMs = Date.parse(locked?.lockedUntil ?? '');
    expect(untilMs).toBeGreaterThanOrEqual(beforeMs + 60_000);
    expect(untilMs).toBeLessThanOrEqual(Date.now() + 60_000);
    await report(undefined);
    await eventually(async () => (await outputs())[1]?.lockedUntil === undefined);
    await report(0);
    expect((await outputs())[1]).not.toHaveProperty('lockedUntil');
  });
});

describe('a command', () => {
  test('sends the device the name of the application', async () => {
    const { server, gate, token, device } = bench;
    await v1(server.url).set(gate.productLogin, 0, 1, { token });
    expect(device.commands.at(-1)?.by).toEqual(expect.stringMatching(/^client-/));
  });
});
