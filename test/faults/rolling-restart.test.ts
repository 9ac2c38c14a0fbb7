/** T17: the server is stopped in order and started again, again and again, under 50 commands a second. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandsIn } from '../support/command-log';
import { eventually, Installation } from '../support/installation';
import { pause, repeat } from '../support/running-demo';

const RESTARTS = repeat(3, 10).length;
const COMMAND_EVERY_MS = 20;
/** A link that held for 5 s counts as good, so the device comes back within a second. */
const BETWEEN_RESTARTS_MS = 5_500;

/** One call of the application, as it saw it. */
interface Call {
  /** null: no answer came. */
  status: number | null;
  commandId: string | null;
}

let site: Installation;
beforeAll(async () => {
  site = await Installation.start();
  await site.settle();
}, 60_000);
afterAll(() => site?.stop());

/** Toggles output 0 every 20 ms, waiting for nobody. Each 200 is exactly one edge. */
async function underLoad(body: () => Promise<void>): Promise<Call[]> {
  const calls: Promise<Call>[] = [];
  const one = async (): Promise<Call> => {
    try {
      const { status, headers } = await site.toggle(0);
      return { status, commandId: headers.get('command-id') };
    } catch {
      return { status: null, commandId: null };
    }
  };
  const load = setInterval(() => calls.push(one()), COMMAND_EVERY_MS);
  try {
    await body();
  } finally {
    clearInterval(load);
  }
  return Promise.all(calls);
}

test('no command is lost or unknown; each 200 has its edge and each edge its 200', async () => {
  const before = commandsIn(site.databaseFile).length;
  const calls = await underLoad(async () => {
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await pause(BETWEEN_RESTARTS_MS);
      // Exit code 0: drained, nothing cut.
      expect(await site.server.stop(10_000)).toEqual({ code: 0, signal: null });
      await site.startServer();
      await site.untilConnected();
    }
    await pause(BETWEEN_RESTARTS_MS);
  });
  const count = (status: number | null): number => calls.filter((call) => call.status === status).length;
  const edges = site.newEdges();
  // Served again after each restart, and under load all the time.
  expect(count(200)).toBeGreaterThan((RESTARTS + 1) * 20);
  expect(edges).toHaveLength(count(200));

  // 409 while one is under way, 504 for one that could not be sent in time, null for a server that was down.
  expect(calls.filter(({ status }) => ![200, 409, 504, null].includes(status))).toEqual([]);
  const commands = (): ReturnType<typeof commandsIn> => commandsIn(site.databaseFile).slice(before);
  const ended = ['executed', 'expired', 'refused'];
  await eventually(async () => commands().every(({ outcome }) => ended.includes(outcome)));
  expect(commands().filter(({ outcome }) => outcome === 'executed')).toHaveLength(edges.length);

  // A request without an answer was refused before it became a command: every command on record was answered.
  const answered = new Set(calls.flatMap(({ commandId }) => commandId ?? []));
  expect(commands().filter(({ commandId }) => !answered.has(commandId))).toEqual([]);
}, 180_000);
