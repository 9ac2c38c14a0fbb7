/** What a confirmed command costs this server, beside what an echo without any of its duties costs. */
import { median } from './distribution';
import type { Figure } from './figures';
import type { CommandLoad, CommandLoadResult } from './load/commands';
import type { DevicesWanted } from './load/devices';
import { LoadProcess } from './load/load-process';
import { MeasuredServer } from './servers/measured-server';
import { startRelaygate } from './servers/relaygate';

const DEVICES = 500;
const CONNECTIONS = 32;
const WARM_UP_ROUND_MS = 1_000;
/** Everything on, against the bare Express echo of the same run. */
const MAX_TIMES_EXPRESS = 1.25;

/**
 * Warm after so many commands, not after some time: until then V8 compiles, on other threads too, and it compiles more of this
 * server than of the echoes. On a busy machine, fewer commands come in the same time.
 */
const PLAN = { rounds: 7, roundMs: 3_000, warmUpCommands: 20_000 };
const QUICK_PLAN = { rounds: 3, roundMs: 1_000, warmUpCommands: 5_000 };

interface Target {
  name: string;
  server: MeasuredServer;
  devices: LoadProcess<DevicesWanted, number>;
  load: Omit<CommandLoad, 'durationMs'>;
  rounds: Round[];
}

interface Round {
  confirmed: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuUs: number;
}

export async function measureCommands(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  const { rounds, roundMs, warmUpCommands } = quick ? QUICK_PLAN : PLAN;
  const client = new LoadProcess<CommandLoad, CommandLoadResult>('commands');
  const targets: Target[] = [];
  try {
    targets.push(await relaygate());
    targets.push(await echo('bare Express echo', 'express-echo'));
    targets.push(await echo('bare node:http echo', 'http-echo'));
    for (const target of targets) await warmUp(target, client, warmUpCommands);
    // Taken in turns, so that whatever else the machine does meets all of them.
    for (let n = 0; n < rounds; n += 1) {
      for (const target of targets) target.rounds.push(await runRound(target, client, roundMs));
      say(`round ${n + 1} of ${rounds}: ${targets.map(lastRound).join(', ')}`);
    }
  } finally {
    await client.stop();
    for (const { devices, server } of targets) {
      await devices.stop();
      await server.stop();
    }
  }
  return figuresOf(targets);
}

async function relaygate(): Promise<Target> {
  const { server, productLogins, key, token } = await startRelaygate(DEVICES);
  const devices = new LoadProcess<DevicesWanted, number>('devices');
  await devices.ask({ port: server.port, productLogins, key });
  const load = { port: server.port, productLogins, token, connections: CONNECTIONS };
  return { name: 'this server', server, devices, load, rounds: [] };
}

async function echo(name: string, file: string): Promise<Target> {
  const server = await MeasuredServer.start(name, `test/dist/bench/servers/${file}.js`);
  const productLogins = Array.from({ length: DEVICES }, (_, n) => `bench-${n}`);
  const devices = new LoadProcess<DevicesWanted, number>('devices');
  await devices.ask({ port: server.port, productLogins });
  const load = { port: server.port, productLogins, connections: CONNECTIONS };
  return { name, server, devices, load, rounds: [] };
}

async function warmUp(
  target: Target,
  client: LoadProcess<CommandLoad, CommandLoadResult>,
  commands: number,
): Promise<void> {
  for (let left = commands; left > 0; ) left -= (await runRound(target, client, WARM_UP_ROUND_MS)).confirmed;
}

async function runRound(
  { name, server, load }: Target,
  client: LoadProcess<CommandLoad, CommandLoadResult>,
  durationMs: number,
): Promise<Round> {
  const beforeUs = server.cpuUs();
  const { confirmed, failed, tookMs, p50Ms, p99Ms } = await client.ask({ ...load, durationMs });
  const cpuUs = (server.cpuUs() - beforeUs) / confirmed;
  if (Object.keys(failed).length > 0) throw new Error(`${name} answered ${JSON.stringify(failed)} (status: how often)`);
  return { confirmed, perSecond: confirmed / (tookMs / 1000), p50Ms, p99Ms, cpuUs };
}

function lastRound({ name, rounds }: Target): string {
  return `${name} ${rounds.at(-1)?.cpuUs.toFixed(0)} us`;
}

function figuresOf([ours, ...echoes]: Target[]): Figure[] {
  if (!ours) return [];
  const of = (target: Target, member: keyof Round): number => median(target.rounds.map((round) => round[member]));
  const rows = [ours, ...echoes].flatMap((target): Figure[] => [
    { name: `commands, ${target.name}: confirmed`, value: of(target, 'perSecond'), unit: '/s' },
    { name: `commands, ${target.name}: p50`, value: of(target, 'p50Ms'), unit: 'ms' },
    { name: `commands, ${target.name}: p99`, value: of(target, 'p99Ms'), unit: 'ms' },
    { name: `commands, ${target.name}: server CPU each`, value: of(target, 'cpuUs'), unit: 'us' },
  ]);
  // Round by round: the two stand side by side in time.
  const ratios = echoes.map((target): Figure => {
    const value = median(ours.rounds.map((round, n) => round.cpuUs / (target.rounds[n]?.cpuUs ?? Number.NaN)));
    const row = { name: `commands: CPU of this server to ${target.name}`, value, unit: 'x' };
    return target.name.includes('Express') ? { ...row, atMost: MAX_TIMES_EXPRESS } : row;
  });
  return [...rows, ...ratios];
}
