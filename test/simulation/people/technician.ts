import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RequestClient } from '@relaygate/device-agent/ipc/request-client';
import { EXECUTION_DEADLINE_MS, RelaygateError } from '@relaygate/shared';
import { Incarnation } from '../machines/incarnation';
import type { MachineClock } from '../machines/machine-clock';
import type { Surroundings } from '../machines/surroundings';
import { Connection, type Way } from '../ports/connection';
import type { AskedLock, AskedOnSite, Deed, MadePin, Wish } from '../witnesses/on-site-records';
import type { LocalRequest } from './local-request';

const GIVE_UP_MS = 6_000;
/** Three clicks wait for their turn, for whoever is held up, and for the end of each; a reset for a disk. */
const LONG_GIVE_UP_MS = 15_000;
/** Two that are asked for at the same moment. */
const APART_MS = 0.001;

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

/** One `relayctl`: a process of its own, which asks the agent and ends. Resolves with what it hears; null: nothing. */
export function askOnSite(
  world: Surroundings,
  { name, clock, localWay, socket }: Bench,
  request: LocalRequest,
): Promise<string | null> {
  const { scheduler } = world;
  if (!socket?.life.isAlive) return Promise.resolve(null);
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
  const actor = `technician ${world.history.deeds.length + 1}`;
  // No two alike: the checker tells commands by their deadlines.
  const notAfterMs = relayctl.nowMs() + withinMs(request) - world.history.deeds.length * APART_MS;
  const notes = note(world, name, { actor, notAfterMs }, request);
  world.trace(() => `relayctl ${name} asks as ${actor} ${JSON.stringify(request)}`);
  const end = (answer: string | null): string | null => {
    if (answer !== null) for (const asked of notes) Object.assign(asked, { answer, answeredMs: scheduler.nowMs });
    world.trace(() => `relayctl ${name} hears ${answer ?? 'nothing'}`);
    relayctl.kill();
    return answer;
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void relayctl.after(ms, resolve));
  const by = { actor, notAfterMs, pause };
  const answering = request.type === 'new-pin' ? newPin(world, name, client, by) : asked(client, request, by);
  return answering.then(
    (answer) => end(answer),
    (error) => end(error instanceof RelaygateError ? error.code : null),
  );
}

/** With each change. */
interface Said {
  actor: string;
  notAfterMs: number;
}

interface Bystander extends Said {
  pause(ms: number): Promise<void>;
}

function withinMs(request: LocalRequest): number {
  return (request.type === 'set' ? request.withinMs : undefined) ?? EXECUTION_DEADLINE_MS;
}

/** Resolves with `unsaved` for a lock that is in force and not saved: it ends with the agent. */
async function asked(
  client: RequestClient,
  request: LocalRequest,
  { pause, ...by }: Bystander,
): Promise<'ok' | 'unsaved'> {
  const { type, ...body } = request;
  if (type === 'stop') {
    await stop(client, request, pause, by);
    return 'ok';
  }
  if (request.type !== 'prove') {
    const giveUpMs = type === 'click' || type === 'factory-reset' ? LONG_GIVE_UP_MS : GIVE_UP_MS;
    const reply = await client.request(type, { ...body, ...by }, giveUpMs);
    return typeof reply === 'object' && reply !== null && 'unsaved' in reply ? 'unsaved' : 'ok';
  }
  const view = await client.request('proof', {}, GIVE_UP_MS);
  if (!isProofView(view)) throw new Error('the agent tells no wiring');
  const { wiring } = view;
  const { answers } = request;
  await client.request('prove', { by: by.actor, wiring, answers, ...by }, GIVE_UP_MS);
  return 'ok';
}

async function newPin(
  { history, scheduler }: Surroundings,
  machine: string,
  client: RequestClient,
  { actor, notAfterMs }: Said,
): Promise<'ok'> {
  const made: MadePin = { machine, askedMs: scheduler.nowMs, madeMs: null, pin: null };
  history.pins.push(made);
  const reply = await client.request('new-pin', { actor, notAfterMs }, GIVE_UP_MS);
  if (typeof reply !== 'object' || reply === null || !('pin' in reply)) throw new Error('the agent tells no PIN');
  Object.assign(made, { madeMs: scheduler.nowMs, pin: String(reply.pin) });
  return 'ok';
}

/** Whoever hesitates, or whose request is held up, means the pulse of then. */
async function stop(
  client: RequestClient,
  { numOutput, afterMs }: Extract<LocalRequest, { type: 'stop' }>,
  pause: Bystander['pause'],
  by: Said,
): Promise<void> {
  const status = await client.request('status', {}, GIVE_UP_MS);
  if (!isStatus(status)) throw new Error('the agent tells no outputs');
  const pulseSinceMs = status.outputs[numOutput]?.pulseSinceMs ?? null;
  await pause(afterMs);
  await client.request('stop', { numOutput, pulseSinceMs, ...by }, GIVE_UP_MS);
}

function isStatus(value: unknown): value is { outputs: { pulseSinceMs?: number }[] } {
  return typeof value === 'object' && value !== null && 'outputs' in value && Array.isArray(value.outputs);
}

function isProofView(value: unknown): value is { wiring: object } {
  return typeof value === 'object' && value !== null && 'wiring' in value && typeof value.wiring === 'object';
}

/** Writes it down wherever the checker looks for it. */
function note({ history, scheduler }: Surroundings, machine: string, said: Said, request: LocalRequest): AskedOnSite[] {
  const at = { machine, askedMs: scheduler.nowMs, answeredMs: null, answer: null };
  const deed: Deed = { ...at, ...said, request };
  history.deeds.push(deed);
  switch (request.type) {
    case 'output': {
      const { type: _type, ...wished } = request;
      const wish: Wish = { ...at, ...wished };
      history.wishes.push(wish);
      return [deed, wish];
    }
    case 'factory-reset': {
      const reset: AskedOnSite = { ...at };
      history.resets.push(reset);
      return [deed, reset];
    }
    case 'lock':
    case 'unlock': {
      const forMs = request.type === 'lock' ? request.forMs : null;
      const lock: AskedLock = { ...at, numOutput: request.numOutput, forMs };
      history.locks.push(lock);
      return [deed, lock];
    }
    default:
      return [deed];
  }
}
