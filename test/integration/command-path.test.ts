import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Command, RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { type Answer, call, v1 } from '../support/server/api-client';
import { linkNewGate } from '../support/server/linked-gate';
import { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { repeat } from '../support/time/excuse';
import { expectDeadline, expectInTime, machine, timed } from '../support/time/timed';
import { eventually } from '../support/time/waiting';

/** The path from an application's call to a device and back over real sockets, with a device that executes each command. */
const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;

beforeAll(async () => {
  token = await server.newToken();
});
async function linkAnother(): Promise<void> {
  ({ gate, device } = await linkNewGate(server, token));
}
beforeEach(linkAnother);

const drive = (state: 0 | 1 = 1) => v1(server.url).set(gate.productLogin, 0, state, { token });

async function outcomeOf(answer: Answer): Promise<unknown> {
  const { json } = await call('GET', `${server.url}/api/v1/commands/${answer.headers.get('command-id')}`, undefined, {
    token,
  });
  return json;
}

const silent = (): void => {};

describe('a command in flight', () => {
  test('I6: of 200 calls at once one is executed, 199 get 409', () =>
    repeat(async () => {
      device.react = silent;
      const fromMs = monotonicNowMs();
      const answers = Array.from({ length: 200 }, () => drive());
      const command = await device.commanded();
      const early: number[] = [];
      for (const answer of answers) void answer.then(({ status }) => early.push(status));
      await eventually(() => early.length === 199);
      // A machine that stands still for that long costs the first command its record: 500, and another one is executed.
      if (early.includes(500)) {
        const lostMs = (): number => machine.lostMs({ fromMs, toMs: monotonicNowMs() }, [process.pid]);
        expectInTime('answer', STORAGE_WRITE_TIMEOUT_MS, lostMs, 'a record was given up');
      }
      expect(early.filter((status) => status !== 409)).toEqual([]);
      device.obey(command);
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(device.commands).toHaveLength(1);
    }, linkAnother));

  test('one product’s command does not hold up another’s', async () => {
    const other = await server.newProduct();
    await server.associate(token, other);
    await server.linkDevice(other);
    device.react = silent;
    const waiting = drive();
    const command = await device.commanded();
    expect((await v1(server.url).set(other.productLogin, 0, 1, { token })).text).toBe('OK');
    device.obey(command);
    expect((await waiting).status).toBe(200);
  });

  test('a client that hangs up does not stop its command', async () => {
    device.react = silent;
    const gone = new AbortController();
    const url = `${server.url}/api/v1/products/${gate.productLogin}/outputs/0`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = fetch(url, { method: 'PATCH', headers, body: '{"state":1}', signal: gone.signal });
    const command = await device.commanded();
    gone.abort();
    await expect(request).rejects.toThrow();
    expect((await drive()).status).toBe(409);
    device.react = (next, self) => self.obey(next);
    device.obey(command);
    await device.roundTrip();
    expect((await drive()).json).toEqual({ already_set: true });
  });
});

describe('a silent device', () => {
  test('504 after 5.0 to 5.1 s, then its late confirmation is only recorded (I3, I10)', () =>
    repeat(async () => {
      device.react = silent;
      const { answer, ...times } = await timed(drive());
      expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
      expectDeadline(times);
      expect(await outcomeOf(answer)).toMatchObject({ outcome: 'unknown', reason: 'no-confirmation' });
      const next = drive();
      await device.commanded(2);
      const [first, second] = device.commands as [Command, Command];
      device.obey(first);
      await device.roundTrip();
      await expect(Promise.race([next, device.roundTrip().then(() => 'still waiting')])).resolves.toBe('still waiting');
      device.obey(second);
      expect((await next).json).toEqual({ already_set: true });
      await server.untilOutcome(answer, token, 'confirmed-late');
    }, linkAnother));
});

describe('a link that is lost', () => {
  test('after the device executed: the resume report answers 200 inside the 5 s', async () => {
    device.react = (command, self) => {
      self.known.set(command.commandId, {
        type: 'result',
        commandId: command.commandId,
        outcome: 'executed',
        numOutput: 0,
        state: 1,
      });
      self.close();
    };
    const answer = drive();
    await device.closing();
    const back = new ScriptedDevice(server.url, device.identity);
    back.known = device.known;
    await back.linkUp();
    expect((await answer).text).toBe('OK');
    expect(back.commands).toEqual([]);
    const welcome = back.received.find((message) => message.type === 'welcome');
    expect(welcome).toMatchObject({ unresolved: [...device.known.keys()] });
  });

  test('before the device started: its resume report says so, 504 at once, never sent again (I1)', async () => {
    device.react = (command, self) => {
      self.notStarted = [command.commandId];
      self.close();
    };
    const pending = timed(drive());
    await device.closing();
    const back = new ScriptedDevice(server.url, device.identity);
    back.notStarted = device.notStarted;
    await back.linkUp();
    const { answer, tookMs } = await pending;
    expect(answer.status).toBe(504);
    expect(tookMs).toBeLessThan(4_000);
    expect(await outcomeOf(answer)).toMatchObject({ outcome: 'expired', reason: 'not-started' });
    expect(back.commands).toEqual([]);
  });

  test('and stays away: 504, and an outcome that comes minutes later is recorded as late', async () => {
    device.react = (_command, self) => self.close();
    const answer = await drive();
    expect(answer.status).toBe(504);
    const [command] = device.commands;
    const back = new ScriptedDevice(server.url, device.identity);
    back.known.set(command?.commandId ?? '', {
      type: 'result',
      commandId: command?.commandId ?? '',
      outcome: 'executed',
      numOutput: 0,
      state: 1,
    });
    await back.linkUp();
    await server.untilOutcome(answer, token, 'confirmed-late');
  });
});

describe('a device that forges (I7, I10, T18)', () => {
  test('a confirmation for another product’s command answers nothing and records nothing', async () => {
    const other = await server.newProduct();
    const forger = await server.linkDevice(other);
    device.react = silent;
    const pending = drive();
    const { commandId } = await device.commanded();
    forger.send({ type: 'result', commandId, outcome: 'executed', numOutput: 0, state: 1 });
    forger.send({ type: 'result', commandId: 'no-such-command', outcome: 'executed' });
    await forger.roundTrip();
    await expect(Promise.race([pending, device.roundTrip().then(() => 'still waiting')])).resolves.toBe(
      'still waiting',
    );
    device.send({ type: 'result', commandId, outcome: 'refused', reason: 'locked' });
    const answer = await pending;
    expect(answer.status).toBe(504);
    expect(await outcomeOf(answer)).toMatchObject({ outcome: 'refused', reason: 'locked' });
  });
});

test('a command that could not be recorded answers 500 without a Command-Id: nobody would know it', async () => {
  const { storage } = server;
  const { recordCommand } = storage;
  try {
    for (const code of ['storage-unavailable', 'storage-unanswered'] as const) {
      storage.recordCommand = () => Promise.reject(new RelaygateError(code));
      const answer = await drive();
      expect(answer).toMatchObject({ status: 500, json: { error: 'unknown' } });
      expect(answer.headers.has('command-id')).toBe(false);
    }
  } finally {
    storage.recordCommand = recordCommand;
  }
  expect((await drive()).headers.has('command-id')).toBe(true);
});

describe('revoking (I13)', () => {
  test('a dissociation takes effect on the next command', async () => {
    expect((await drive()).status).toBe(200);
    await v1(server.url).deleteProduct(gate.productLogin, { token });
    expect(await drive()).toMatchObject({ status: 403, json: { error: 'user-not-allowed' } });
  });

  test('what is revoked while a command waits for its link is not sent', async () => {
    device.close();
    await server.untilState(gate, token, ({ connected }) => !connected);
    const pending = drive();
    await server.untilInFlight(gate, token);
    await server.storage.setOutputActivated(gate.productLogin, 0, false, Date.now());
    await new Promise((resolve) => server.clock.after(600, () => resolve(undefined)));
    const back = await new ScriptedDevice(server.url, device.identity).linkUp();
    expect(await pending).toMatchObject({ status: 403, json: { error: 'user-not-allowed' } });
    expect(back.commands).toEqual([]);
  });
});
