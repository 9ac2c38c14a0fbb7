import type { ServeLines } from '@relaygate/device-agent/local/line-connection';
import { RequestClient } from '@relaygate/device-agent/local/request-client';
import { RelaygateError } from '@relaygate/shared';
import { Connection, type Way } from './connection';
import type { AskedLock, Wish } from './history';
import { Incarnation } from './incarnation';
import type { MachineClock } from './machine-clock';
import type { LocalRequest } from './plan';
import type { Surroundings } from './surroundings';

const GIVE_UP_MS = 6_000;

type OutputRequest = Extract<LocalRequest, { type: 'output' }>;

/** A unix socket of a program. */
export interface LocalSocket {
  readonly life: Incarnation;
  readonly serve: ServeLines;
}

/** The machine that a technician sits at. */
interface Bench {
  readonly name: string;
  readonly clock: MachineClock;
  readonly localWay: Way;
  /** Of the agent; null: nobody listens. */
  readonly socket: LocalSocket | null;
}

/** One `relayctl`: a process of its own, which asks the agent and ends. */
export function askOnSite(world: Surroundings, { name, clock, localWay, socket }: Bench, request: LocalRequest): void {
  const { type, ...asked } = request;
  const { scheduler } = world;
  if (!socket?.life.isAlive) return;
  const relayctl = new Incarnation(`relayctl ${name}`, {
    scheduler,
    machineClock: clock,
    uncaught: (error) => world.uncaught('relayctl', error),
  });
  const { dialler, server } = new Connection(scheduler, { dialler: relayctl, server: socket.life }, localWay);
  const serving = socket.serve({ send: (line) => server.send(line), close: () => server.close(null) });
  server.listen({ text: (line) => serving.line(line), closed: () => serving.closed(null) });
  const client = new RequestClient({ send: (line) => dialler.send(line), close: () => dialler.close(null) }, relayctl);
  dialler.listen({ text: (line) => client.takeLine(line), closed: () => client.end('the agent has gone') });
  const wish = 'change' in asked ? noteWish(world, name, asked) : noteLock(world, name, request);
  world.trace(() => `relayctl ${name} asks ${type} ${JSON.stringify(asked)}`);
  const end = (answer: string | null): void => {
    if (wish && answer !== null) Object.assign(wish, { answer, answeredMs: scheduler.nowMs });
    world.trace(() => `relayctl ${name} hears ${answer ?? 'nothing'}`);
    relayctl.kill();
  };
  client.request(type, { ...asked, actor: 'technician' }, GIVE_UP_MS).then(
    () => end('ok'),
    (error) => end(error instanceof RelaygateError ? error.code : null),
  );
}

function noteWish({ history, scheduler }: Surroundings, machine: string, asked: Omit<OutputRequest, 'type'>): Wish {
  const wish: Wish = { machine, ...asked, askedMs: scheduler.nowMs, answeredMs: null, answer: null };
  history.wishes.push(wish);
  return wish;
}

/** null: it is about something else. */
function noteLock({ history, scheduler }: Surroundings, machine: string, request: LocalRequest): AskedLock | null {
  if (request.type !== 'lock' && request.type !== 'unlock') return null;
  const { numOutput } = request;
  const forMs = request.type === 'lock' ? request.forMs : null;
  const lock: AskedLock = { machine, numOutput, forMs, askedMs: scheduler.nowMs, answeredMs: null, answer: null };
  history.locks.push(lock);
  return lock;
}
