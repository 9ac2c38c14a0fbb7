/** The real agent at the real server, whose network ends its links too often: it says so, waits, and serves again. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { LinkProblem } from '@relaygate/device-agent/agent/link/link-problem';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { LINK } from '@relaygate/device-agent/locales/en/link';
import { webSocketDial } from '@relaygate/device-agent/platform/web-socket-dial';
import { CLOSE } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { AgentInMemory, CODE_PATH } from '../support/device/agent-in-memory';
import { NO_SERVER } from '../support/device/device';
import { v1 } from '../support/server/api-client';
import { startTestServer, type TestServer } from '../support/server/test-server';
import { pause } from '../support/time/waiting';

/** One is paid back in the 45 s that this agent waits, and none in the moments before. */
const LINKS = { burst: 3, perSecond: 1 / 40 };
/** What the clock that agent and server share is moved by while they talk, and how long they really have for it. */
const STEP = { clockMs: 10, realMs: 5 };
const PATIENCE_MS = 15_000;

let server: TestServer;
let device: AgentInMemory;
/** Of the links that the agent has lost, in order. */
let codes: (number | null)[];
let cut: () => void;

beforeEach(async () => {
  device = new AgentInMemory();
  server = await startTestServer({ clock: device.clock, writeLimits: { links: LINKS } });
  codes = [];
  const dial = webSocketDial({ ...NO_SERVER, serverUrl: server.url.replace(/^http/, 'ws') });
  device.dialLink = (events) => {
    const closed = (code: number | null, problem: LinkProblem | string): void => {
      codes.push(code);
      events.closed(code, problem);
    };
    const socket = dial({ ...events, closed });
    cut = () => socket.terminate();
    return socket;
  };
});
afterEach(async () => {
  device.stopAgent();
  await server.stop();
});

const linkOf = async () => ((await device.localRequest('status', {})) as DeviceStatus).link;

/** Sockets take the machine's time, timers the clock's. */
async function untilHappened(done: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = monotonicNowMs() + PATIENCE_MS;
  while (!(await done())) {
    if (monotonicNowMs() > giveUpMs) throw new Error(`waited in vain for ${done.toString()}`);
    await device.passed(STEP.clockMs);
    await pause(STEP.realMs);
  }
}

test('4429 shows at the device as its fault; it waits 45 s, is taken again, and a command is executed', async () => {
  const product = await server.newProduct({ productLogin: NO_SERVER.productLogin });
  const token = await server.newToken();
  await server.associate(token, product);
  device.files.texts.set(CODE_PATH, `${product.enrolmentCode}\n`);
  await device.startGuard();
  await device.startAgent();
  // The first link enrols, and is not counted.
  for (let links = 0; links <= LINKS.burst; links += 1) {
    await untilHappened(async () => (await linkOf()).isUp);
    cut();
    await untilHappened(() => codes.length > links);
  }
  expect(codes).not.toContain(CLOSE.tooOften);

  await untilHappened(() => codes.includes(CLOSE.tooOften));
  const refused = codes.length;
  expect(await linkOf()).toMatchObject({ isUp: false, problem: LINK['too-often'] });
  await device.passed(44_000);
  expect(codes).toHaveLength(refused);
  expect(await linkOf()).toMatchObject({ isUp: false, problem: LINK['too-often'] });

  await device.passed(1_000);
  await untilHappened(async () => (await linkOf()).isUp);
  expect(codes).toHaveLength(refused);
  let status = 0;
  void v1(server.url)
    .set(product.productLogin, 0, 1, { token })
    .then((answer) => {
      status = answer.status;
    });
  await untilHappened(() => status !== 0);
  expect(status).toBe(200);
  expect(device.board.levels[0]).toBe('high');
});
