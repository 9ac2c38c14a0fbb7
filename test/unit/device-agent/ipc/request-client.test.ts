import { beforeEach, describe, expect, test } from '@jest/globals';
import { DeviceRefusal } from '@relaygate/device-agent/ipc/device-refusal';
import { MAX_OPEN_REQUESTS } from '@relaygate/device-agent/ipc/line-connection';
import { AnswerLostError, NotSentError, RequestClient } from '@relaygate/device-agent/ipc/request-client';
import { VirtualClock } from '../../../support/time/virtual-clock';

const TIMEOUT_MS = 1_000;

let clock: VirtualClock;
let sent: { id: number }[];
let client: RequestClient;
beforeEach(() => {
  clock = new VirtualClock();
  sent = [];
  client = new RequestClient({ send: (line) => void sent.push(JSON.parse(line)), close: () => {} }, clock);
});

const ask = (maxOpen?: number): Promise<unknown> =>
  client.request('status', {}, TIMEOUT_MS, { maxOpen }).catch((error: unknown) => error);
const answer = (id: number | undefined): boolean => client.takeLine(JSON.stringify({ id, ok: true, value: 'done' }));

describe('requests over one connection (I15)', () => {
  test('are as many as the other side takes; one more is not sent', async () => {
    const asked = Array.from({ length: MAX_OPEN_REQUESTS }, () => ask());
    expect(await ask()).toBeInstanceOf(NotSentError);
    expect(sent).toHaveLength(MAX_OPEN_REQUESTS);
    answer(sent[0]?.id);
    expect(await asked[0]).toBe('done');
    void ask();
    expect(sent).toHaveLength(MAX_OPEN_REQUESTS + 1);
  });

  test('count until they are answered, whoever still waits: the other side has them', async () => {
    const asked = Array.from({ length: MAX_OPEN_REQUESTS }, () => ask());
    await clock.advance(TIMEOUT_MS);
    expect(await asked[0]).toBeInstanceOf(AnswerLostError);
    expect(await ask()).toBeInstanceOf(NotSentError);
    answer(sent[0]?.id);
    void ask();
    expect(sent).toHaveLength(MAX_OPEN_REQUESTS + 1);
  });

  test('may leave room for others', async () => {
    void ask(1);
    expect(await ask(1)).toBeInstanceOf(NotSentError);
    void ask();
    expect(sent).toHaveLength(2);
  });
});

describe('a refusal', () => {
  async function refusal(reason: unknown): Promise<unknown> {
    const asked = ask();
    const error = { code: 'refused', message: 'It is too early.', reason };
    client.takeLine(JSON.stringify({ id: sent[0]?.id, ok: false, error }));
    return asked;
  }

  test('keeps its reason', async () => {
    const reason = { code: 'from-the-future', values: { hours: 3 } };
    expect(await refusal(reason)).toMatchObject({ message: 'It is too early.', reason });
  });

  test.each([
    null,
    'early',
    {},
    { code: 'early' },
    { code: 3, values: {} },
    { code: 'early', values: null },
    { code: 'early', values: 'x' },
  ])('whose reason is %j is one without', async (reason) => {
    const error = await refusal(reason);
    expect(error).toMatchObject({ code: 'refused', message: 'It is too early.' });
    expect(error).not.toBeInstanceOf(DeviceRefusal);
  });
});
