/** The proof of the wiring, asked of an agent over a guard in the same process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { PROOF_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';
import { off, ProvingDevice } from './proving-device';

let world: ProvingDevice;

describe('a device that needs a proof', () => {
  beforeEach(async () => {
    world = await ProvingDevice.started({ requireProof: true });
  });

  test('refuses remote commands until it is proven, and moves nothing for them', async () => {
    expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
    expect(world.device.board.edges).toEqual([]);
    await world.prove(off(1, 2, 3, 4));
    expect(await world.remote('c2')).toMatchObject({ outcome: 'executed' });
    // I2: what the server was told of it stays so.
    expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
  });

  test('has clicks, proof and refusals in its log, with who clicked', async () => {
    await world.remote('c1');
    await world.clicked(0);
    await world.prove(off(1, 2, 3, 4));
    const events = await world.device.loggedEvents();
    expect(events.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^command: toggle 0 by the server: refused \(not-proven\)/),
        'command: click 0 by a test: executed',
        'settings: the wiring is proven by Ada, said a test',
      ]),
    );
    expect(new Set(world.guard.view().lastCommands.map(({ by }) => by))).toEqual(new Set(['a test']));
  });

  test('says so in its faults, to the server too, until it is proven', async () => {
    const fault = { code: 'not-proven', text: expect.stringContaining('relayctl prove') };
    expect(await world.device.status()).toMatchObject({ faults: expect.arrayContaining([fault]) });
    await world.prove(off(1, 2, 3, 4));
    await world.device.passed(100);
    expect(world.device.server.of('report').at(-1)?.faults).toEqual([]);
  });

  test('keeps its proof over restarts of agent and guard', async () => {
    await world.prove(off(1, 2, 3, 4));
    await world.device.restartBoth(200);
    expect(await world.remote('c1')).toMatchObject({ outcome: 'executed' });
  });

  test('syncs the proof that it goes by: the agent before may have died before it was durable', async () => {
    await world.prove(off(1, 2, 3, 4));
    world.device.stopAgent();
    world.device.files.synced.length = 0;
    await world.device.startAgent(200);
    expect(world.device.files.synced).toContain(PROOF_PATH);
  });

  test('needs a new one once the polarity is another', async () => {
    await world.prove(off(1, 2, 3, 4));
    await world.device.changeOutput(3, { activeLevel: 'low' });
    await world.device.passed(100);
    expect(await world.view()).toMatchObject({ isProven: false });
    expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
  });

  test('made while the clock was not set has no time that anybody could believe', async () => {
    world.device.isClockSet = false;
    await world.prove(off(1, 2, 3, 4));
    expect((await world.view()).proof).toMatchObject({ by: 'Ada', isClockSet: false });
    world.device.isClockSet = true;
    await world.prove(off(1, 2, 3, 4));
    expect((await world.view()).proof).not.toHaveProperty('isClockSet');
  });

  test('that cannot save it is not proven', async () => {
    world.device.files.failing.set(PROOF_PATH, 'ENOSPC');
    await expect(world.prove(off(1, 2, 3, 4))).rejects.toThrow('ENOSPC');
    expect(await world.device.historyEntries({ limit: 2 })).toMatchObject([{ kind: 'proof' }, { kind: 'not-done' }]);
    expect(await world.remote('c1')).toMatchObject({ reason: 'not-proven' });
  });

  test('whose proof stands though it was not saved well is proven, and says what may become of it', async () => {
    world.device.files.failingLate.set(PROOF_PATH, 'EIO');
    await expect(world.prove(off(1, 2, 3, 4))).rejects.toMatchObject(
      errorWith('refused', /EIO.*it stands, but may be gone after a power cut/),
    );
    expect(await world.view()).toMatchObject({ isProven: true, proof: { by: 'Ada' } });
    expect(await world.device.historyEntries({ limit: 2 })).toMatchObject([
      { kind: 'proof' },
      { kind: 'not-confirmed' },
    ]);
    expect(await world.remote('c1')).toMatchObject({ outcome: 'executed' });
    await world.device.restartAgent(200);
    expect(await world.view()).toMatchObject({ isProven: true });
  });

  test('whose proof is corrupt says so, and is not proven', async () => {
    world.device.stopAgent();
    world.device.files.texts.set(PROOF_PATH, '{"provenAt":');
    await world.device.startAgent(200);
    expect((await world.device.faultTexts()).join()).toMatch(
      /proof\.json was corrupt; kept aside as .*corrupt-1.*not proven/,
    );
  });

  test('answers a repeated frame with what became of its command, proven no more meanwhile (I3, T7)', async () => {
    await world.prove(off(1, 2, 3, 4));
    const clicks = world.device.board.edges.length;
    expect(await world.remote('c1', 2)).toMatchObject({ outcome: 'executed' });
    await world.device.passed(1_000);
    await world.device.changeOutput(3, { activeLevel: 'low' });
    await world.device.passed(100);
    expect(await world.remote('c1', 2)).toMatchObject({ outcome: 'executed' });
    const own = world.device.board.edges.slice(clicks);
    expect(own.filter(({ line, level }) => line === 2 && level === 'high')).toHaveLength(1);
  });
});

describe('a device that needs none', () => {
  beforeEach(async () => {
    world = await ProvingDevice.started({});
  });

  test('takes remote commands, and records a proof all the same', async () => {
    expect(await world.remote('c1')).toMatchObject({ outcome: 'executed', state: 1 });
    expect(await world.remote('c2')).toMatchObject({ outcome: 'executed', state: 0 });
    expect(await world.prove(off(1, 2, 3, 4))).toMatchObject({ result: 'proven', proof: { by: 'Ada' } });
    expect(await world.device.lastEntry()).toMatchObject({ kind: 'proof', outcome: 'proven' });
    expect(await world.view()).toMatchObject({ isProven: true, isRequired: false });
  });

  test('records no proof of relays that have not clicked since the wiring is as it is', async () => {
    const error = (which: string) => errorWith('refused', new RegExp(`^${which} not clicked`));
    for (const numOutput of [0, 1, 3]) await world.clicked(numOutput);
    await expect(world.say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Output 2 has'));
    world.device.board.answer = ({ line }) => (line === 2 ? { kind: 'failed', problem: 'gone' } : null);
    await world.clicked(2);
    await expect(world.say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Output 2 has'));
    expect(await world.view()).toMatchObject({ isProven: false });
    world.device.board.answer = () => null;
    await world.device.passed(1_000);
    await world.clicked(2);
    await world.device.changeOutput(3, { activeLevel: 'low' });
    await world.device.passed(100);
    await world.clicked(1);
    await expect(world.say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Outputs 0, 2, 3 have'));
    for (const numOutput of [0, 2, 3]) await world.clicked(numOutput);
    expect(await world.say(off(1, 2, 3, 4))).toMatchObject({ result: 'proven' });
  });
});
