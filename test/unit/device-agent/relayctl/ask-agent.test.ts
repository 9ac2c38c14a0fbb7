/** What relayctl says where no answer comes: whether the request had left. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LineConnection, ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { askAgent, type ChangeDeps, requestChange } from '@relaygate/device-agent/relayctl/ask-agent';
import { exitCodeOf } from '@relaygate/device-agent/relayctl/exit-codes';
import { RelaygateError } from '@relaygate/shared';
import { dialInMemory } from '../../../support/device/line-pair';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const SOCKET = '/run/agent.sock';
let clock: VirtualClock;
/** What the agent was asked, and its end of the connection. */
let asked: unknown[];
let agent: LineConnection | null;
let isClosed: boolean;
let interrupt: (() => void) | null;
let serves: ServeLines | null;
const ports = (): ChangeDeps => ({
  clock,
  t: RELAYCTL,
  dial: () => dialInMemory(() => serves),
  onInterrupt: (run) => {
    interrupt = run;
    return () => {
      interrupt = null;
    };
  },
});
beforeEach(() => {
  clock = new VirtualClock();
  asked = [];
  agent = null;
  isClosed = false;
  interrupt = null;
  serves = (connection) => {
    agent = connection;
    return {
      line: (text) => void asked.push(JSON.parse(text)),
      closed() {
        isClosed = true;
      },
    };
  };
});

/** What became of it, as a script sees it. */
function outcomeOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => 'done',
    (error) => (error instanceof RelaygateError ? `${exitCodeOf(error.code)} ${error.message}` : String(error)),
  );
}
const change = (): Promise<string> => outcomeOf(requestChange(ports(), SOCKET, 'set', { numOutput: 0, state: 1 }));

describe('a change that left and was not answered may have happened: 7', () => {
  test('because the agent says nothing', async () => {
    const answer = change();
    await clock.advance(15_000);
    expect(await answer).toMatch(/^7 .*nothing within 15000 ms.*may have happened: look at the output/);
    expect(isClosed).toBe(true);
  });

  test('because the agent hangs up', async () => {
    const answer = change();
    await settled();
    agent?.close();
    expect(await answer).toMatch(/^7 .*may have happened/);
  });

  test('because somebody pressed Ctrl-C, at once, and hangs up on the agent', async () => {
    const answer = change();
    await settled();
    interrupt?.();
    expect(await answer).toMatch(/^7 .*interrupted.*may have happened/);
    await settled();
    expect(isClosed).toBe(true);
    expect(interrupt).toBeNull();
  });
});

test('a change that failed unexpectedly may have happened: 7', async () => {
  const answer = change();
  await settled();
  agent?.send('{"id":1,"ok":false,"error":{"code":"unknown","message":"See the log."}}');
  expect(await answer).toMatch(/^7 See the log\. .*may have happened/);
});

test('a change that never left did not happen: 3, and Ctrl-C ends the program as ever', async () => {
  serves = null;
  expect(await change()).toMatch(/^3 .*does not run/);
  expect(interrupt).toBeNull();
});

test('an answer in time is what the agent says, and Ctrl-C ends the program again', async () => {
  const answer = change();
  await settled();
  expect(interrupt).not.toBeNull();
  agent?.send('{"id":1,"ok":false,"error":{"code":"refused","message":"no"}}');
  expect(await answer).toBe('5 no');
  await settled();
  expect(interrupt).toBeNull();
});

test('a question that changes nothing is only not answered: 3', async () => {
  const ask = (): Promise<string> => outcomeOf(askAgent(ports(), SOCKET, 'status', {}));
  const silent = ask();
  await clock.advance(15_000);
  expect(await silent).toMatch(/^3 /);
  expect(interrupt).toBeNull();
  const cut = ask();
  await settled();
  agent?.close();
  expect(await cut).toMatch(/^3 /);
});
