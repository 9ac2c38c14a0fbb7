import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MAX_FAULTS_LOGGED_PER_MINUTE, MAX_UNRESOLVED_PER_WELCOME } from '@relaygate/shared';
import { v1 } from '../support/server/api-client';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { startTestServer, type TestServer } from '../support/server/test-server';

/** While the database fails, everybody who asks causes a line: the log shows the first ones of a minute, then how many more. */
let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const MORE = 7;
const CAUSES = MAX_FAULTS_LOGGED_PER_MINUTE + MORE;

/** A stop also ends the minute: it logs the number of lines that were left out. */
async function expectBounded(event: string): Promise<void> {
  const linesOf = (wanted: string) => server.log.lines.filter((line) => line.event === wanted);
  expect(linesOf(event)).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE);
  const { level } = linesOf(event)[0] ?? {};
  await server.stop();
  const fields = { code: 'storage-unavailable', more: MORE, lastMessage: expect.any(String) };
  expect(linesOf(`more lines: ${event}`)).toEqual([{ level, event: `more lines: ${event}`, fields }]);
  server = await startTestServer();
}

test('requests that fail', async () => {
  const token = await server.newToken();
  await server.whileStorageFails(async () => {
    for (let n = 0; n < CAUSES; n += 1) expect((await v1(server.url).state('gate', { token })).status).toBe(500);
  });
  await expectBounded('request failed');
});

test('links that do not open', async () => {
  const { productLogin, enrolmentCode } = await server.newProduct();
  await server.whileStorageFails(async () => {
    for (let n = 0; n < CAUSES; n += 1) {
      const device = new ScriptedDevice(server.url, newIdentity(productLogin, enrolmentCode));
      await device.opened();
      device.hello();
      expect(await device.closing()).toBe(4503);
    }
  });
  await expectBounded('link not opened');
});

test('late outcomes beyond those that wait for the database', async () => {
  const device = await server.linkDevice(await server.newProduct());
  server.failStorage();
  for (let n = 0; n < MAX_UNRESOLVED_PER_WELCOME + CAUSES; n += 1)
    device.send({ type: 'result', commandId: `command-${n}`, outcome: 'executed', numOutput: 0, state: 1 });
  await device.roundTrip();
  await expectBounded('late outcome not recorded');
});
