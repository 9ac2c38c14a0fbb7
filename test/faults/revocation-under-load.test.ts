/** T25: an operator takes a right away while commands come at 50 a second: the next request is refused, and nothing moves. */
import { expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { writeEnrolmentCode } from '../support/device/device';
import type { Call } from '../support/faults/call';
import { Fault, FEW_PAIRS, PLAY_LIMIT_MS, type Times } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { v1 } from '../support/server/api-client';
import { expectInTime, machine } from '../support/time/timed';
import { eventually, pause } from '../support/time/waiting';

const COMMAND_EVERY_MS = 20;
/** Under load before the revocation, and behind it. */
const LOAD_MS = 1_500;
/** I13: what was under way may still move. */
const REVOKED_WITHIN_MS = 1_000;
const ONCE: Times = { few: FEW_PAIRS, full: 4 * FEW_PAIRS };
/** As `Site` names it. */
const CLIENT = 'faults';

const T25 = new Fault('T25', 'revocation under 50 commands/s', 'last edge behind the revocation');

const site = siteForAll({ pairs: FEW_PAIRS });

interface Revocation {
  readonly what: string;
  /** As the operator types it, for this product. */
  readonly args: (login: string) => string[];
  /** `printed`: what the operator was told. */
  readonly giveBack: (pair: Pair, printed: unknown) => Promise<unknown>;
  /** What the next request is answered. */
  readonly status: number;
  /** Not of this product alone. */
  readonly isOfAll?: boolean;
}

const REVOCATIONS: readonly Revocation[] = [
  {
    what: 'an association',
    args: (login) => ['association', 'end', login, CLIENT],
    giveBack: async ({ productLogin }) => {
      const { productKey } = (await site.operator('product', 'rotate-key', productLogin)) as { productKey: string };
      const { status } = await v1(site.url).addProduct(productLogin, productKey, { token: site.token });
      expect(status).toBe(201);
    },
    status: 403,
  },
  {
    what: 'an output',
    args: (login) => ['output', 'deactivate', login, '0'],
    giveBack: ({ productLogin }) => site.operator('output', 'activate', productLogin, '0'),
    status: 403,
  },
  {
    what: 'a product',
    args: (login) => ['product', 'deactivate', login],
    giveBack: ({ productLogin }) => site.operator('product', 'activate', productLogin),
    status: 403,
  },
  {
    what: 'a device',
    args: (login) => ['product', 'revoke-device', login],
    giveBack: async (pair, printed) => {
      writeEnrolmentCode(pair.folders.dataDir, (printed as { enrolmentCode: string }).enrolmentCode);
      await pair.renewAgent();
    },
    status: 504,
  },
  {
    what: 'a client',
    args: () => ['client', 'deactivate', CLIENT],
    giveBack: () => site.operator('client', 'activate', CLIENT),
    status: 401,
    isOfAll: true,
  },
];

/** Toggles output 0 of one device after the other, waiting for nobody. */
async function underLoad(body: () => Promise<void>): Promise<Map<Pair, Call[]>> {
  const calls = new Map(site.pairs.map((pair): [Pair, Promise<Call>[]] => [pair, []]));
  let turn = 0;
  const load = setInterval(() => {
    const pair = site.pairs[turn % site.pairs.length];
    if (pair) calls.get(pair)?.push(pair.toggle(0));
    turn += 1;
  }, COMMAND_EVERY_MS);
  try {
    await body();
  } finally {
    clearInterval(load);
  }
  const answered = await Promise.all(
    [...calls].map(async ([pair, of]): Promise<[Pair, Call[]]> => [pair, await Promise.all(of)]),
  );
  return new Map(answered);
}

test.each(REVOCATIONS)(
  'T25: $what that is revoked moves nothing from the next request on, and others go on',
  ({ args, giveBack, status, isOfAll }) =>
    T25.playOnAll(site, ONCE, async () => {
      const [victim] = site.pairs;
      if (!victim) throw new Error('there is no pair');
      let revokedMs = 0;
      let printed: unknown;
      const calls = await underLoad(async () => {
        await pause(LOAD_MS);
        printed = await site.operator(...args(victim.productLogin));
        revokedMs = monotonicNowMs();
        await pause(LOAD_MS);
      });
      let lastMs = 0;
      for (const [pair, of] of calls) {
        const before = of.filter(({ sentMs }) => sentMs < revokedMs);
        const behind = of.filter(({ sentMs }) => sentMs > revokedMs);
        expect(served(before)).toBeGreaterThan(before.length / 2);
        expect(behind.length).toBeGreaterThan(LOAD_MS / COMMAND_EVERY_MS / site.pairs.length / 2);
        if (pair !== victim && !isOfAll) {
          expect(served(behind)).toBeGreaterThan(behind.length / 2);
          continue;
        }
        // What was under way holds the output's slot until its answer; only where the right itself is gone is that seen first.
        const freeMs = status === 504 ? Math.max(0, ...before.map(({ answeredMs }) => answeredMs)) : 0;
        const isBusy = (call: Call): boolean => call.status === 409 && call.sentMs < freeMs;
        expect(behind.filter((call) => call.status !== status && !isBusy(call))).toEqual([]);
        const lastEdgeMs = Math.max(revokedMs, ...pair.edges().map(({ atMs }) => atMs));
        lastMs = Math.max(lastMs, lastEdgeMs - revokedMs);
        const lostMs = (): number => machine.lostMs({ fromMs: revokedMs, toMs: lastEdgeMs }, pair.guards);
        const lateMs = lastEdgeMs - revokedMs - REVOKED_WITHIN_MS;
        expectInTime('answer', lateMs, lostMs, `an edge came ${lastMs.toFixed(0)} ms behind the revocation`);
      }
      await giveBack(victim, printed);
      await eventually(async () => (await victim.set(0, 0)).status === 200);
      return lastMs;
    }),
  PLAY_LIMIT_MS,
);

function served(calls: readonly Call[]): number {
  return calls.filter(({ status }) => status === 200).length;
}
