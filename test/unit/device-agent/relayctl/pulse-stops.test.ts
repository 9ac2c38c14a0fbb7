/** `relayctl stop` and `set N off`: which pulse they name, and until when they may begin, whoever is held up. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { runRelayctl } from '../../../support/device/relayctl-in-memory';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const HELD_UP_MS = 3_000;

let clock: VirtualClock;
/** What the agent was asked. */
let asked: { type: string; pulseSinceMs?: number | null; notAfterMs?: number }[];
/** When the pulse began that runs as the agent looks. */
let pulseSinceMs: number;
let askedMs: number;
beforeEach(() => {
  clock = new VirtualClock();
  asked = [];
  askedMs = clock.nowMs();
});

const agent: ServeLines = (connection) => ({
  line(text) {
    const { id, ...request } = JSON.parse(text);
    asked.push(request);
    const answer = (value: object): void => connection.send(JSON.stringify({ id, ok: true, value }));
    if (request.type === 'status')
      clock.after(HELD_UP_MS, () => answer({ outputs: [{ mode: 'impulse', pulseSinceMs }] }));
    else answer({ numOutput: 0, outcome: 'executed', state: 0 });
  },
  closed() {},
});

async function run(line: string): Promise<(typeof asked)[number] | undefined> {
  const ended = runRelayctl(line, agent, { clock });
  await settled();
  await clock.advance(HELD_UP_MS);
  expect(await ended).toMatchObject({ code: 0 });
  return asked.at(-1);
}

describe.each(['stop 0', 'set 0 off'])('"%s"', (line) => {
  test('names the pulse that ran as it was typed, and counts its deadline from then', async () => {
    pulseSinceMs = askedMs - 100;
    expect(await run(line)).toMatchObject({ pulseSinceMs, notAfterMs: askedMs + EXECUTION_DEADLINE_MS });
  });

  test('names none that began while the agent was held up: nobody has seen it', async () => {
    pulseSinceMs = askedMs + 2_000;
    expect(await run(line)).toMatchObject({ pulseSinceMs: null });
  });
});
