/** shared/vectors/server-dialogues.json, played against the server's session of a link. */

import { describe, expect, test } from '@jest/globals';
import { DeviceLink, type DeviceLinkDeps } from '@relaygate/server/devices/device-link';
import { LinkRegistry } from '@relaygate/server/devices/link-registry';
import { LinkSettler, type LinkSettlerDeps } from '@relaygate/server/devices/link-settler';
import { writeBudgets } from '@relaygate/server/limits/write-budgets';
import { RefusalLog } from '@relaygate/server/log/refusal-log';
import { SOLE_NODE } from '@relaygate/server/nodes/membership';
import { PROOF_VECTORS, SERVER_DIALOGUES, type ServerStep } from '../../../support/link-protocol/vectors';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const { dialogues } = SERVER_DIALOGUES;
const { productLogin = '', publicKey = '', serverNonce = '' } = PROOF_VECTORS.accepted[0] ?? {};

/** A server to which the vector's key is pinned, and whose nonce is the vector's. */
function parts(): DeviceLinkDeps {
  const clock = new VirtualClock();
  const registry = new LinkRegistry(clock);
  const log = collectingLog();
  const store = {
    openLink: async (_login: string, opening: { publicKey: string }) =>
      opening.publicKey === publicKey ? 1 : undefined,
    closeLink: async () => {},
    settleLink: async () => {},
    openCommands: async () => [],
    findProduct: async () => ({ devicePublicKey: publicKey }),
    enrolDevice: async () => false,
    saveReport: async () => {},
    keepHistory: async () => 0,
  } as unknown as DeviceLinkDeps['store'] & LinkSettlerDeps['store'];
  return {
    store,
    clock,
    wallClock: clock,
    serverName: 'relaygate',
    randomness: { bytes: () => new Uint8Array(Buffer.from(serverNonce, 'base64url')), fraction: () => 0 },
    budgets: writeBudgets(clock),
    refusals: new RefusalLog(log, clock, 'link'),
    registry,
    node: SOLE_NODE,
    settler: new LinkSettler({ store, registry, node: SOLE_NODE, clock, wallClock: clock, log }),
    listener: { linkUp() {}, linkLost() {}, confirmed() {}, resumed() {} },
    log,
  };
}

async function play(steps: readonly ServerStep[]): Promise<void> {
  const server = parts();
  const sent: unknown[] = [];
  let closed: number | undefined;
  const socket = {
    queuedBytes: 0,
    isOpen: true,
    send: (text: string) => void sent.push(JSON.parse(text)),
    close(code: number) {
      closed = code;
    },
    terminate: () => {},
  };
  const session = new DeviceLink(server, socket, '192.0.2.1');
  for (const step of steps) {
    if ('sends' in step) session.received(JSON.stringify(step.sends));
    if ('sendsText' in step) session.received(step.sendsText);
    await settled();
    if ('hears' in step) expect(sent.shift()).toMatchObject(step.hears);
    if ('silent' in step) expect(sent).toEqual([]);
    if ('up' in step) expect(server.registry.current(productLogin)?.isUp).toBe(true);
    if ('closed' in step) expect(closed).toBe(step.closed);
  }
  expect(sent).toEqual([]);
  if (!steps.some((step) => 'closed' in step)) expect(closed).toBeUndefined();
}

describe('a dialogue of the server', () => {
  test.each(dialogues.map(({ number, proves, steps }) => [number, proves, steps] as const))(
    '%i: %s',
    async (_number, _proves, steps) => {
      await play(steps);
    },
  );

  test('has a number of its own', () => {
    expect(dialogues.map(({ number }) => number)).toEqual(dialogues.map((_, n) => n + 1));
  });
});
