/** What it costs that a command goes through another node, and how soon devices are served when their node has failed. */
import { createPrivateKey } from 'node:crypto';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Fleet, STEADY_MS } from '../support/faults/fleet';
import { v1 } from '../support/server/api-client';
import { pause } from '../support/time/waiting';
import { median } from './distribution';
import type { Figure } from './figures';
import type { CommandLoad, CommandLoadResult } from './load/commands';
import type { DevicesWanted } from './load/devices';
import { LoadProcess } from './load/load-process';
import type { MeasuredServer } from './servers/measured-server';
import { MeasuredNodes } from './servers/nodes';
import { startRelaygate } from './servers/relaygate';

const DEVICES = 300;
const CONNECTIONS = 30;
const MAX_TIMES_SQLITE = 2.5;
const PLAN = { rounds: 7, roundMs: 3_000, warmUpMs: 15_000, stormDevices: 10_000 };
const QUICK_PLAN = { rounds: 3, roundMs: 1_000, warmUpMs: 2_000, stormDevices: 1_000 };
type Plan = typeof PLAN;
/** Devices that answer commands while the others come back. */
const ANSWERING = 60;
/** Devices of the killed node that link to another one at once, while somebody commands each of them. */
const TAKEN_OVER = 20;
const STORM_LIMIT_MS = 180_000;

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
}

/** Servers with their devices, and applications at each of them. */
class Target {
  readonly name: string;
  readonly rounds: Round[] = [];
  readonly #servers: readonly MeasuredServer[];
  readonly #loads: readonly Omit<CommandLoad, 'durationMs'>[];
  readonly #clients: readonly LoadProcess<CommandLoad, CommandLoadResult>[];

  constructor(name: string, servers: readonly MeasuredServer[], loads: readonly Omit<CommandLoad, 'durationMs'>[]) {
    this.name = name;
    this.#servers = servers;
    this.#loads = loads;
    this.#clients = loads.map(() => new LoadProcess('commands'));
  }

  async play(durationMs: number): Promise<Round> {
    const cpuUs = (): number => this.#servers.reduce((sum, server) => sum + server.cpuUs(), 0);
    const beforeUs = cpuUs();
    const results = await Promise.all(this.#loads.map((load, n) => this.#clients[n]?.ask({ ...load, durationMs })));
    let [confirmed, perSecond] = [0, 0];
    for (const result of results) {
      if (!result || Object.keys(result.failed).length > 0)
        throw new Error(`${this.name} answered ${JSON.stringify(result?.failed)} (status: how often)`);
      confirmed += result.confirmed;
      perSecond += result.confirmed / (result.tookMs / 1000);
    }
    const p50Ms = median(results.map((result) => result?.p50Ms ?? Number.NaN));
    return { perSecond, cpuUs: (cpuUs() - beforeUs) / confirmed, p50Ms };
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.stop();
  }
}

export async function measureNodes(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const plan = quick ? QUICK_PLAN : PLAN;
  return [...(await measureWays(plan, say)), ...(await measureKilledNode(plan, say))];
}

/** Taken in turns, so that whatever else the machine does meets all of them. */
async function measureWays({ rounds, roundMs, warmUpMs }: Plan, say: (line: string) => void): Promise<Figure[]> {
  const ends: (() => Promise<unknown>)[] = [];
  const link = async (server: MeasuredServer, productLogins: readonly string[], key: DevicesWanted['key']) => {
    const devices = new LoadProcess<DevicesWanted, number>('devices');
    ends.push(() => devices.stop());
    await devices.ask({ port: server.port, productLogins, ...(key && { key }) });
  };
  const targetOf = (...args: ConstructorParameters<typeof Target>): Target => {
    const target = new Target(...args);
    ends.push(() => target.stop());
    return target;
  };
  /** The devices of a share are linked to one node, the applications of it use another, `away` places further on. */
  const nodes = async (name: string, count: number, away: number): Promise<Target> => {
    const installation = await MeasuredNodes.start(count, DEVICES);
    ends.push(() => installation.stop());
    const { token, seeded } = installation;
    const loads: Omit<CommandLoad, 'durationMs'>[] = [];
    for (const [n, node] of installation.nodes.entries()) {
      const share = seeded.productLogins.filter((_, k) => k % count === n);
      await link(installation.nodes[(n + away) % count] ?? node, share, seeded.key);
      loads.push({ port: node.port, productLogins: share, token, connections: CONNECTIONS / count });
    }
    return targetOf(name, installation.nodes, loads);
  };
  try {
    const { server, productLogins, key, token } = await startRelaygate(DEVICES);
    ends.push(() => server.stop());
    await link(server, productLogins, key);
    const load = { port: server.port, productLogins, token, connections: CONNECTIONS };
    const sqlite = targetOf('one server, SQLite', [server], [load]);
    const one = await nodes('one server, PostgreSQL', 1, 0);
    const two = await nodes('two nodes, each device at the other', 2, 1);
    const targets = [
      sqlite,
      one,
      await nodes('two nodes, each device where it is asked for', 2, 0),
      two,
      await nodes('three nodes, each device where it is asked for', 3, 0),
      await nodes('three nodes, each device at another', 3, 1),
    ];
    for (const target of targets) await target.play(warmUpMs);
    for (let n = 0; n < rounds; n += 1) {
      for (const target of targets) target.rounds.push(await target.play(roundMs));
      const last = targets.map(({ name, rounds: all }) => `${name} ${all.at(-1)?.cpuUs.toFixed(0)} us`);
      say(`round ${n + 1} of ${rounds}: ${last.join(', ')}`);
    }
    return figuresOf(targets, sqlite, one, two);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function figuresOf(targets: readonly Target[], sqlite: Target, one: Target, two: Target): Figure[] {
  const rows = targets.flatMap(({ name, rounds }): Figure[] => [
    { name: `nodes, ${name}: confirmed`, value: median(rounds.map(({ perSecond }) => perSecond)), unit: '/s' },
    { name: `nodes, ${name}: p50`, value: median(rounds.map(({ p50Ms }) => p50Ms)), unit: 'ms' },
    { name: `nodes, ${name}: servers' CPU each`, value: median(rounds.map(({ cpuUs }) => cpuUs)), unit: 'us' },
  ]);
  const ratio = (other: Target): number =>
    median(two.rounds.map(({ cpuUs }, n) => cpuUs / (other.rounds[n]?.cpuUs ?? Number.NaN)));
  return [
    ...rows,
    {
      name: 'nodes: CPU of both for a device at the other, to SQLite',
      value: ratio(sqlite),
      unit: 'x',
      atMost: MAX_TIMES_SQLITE,
    },
    { name: 'nodes: the same, to one server on PostgreSQL', value: ratio(one), unit: 'x' },
  ];
}

/** One of three nodes fails with a third of the devices; commands go on at the two others. */
async function measureKilledNode({ stormDevices }: Plan, say: (line: string) => void): Promise<Figure[]> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const installation = await MeasuredNodes.start(3, stormDevices + ANSWERING + TAKEN_OVER);
    ends.push(() => installation.stop());
    const { seeded, token, nodes } = installation;
    const [first, second, third] = nodes as [MeasuredServer, MeasuredServer, MeasuredServer];
    const answering = seeded.productLogins.slice(0, ANSWERING);
    const takenOver = seeded.productLogins.slice(ANSWERING, ANSWERING + TAKEN_OVER);
    const devices = new LoadProcess<DevicesWanted, number>('devices');
    ends.push(() => devices.stop());
    await devices.ask({ port: second.port, productLogins: answering, key: seeded.key });
    await devices.ask({ port: first.port, productLogins: takenOver, key: seeded.key });
    const { d: keySeed = '' } = createPrivateKey(seeded.key.privateKeyPem).export({ format: 'jwk' });
    const products = seeded.productLogins
      .slice(ANSWERING + TAKEN_OVER)
      .map((productLogin) => ({ productLogin, enrolmentCode: null }));
    const fleet = await Fleet.start({ ports: nodes.map(({ port }) => port), products, keySeed });
    ends.push(() => fleet.stop());
    await fleet.allLinked(STORM_LIMIT_MS);
    say(`${stormDevices} devices linked to three nodes`);
    await pause(STEADY_MS);
    const client = new LoadProcess<CommandLoad, CommandLoadResult>('commands');
    ends.push(() => client.stop());
    const load = { port: third.port, productLogins: answering, token, connections: 4 };
    const killedMs = monotonicNowMs();
    await first.kill();
    const relinked = devices.ask({ port: second.port, productLogins: takenOver, key: seeded.key });
    const served = Promise.all(takenOver.map((login) => untilToggled(`http://127.0.0.1:${third.port}`, login, token)));
    const back = Promise.all([fleet.allLinked(STORM_LIMIT_MS), served, relinked]);
    const seconds = await loadUntil(back, () => client.ask({ ...load, durationMs: 1_000 }));
    const [backMs, servedMs] = await back;
    say(`all back after ${((backMs - killedMs) / 1_000).toFixed(1)} s`);
    return figuresOfKilled({ stormDevices, killedMs, backMs, servedMs, seconds });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** When the device was commanded there, on CLOCK_MONOTONIC. */
async function untilToggled(url: string, productLogin: string, token: string): Promise<number> {
  for (;;) {
    const { status } = await v1(url).toggle(productLogin, 0, { token });
    if (status === 200) return monotonicNowMs();
  }
}

/** What `load` gives, again and again until `end`. */
async function loadUntil<Result>(end: Promise<unknown>, load: () => Promise<Result>): Promise<Result[]> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  end.then(over, over);
  const results: Result[] = [];
  while (!isOver) results.push(await load());
  return results;
}

interface Killed {
  readonly stormDevices: number;
  readonly killedMs: number;
  /** When all devices were linked. */
  readonly backMs: number;
  /** When each device that linked at once was commanded. */
  readonly servedMs: readonly number[];
  /** Of commands to other devices meanwhile. */
  readonly seconds: readonly CommandLoadResult[];
}

function figuresOfKilled({ stormDevices, killedMs, backMs, servedMs, seconds }: Killed): Figure[] {
  return [
    {
      name: `nodes: ${stormDevices.toLocaleString('en-US')} devices all linked after one of three nodes was killed`,
      value: (backMs - killedMs) / 1_000,
      unit: 's',
    },
    {
      name: `nodes: until each of ${TAKEN_OVER} devices that linked to another node at once was commanded there`,
      value: Math.max(...servedMs) - killedMs,
      unit: 'ms',
    },
    {
      name: 'nodes: p99 of commands to other devices meanwhile, worst second',
      // Where none was confirmed, each has waited for all of it.
      value: Math.max(...seconds.map(({ confirmed, p99Ms, tookMs }) => (confirmed > 0 ? p99Ms : tookMs))),
      unit: 'ms',
    },
    {
      name: 'nodes: commands to other devices meanwhile that were not confirmed',
      value: seconds.flatMap(({ failed }) => Object.values(failed)).reduce((sum, count) => sum + count, 0),
      unit: '',
    },
  ];
}
