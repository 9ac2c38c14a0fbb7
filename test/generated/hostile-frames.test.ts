/** Generated frames of devices that lie, at every stage of their link: nobody else notices (T18, I7, I10, I15). */
import { beforeAll, expect, test } from '@jest/globals';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import fc from 'fast-check';
import { generatedRounds } from '../support/chance/generated-rounds';
import { call, v1 } from '../support/server/api-client';
import { type HostileFrame, hostileSequences } from '../support/server/hostile-frames';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

/** Normal closes, RFC 6455 codes of what ws itself finds broken, and the project's own. */
const CLOSES = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4408]);
/** A link and a command for each sequence, however many are played, and however fast. */
const ENOUGH = 999_999;
const STAGES = ['opened', 'welcomed', 'up'] as const;

const server = serverForAll({
  trustedProxies: 'loopback',
  writeLimits: { links: { burst: ENOUGH, perSecond: 1 } },
  settings: { productCommandsPerMinute: `${ENOUGH}`, clientCommandsPerMinute: `${ENOUGH}` },
});
let client: KeyHolder;
let good: TestProduct;
let goodDevice: ScriptedDevice;
let hostileProduct: TestProduct;
let hostileIdentity: ReturnType<typeof newIdentity>;
/** A command of the good product that is open: what a liar would like to answer. */
let openCommandId: string;
beforeAll(async () => {
  client = await server.newClient();
  const token = server.tokenOf(client);
  [good, hostileProduct] = [await server.newProduct(), await server.newProduct()];
  await server.associate(token, good);
  goodDevice = await server.linkDevice(good);
  hostileIdentity = newIdentity(hostileProduct.productLogin, hostileProduct.enrolmentCode);
  goodDevice.react = () => {};
  const answer = await v1(server.url).set(good.productLogin, 0, 1, { token });
  expect(answer.status).toBe(504);
  openCommandId = answer.headers.get('command-id') ?? '';
  // The outcome is written behind the answer.
  await server.untilOutcome(answer, token, 'unknown');
  goodDevice.react = (command, device) => device.obey(command);
});

function play(device: ScriptedDevice, frame: HostileFrame): void {
  if (device.socket.readyState !== device.socket.OPEN) return;
  if (frame.kind === 'raw') device.send(frame.text);
  else if (frame.kind === 'binary') device.socket.send(frame.bytes);
  else if (frame.step === 'time') device.send({ type: 'time', seq: 1 });
  else device[frame.step]();
}

async function linkedTo(stage: (typeof STAGES)[number]): Promise<ScriptedDevice> {
  const device = new ScriptedDevice(server.url, hostileIdentity);
  if (stage === 'opened') await device.opened();
  else if (stage === 'welcomed') await device.welcomed();
  else await device.linkUp();
  return device;
}

test(
  'the server lives on, the other device is served, and its open command stays open',
  async () => {
    const earlierLines = server.log.lines.length;
    const cases = fc.tuple(fc.constantFrom(...STAGES), hostileSequences([openCommandId]));
    await fc.assert(
      fc.asyncProperty(cases, async ([stage, frames]) => {
        // A slow machine plays for longer than a token counts.
        const token = server.tokenOf(client);
        const device = await linkedTo(stage);
        for (const frame of frames) play(device, frame);
        const answer = await v1(server.url).toggle(good.productLogin, 1, { token });
        expect(answer.text).toBe('OK');
        // The pong comes behind everything that was sent before it, if the link still stands.
        await new Promise<void>((settled) => {
          device.socket.once('pong', () => settled()).once('close', () => settled());
          if (device.socket.readyState === device.socket.CLOSED) settled();
          else if (device.socket.readyState === device.socket.OPEN) device.socket.ping();
        });
        if (device.closed) expect(CLOSES).toContain(device.closed.code);
        device.close();
        const command = await call('GET', `${server.url}/api/v1/commands/${openCommandId}`, undefined, { token });
        expect(command.json).toMatchObject({ outcome: 'unknown' });
        expect(goodDevice.closed).toBeUndefined();
      }),
      generatedRounds(300, 4_000),
    );
    const answer = await v1(server.url).state(good.productLogin, { token: server.tokenOf(client) });
    const state = answer.json as { outputs: { name: string }[] };
    expect(state.outputs.map(({ name }) => name)).toEqual(['Output 0', 'Output 1', 'Output 2', 'Output 3']);
    expect(server.log.lines.slice(earlierLines).filter(({ level }) => level === 'error')).toEqual([]);
    // And the liar's own product still takes an honest link.
    await (await linkedTo('up')).roundTrip();
  },
  15 * 60_000,
);
