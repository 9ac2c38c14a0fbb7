import { beforeAll, describe, expect, test } from '@jest/globals';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '@relaygate/shared';
import { type Answer, legacy, v1 } from '../support/server/api-client';
import { recordsIn } from '../support/server/audit-records';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

const server = serverForAll();
let token: string;
let gate: TestProduct;
let device: ScriptedDevice;
beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

const under = (key: string, as = token) => ({ token: as, headers: { 'Idempotency-Key': key } });
const toggle = (key: string, numOutput = 0): Promise<Answer> =>
  v1(server.url).toggle(gate.productLogin, numOutput, under(key));
const idOf = (answer: Answer) => answer.headers.get('command-id');
const commandRecords = async () => (await recordsIn(server.storage)).filter(({ kind }) => kind === 'command').length;
const isReplayed = (answer: Answer) => answer.headers.get('idempotent-replayed');

describe('Idempotency-Key', () => {
  test('a toggle that is asked for again moves nothing and has the answer of the first', async () => {
    const sent = device.commands.length;
    const [first, again, once] = [await toggle('a'), await toggle('a'), await toggle('a')];
    expect([first.text, again.text, once.text]).toEqual(['OK', 'OK', 'OK']);
    expect([isReplayed(first), isReplayed(again), isReplayed(once)]).toEqual([null, 'true', 'true']);
    expect(idOf(again)).toBe(idOf(first));
    expect(device.commands).toHaveLength(sent + 1);
  });

  test('ten at once move it once, and all are told', async () => {
    const sent = device.commands.length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => toggle('ten')));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['OK']));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(answers.filter((answer) => isReplayed(answer) === null)).toHaveLength(1);
    expect(device.commands).toHaveLength(sent + 1);
  });

  test('"already set" is told again', async () => {
    const set = () => v1(server.url).set(gate.productLogin, 1, 1, under('set'));
    await v1(server.url).set(gate.productLogin, 1, 1, { token });
    const [first, again] = [await set(), await set()];
    expect([first.json, again.json]).toEqual([{ already_set: true }, { already_set: true }]);
    expect([idOf(again), isReplayed(again)]).toEqual([idOf(first), 'true']);
  });

  test('another request under it is 422, whatever differs, and moves nothing', async () => {
    await toggle('taken');
    const [sent, recorded] = [device.commands.length, await commandRecords()];
    const other = await server.newProduct();
    await server.associate(token, other);
    for (const answer of [
      await toggle('taken', 1),
      await v1(server.url).set(gate.productLogin, 0, 1, under('taken')),
      await v1(server.url).toggle(other.productLogin, 0, under('taken')),
    ])
      expectError(answer, 422, 'idempotency-key-reused');
    expect(device.commands).toHaveLength(sent);
    expect(await commandRecords()).toBe(recorded);
  });

  test('a client has its own keys', async () => {
    const another = await server.newToken();
    await server.associate(another, gate);
    const [first, second] = [
      await toggle('own'),
      await v1(server.url).toggle(gate.productLogin, 0, under('own', another)),
    ];
    expect(isReplayed(second)).toBeNull();
    expect(idOf(second)).not.toBe(idOf(first));
  });

  test('whoever may not drive the output gets no answer of the key (I13)', async () => {
    await toggle('revoked');
    await server.storage.setOutputActivated(gate.productLogin, 0, false, 0);
    expectError(await toggle('revoked'), 403, 'user-not-allowed');
    await server.storage.setOutputActivated(gate.productLogin, 0, true, 0);
    expect(isReplayed(await toggle('revoked'))).toBe('true');
  });

  test.each([
    ['too long', 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1)],
    ['not printable', 'caf\u00e9'],
    ['empty', ''],
  ])('%s: 422', async (_what, key) => {
    expectError(await toggle(key), 422, 'invalid-params');
  });

  test.each(['k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '{}, ~'])(
    'the key %j is one',
    async (key) => {
      expect((await toggle(key)).text).toBe('OK');
      expect(isReplayed(await toggle(key))).toBe('true');
    },
  );

  test('legacy does not know it', async () => {
    const ask = () => legacy(server.url).toggle(gate.productLogin, 0, under('legacy'));
    const [first, second] = [await ask(), await ask()];
    expect([isReplayed(first), isReplayed(second)]).toEqual([null, null]);
    expect(idOf(second)).not.toBe(idOf(first));
  });
});
