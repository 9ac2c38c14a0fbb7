/** Device links of many products, with the agent's own link machine, waits and keys. Their guards are none. `Fleet` runs it. */
import { readFileSync } from 'node:fs';
import { DeviceLink } from '@relaygate/device-agent/agent/link/device-link';
import { SEED_BYTES } from '@relaygate/device-agent/agent/link/identity';
import type { DialLink } from '@relaygate/device-agent/agent/link/link-socket';
import { ed25519Identity } from '@relaygate/device-agent/platform/ed25519-identity';
import { LINK_PATH, LINK_SUBPROTOCOL, type Report } from '@relaygate/shared';
import { monotonicNowMs, systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { WebSocket } from 'ws';

export interface FleetOrders {
  /** Of the servers: a device that is closed dials the next one, as behind a load balancer. */
  readonly ports: readonly number[];
  /** `enrolmentCode` null: the server knows its key. */
  readonly products: readonly { readonly productLogin: string; readonly enrolmentCode: string | null }[];
  /** 32 bytes in base64url, one for all devices; absent: each has a new key. */
  readonly keySeed?: string;
  /** Addresses of this machine that the devices come from, one after the other. */
  readonly from: readonly string[];
}

const HOST = '127.0.0.1';
const LOOK_EVERY_MS = 50;
const REPORT: Report = {
  type: 'report',
  outputs: [0, 1, 2, 3].map((numOutput) => ({
    ...{ numOutput, name: `Output ${numOutput}`, mode: 'on-off' as const, state: 0 as const, pulseMs: 500 },
  })),
  faults: [],
};

const { ports, products, from, keySeed } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FleetOrders;
const urlOf = (dialled: number): string => `ws://${HOST}:${ports[dialled % ports.length]}`;

/** As the agent's own, but for the address and the server. */
function dialFrom(localAddress: string, first: number): DialLink {
  let dialled = first;
  return (events) => {
    const socket = new WebSocket(`${urlOf(dialled++)}${LINK_PATH}`, [LINK_SUBPROTOCOL], {
      perMessageDeflate: false,
      localAddress,
    });
    socket.on('open', events.opened);
    socket.on('message', (data) => events.text(data.toString()));
    socket.on('error', () => {});
    socket.on('close', (code) => events.closed(code === 1006 ? null : code, { cause: 'broken', details: '' }));
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      terminate: () => socket.terminate(),
    };
  };
}

const links = products.map(({ productLogin, enrolmentCode }, n) => {
  let code = enrolmentCode;
  return new DeviceLink(
    {
      dial: dialFrom(from[n % from.length] ?? HOST, n),
      clock: systemClock,
      wallClock: systemWallClock,
      randomness: systemRandomness,
      guard: {
        status: null,
        enterEpoch: async () => {},
        execute: () => Promise.reject(new Error('no guard')),
        outcomes: async () => ({ outcomes: [], notStarted: [] }),
      },
      log: { info: () => {}, warn: () => {} },
      report: () => REPORT,
      enrolmentCode: async () => code,
      forgetEnrolmentCode: async () => {
        code = null;
      },
      refusalReason: () => null,
      commandEnded: () => {},
      commandLost: () => {},
      historyKept: () => {},
      onChange: () => {},
    },
    {
      settings: { serverUrl: urlOf(n), serverName: 'relaygate', productLogin },
      identity: ed25519Identity(
        keySeed === undefined ? systemRandomness.bytes(SEED_BYTES) : Buffer.from(keySeed, 'base64url'),
      ),
      agentVersion: 'fleet',
      bootId: `boot-${n}`,
    },
  );
});
for (const link of links) link.start();

let times = 0;
let wasAll = false;
setInterval(() => {
  const isAll = links.every((link) => link.view().isUp);
  if (isAll && !wasAll) {
    times += 1;
    console.log(`all linked ${times} at ${monotonicNowMs()}`);
  }
  wasAll = isAll;
}, LOOK_EVERY_MS);
