import type { ServeLines } from '@relaygate/device-agent/local/line-connection';
import { RequestClient } from '@relaygate/device-agent/local/request-client';
import { RelaygateError } from '@relaygate/shared';
import { Connection, type Way } from './connection';
import type { ChangedSettings, Wish } from './history';
import { Incarnation } from './incarnation';
import type { MachineClock } from './machine-clock';
import type { Surroundings } from './surroundings';

const GIVE_UP_MS = 6_000;

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

/** One `relayctl output ...`: a process of its own, which asks the agent and ends. */
export function changeSettings(
  world: Surroundings,
  { name, clock, localWay, socket }: Bench,
  asked: { numOutput: number; change: ChangedSettings; force: boolean },
): void {
  const { scheduler, history } = world;
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
  const wish: Wish = { machine: name, ...asked, askedMs: scheduler.nowMs, answeredMs: null, answer: null };
  history.wishes.push(wish);
  world.trace(() => `relayctl ${name} asks ${JSON.stringify(asked)}`);
  const end = (answer: string | null): void => {
    wish.answer = answer;
    wish.answeredMs = answer === null ? null : scheduler.nowMs;
    world.trace(() => `relayctl ${name} hears ${answer ?? 'nothing'}`);
    relayctl.kill();
  };
  client.request('output', { ...asked, actor: 'technician' }, GIVE_UP_MS).then(
    () => end('ok'),
    (error) => end(error instanceof RelaygateError ? error.code : null),
  );
}
