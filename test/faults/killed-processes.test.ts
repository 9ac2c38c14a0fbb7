/** T1 and T2: server or agent killed while a command runs. Each moment comes from a seed that a failure prints. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Command } from '@relaygate/shared';
import { commandsIn } from '../support/command-log';
import { eventually, Installation, timed } from '../support/installation';
import { pause, repeat } from '../support/running-demo';
import { SeededChance } from '../support/seeded-chance';
import { call } from '../support/server/api-client';

const PULSED = 2;

let site: Installation;
beforeAll(async () => {
  site = await Installation.start();
}, 60_000);
afterAll(() => site?.stop());
beforeEach(async () => {
  site.relay.heal();
  await site.renewAgent();
  await site.settle();
}, 40_000);

const isReady = async () => (await call('GET', `${site.url}/readyz`).catch(() => undefined))?.status === 200;

/** The id of the next command that the server sends. */
function nextCommand(): Promise<string> {
  return new Promise((seen) => {
    site.relay.onFrame = ({ type, text }) => {
      if (type === 'command') seen((JSON.parse(text) as Command).commandId);
    };
  });
}

describe('T1: the server is killed in a command', () => {
  test.each(repeat(4, 25))(
    'the client sees a reset; the command is unknown until the device comes back and tells; one edge at most',
    async () => {
      const chance = new SeededChance();
      await chance.replayable(async () => {
        // Held on its way there it never moves the relay; on its way back it has moved it.
        const way = chance.pick('to-device' as const, 'to-server' as const);
        site.relay.hold(way);
        const sent = nextCommand();
        const answer = site.set(0, 1).then(
          ({ status }) => `answered ${status}`,
          () => 'reset',
        );
        await sent;
        await pause(chance.between(0, 4_900));
        site.relay.isRefusing = true;
        site.server.kill('SIGKILL');
        expect(await answer).toBe('reset');
        await site.server.ended;
        site.relay.cut();
        await site.startServer();
        await eventually(isReady);

        const commandId = commandsIn(site.databaseFile).at(-1)?.commandId ?? '';
        expect(commandId).toBe(await sent);
        expect(await site.outcomeOf(commandId)).toBe('unknown');
        site.relay.heal();
        const told = way === 'to-server' ? 'confirmed-late' : 'expired';
        await eventually(async () => (await site.outcomeOf(commandId)) === told, 30_000);
        expect(site.newEdges()).toHaveLength(way === 'to-server' ? 1 : 0);
        // The product is free again at once (I6).
        expect((await site.set(0, 0)).status).toBe(200);
      });
    },
    60_000,
  );

  test.each(repeat(4, 40))(
    'at any moment of a command that nothing holds up: what the audit says is what the relay did',
    async () => {
      const chance = new SeededChance();
      await chance.replayable(async () => {
        const before = commandsIn(site.databaseFile).length;
        const answer = site.set(0, 1).then(
          ({ status }) => status,
          () => 'reset' as const,
        );
        await pause(chance.between(0, 12));
        site.server.kill('SIGKILL');
        const heard = await answer;
        await site.server.ended;
        await site.startServer();
        await site.untilConnected();
        const commands = (): ReturnType<typeof commandsIn> => commandsIn(site.databaseFile).slice(before);
        const open = ['pending', 'unknown'];
        await eventually(async () => commands().every(({ outcome }) => !open.includes(outcome)), 30_000);
        const moved = site.newEdges().length;
        expect(moved).toBeLessThanOrEqual(1);
        if (heard !== 'reset') expect([heard, moved]).toEqual([200, 1]);
        const done = commands().filter(({ outcome }) => ['executed', 'confirmed-late'].includes(outcome));
        expect(done).toHaveLength(moved);
      });
    },
    60_000,
  );
});

describe('T2: the agent is killed in a pulse', () => {
  const longEnough = (edges: { atMs: number }[]): void => {
    const [on, off] = edges;
    const lengthMs = (off?.atMs ?? 0) - (on?.atMs ?? 0);
    expect(lengthMs).toBeGreaterThanOrEqual(499);
    expect(lengthMs).toBeLessThanOrEqual(550);
  };

  /** Kills the agent when its confirmation is on its way, and loses that. */
  function killAtConfirmation(): Promise<void> {
    return new Promise((killed) => {
      site.relay.copies = ({ type }) => (type === 'result' ? 0 : 1);
      site.relay.onFrame = ({ type }) => {
        if (type !== 'result') return;
        site.agent.kill('SIGKILL');
        killed();
      };
    });
  }

  test.each(repeat(2, 10))('back inside the 5 s: the pulse keeps its length, and the answer is 200', async () => {
    const killed = killAtConfirmation();
    const pending = timed(site.set(PULSED, 1));
    await killed;
    await site.agent.ended;
    await site.startAgent();
    const { answer, tookMs } = await pending;
    expect(answer.text).toBe('OK');
    expect(tookMs).toBeLessThan(5_000);
    longEnough(await site.nextEdges(2));
  });

  test.each(repeat(1, 4))(
    'back later: 504 at 5.0 to 5.1 s, then confirmed-late; not pulsed again',
    async () => {
      const killed = killAtConfirmation();
      const pending = timed(site.set(PULSED, 1));
      await killed;
      const { answer, tookMs } = await pending;
      expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
      expect(tookMs).toBeGreaterThanOrEqual(4_999);
      expect(tookMs).toBeLessThan(5_100);
      longEnough(await site.nextEdges(2));
      await site.startAgent();
      await eventually(async () => (await site.outcomeOf(answer.headers.get('command-id'))) === 'confirmed-late');
      expect(site.newEdges()).toEqual([]);
    },
    40_000,
  );

  test.each(repeat(4, 30))(
    'at any moment of a command: 200 if and only if there was a pulse, of full length',
    async () => {
      const chance = new SeededChance();
      await chance.replayable(async () => {
        const pending = site.set(PULSED, 1);
        await pause(chance.between(0, 12));
        site.agent.kill('SIGKILL');
        await site.agent.ended;
        await site.startAgent();
        const { status } = await pending;
        expect([200, 504]).toContain(status);
        if (status === 200) longEnough(await site.nextEdges(2));
        await site.untilConnected();
        expect(site.newEdges()).toEqual([]);
      });
    },
    40_000,
  );
});
