import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Command, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';
import { AHEAD_MS } from '../../../../support/device/scripted-server';

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

async function command(commandId: string, more: Partial<Command> = {}, numOutput = 0): Promise<void> {
  device.server.command(commandId, numOutput, more);
  await device.passed(100);
}
const outcomes = () => device.server.of('result').map(({ outcome }) => outcome);
const reasons = () => device.server.of('result').map(({ outcome, reason }) => [outcome, reason]);
async function killGuard(): Promise<void> {
  device.killGuard();
  await device.passed(100);
}
/** Until the agent does not know the time any more. Any message is a sign of life. */
async function forgetTime(): Promise<void> {
  device.server.answersTime = false;
  for (let n = 0; n < 7; n += 1) {
    await device.passed(9_000);
    device.server.say({ type: 'time', seq: 0, serverMs: 0 });
  }
}

describe('a remote command', () => {
  beforeEach(() => {
    device.server.said.length = 0;
  });

  test('is executed and answered, and its own edge needs no report', async () => {
    device.server.command('c1', 0);
    await device.passed(500);
    expect(device.server.said).toEqual([
      { type: 'result', commandId: 'c1', outcome: 'executed', numOutput: 0, state: 1 },
    ]);
  });

  test('delivered twice makes one edge (T7)', async () => {
    device.server.command('c1', 0);
    device.server.command('c1', 0);
    await device.passed(500);
    expect(device.board.edges).toHaveLength(1);
    expect(outcomes()).toEqual(['executed', 'executed']);
  });

  test('refused while the guard is away stays refused when it comes again with the guard back (I2, T7)', async () => {
    await killGuard();
    await command('c1');
    await device.startGuard(2_000);
    device.server.command('c1', 0);
    await device.passed(500);
    expect(reasons()).toEqual([
      ['refused', 'guard-unreachable'],
      ['refused', 'guard-unreachable'],
    ]);
    expect(device.board.edges).toEqual([]);
  });

  test('refused for want of the time stays refused when it comes again with the time known (I2, T7)', async () => {
    await forgetTime();
    const executeBeforeMs = device.clock.nowMs() + AHEAD_MS + 30_000;
    await command('c1', { executeBeforeMs });
    device.server.answersTime = true;
    await device.passed(12_000);
    device.server.command('c1', 0, { executeBeforeMs });
    await device.passed(500);
    expect(reasons()).toEqual([
      ['refused', 'no-time-sync'],
      ['refused', 'no-time-sync'],
    ]);
    expect(device.board.edges).toEqual([]);
  });

  test('executed, that comes again with the time unknown, is still executed (I3, T7)', async () => {
    const executeBeforeMs = device.clock.nowMs() + AHEAD_MS + 90_000;
    device.server.command('c1', 0, { executeBeforeMs });
    await device.passed(500);
    await forgetTime();
    await command('c1', { executeBeforeMs });
    expect(outcomes()).toEqual(['executed', 'executed']);
    expect(device.board.edges).toHaveLength(1);
  });

  test('of an earlier agent, that comes again without its state, gets its outcome from the guard (I3)', async () => {
    await command('c1');
    device.stopAgent();
    await device.startAgent();
    await command('c1', { action: 'set' });
    expect(device.server.of('result').at(-1)).toMatchObject({ commandId: 'c1', outcome: 'executed' });
  });

  test('executed, that comes again while the guard is away, is still executed (I3, T7)', async () => {
    await command('c1');
    await killGuard();
    await command('c1');
    expect(outcomes()).toEqual(['executed', 'executed']);
  });

  test('that is known is never called busy, however many are at work (I3, T7)', async () => {
    const resultsOf = (commandId: string) =>
      device.server.of('result').flatMap((result) => (result.commandId === commandId ? [result.outcome] : []));
    await command('done');
    const finish = device.board.hold();
    for (let n = 0; n < 16; n += 1) device.server.command(`c${n}`, 1);
    for (const commandId of ['done', 'c0', 'new']) device.server.command(commandId, 1);
    await device.passed(100);
    expect(['done', 'c0', 'new'].map(resultsOf)).toEqual([['executed', 'executed'], [], ['refused']]);
    expect(device.server.of('result').at(-1)).toMatchObject({ commandId: 'new', reason: 'busy' });
    finish();
    await device.passed(100);
    expect(resultsOf('c0')).toEqual(['executed']);
  });

  test('that finds a pulse running is executed to the server, and ignored to people on site', async () => {
    await command('c1', { action: 'set', state: 1 }, 2);
    await command('c2', { action: 'set', state: 1 }, 2);
    const known = { commandId: 'c2', outcome: 'executed', numOutput: 2, state: 1 };
    expect(device.server.of('result').at(-1)).toEqual({ type: 'result', ...known });
    expect((await device.loggedEvents()).at(-1)).toMatchObject({
      kind: 'command',
      text: 'set 2 on by the server: ignored',
    });
    device.server.unresolved = ['c2'];
    device.server.close(null);
    await device.passed(5_000);
    expect(device.server.of('resume').at(-1)?.outcomes).toEqual([known]);
  });

  test('that pulses is answered at once; its end is a report', async () => {
    device.server.command('c1', 2, { action: 'set', state: 1 });
    await device.passed(300);
    expect(device.server.said.map(({ type }) => type)).toEqual(['result']);
    await device.passed(300);
    expect(device.server.said.map(({ type }) => type)).toEqual(['result', 'report']);
    expect(device.server.of('report')[0]?.outputs[2]?.state).toBe(0);
  });

  test.each([
    [3_900, 1],
    [4_400, 1],
    [4_600, 0],
    [6_000, 0],
  ])('delivered %i ms late makes %i edges (T8)', async (lateMs, edges) => {
    const executeBeforeMs = device.clock.nowMs() + AHEAD_MS + EXECUTION_DEADLINE_MS;
    await device.passed(lateMs);
    await command('c1', { executeBeforeMs });
    expect(device.board.edges).toHaveLength(edges);
    expect(device.server.of('result')[0]?.outcome).toBe(edges === 1 ? 'executed' : 'expired');
  });

  test.each(['there', 'away'])('that sets nothing is refused as that, with the guard %s', async (guard) => {
    if (guard === 'away') {
      await killGuard();
    }
    device.server.command('c1', 0, { action: 'set' });
    await device.passed();
    expect(device.server.of('result')[0]).toMatchObject({ outcome: 'refused', reason: 'bad-command' });
  });

  test('whose guard dies between edge and answer is not called refused, and never moves again', async () => {
    device.board.answer = (order) => {
      device.board.move(order);
      return new Promise(() => {});
    };
    device.server.command('c1', 2, { action: 'set', state: 1 });
    await device.passed();
    await killGuard();
    device.board.answer = () => null;
    await device.startGuard(5_000);
    expect(device.server.of('result')).toEqual([]);
    expect(device.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('that came twice is not refused when the guard goes after the first one: it may have moved', async () => {
    device.board.answer = () => new Promise(() => {});
    device.server.command('c1', 0);
    await device.passed();
    device.cutGuard();
    await device.passed();
    device.server.command('c1', 0);
    await device.passed();
    expect(device.server.of('result')).toEqual([]);
  });

  test('that fails unexpectedly in the guard, which has moved the output, is not called refused (I3)', async () => {
    // As if the guard had thrown after the edge.
    device.fromGuard = (line) => {
      const answer = JSON.parse(line);
      if (answer.value?.outcome === undefined) return line;
      return JSON.stringify({ id: answer.id, ok: false, error: { code: 'unknown', message: 'unexpected' } });
    };
    await command('c1');
    expect(device.board.edges).toHaveLength(1);
    expect(device.server.of('result')).toEqual([]);
    device.fromGuard = (line) => line;
    expect(await device.localRequest('set', { numOutput: 1, state: 1 })).toMatchObject({ outcome: 'executed' });
    await device.passed(100);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  });

  test('whose answer was lost is answered late, once the guard is back', async () => {
    const finish = device.board.hold();
    device.server.command('c1', 0);
    await device.passed();
    device.cutGuard();
    finish();
    await device.passed(500);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
    // Perhaps it has moved since: the present state stands in the report.
    expect(device.server.of('result')[0]).not.toHaveProperty('state');
  });
});

describe('a command that is still on its way when the link breaks', () => {
  test('is answered on the next link, though it was still on its way when that asked', async () => {
    const finish = device.board.hold();
    device.server.command('c1', 0);
    await device.passed();
    device.server.unresolved = ['c1'];
    device.server.close(null);
    await device.passed(600);
    expect(device.server.of('resume').at(-1)).toMatchObject({ outcomes: [], notStarted: [] });
    finish();
    await device.passed(100);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  });

  test('is answered once the guard works again that hung as the next link of another agent asked (I10)', async () => {
    await command('c1');
    device.isGuardHung = true;
    await anotherAgentAsks(5_000);
    expect(device.server.of('resume').at(-1)).toMatchObject({ outcomes: [], notStarted: [] });
    expect(device.server.of('result')).toEqual([]);
    device.isGuardHung = false;
    await device.passed(20_000);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
    expect(device.server.of('result')[0]).not.toHaveProperty('state');
  });

  test('is answered when its board is through, though another agent asked before that (I10)', async () => {
    const finish = device.board.hold();
    device.server.command('c1', 0);
    await device.passed();
    await anotherAgentAsks(600);
    expect(device.server.of('resume').at(-1)).toMatchObject({ outcomes: [], notStarted: [] });
    finish();
    await device.passed(100);
    expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  });

  /** What the server has heard up to now is lost with the agent. */
  async function anotherAgentAsks(forMs: number): Promise<void> {
    device.stopAgent();
    device.cutGuard();
    device.server.said.length = 0;
    device.server.unresolved = ['c1'];
    await device.startAgent(forMs);
  }
});
