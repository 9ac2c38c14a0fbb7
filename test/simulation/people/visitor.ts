/** Somebody at the technician's page of a device: logs in, or does not, and sets an output. */
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { WebInMemory } from '../../support/device/web-in-memory';
import type { Device } from '../machines/device';
import type { Surroundings } from '../machines/surroundings';
import type { Page } from '../ports/page';
import type { AskedOnSite, PageVisit } from '../witnesses/on-site-records';
import type { Visit } from './local-request';
import { pinOf } from './pin-of';

type Answer = Awaited<ReturnType<WebInMemory['request']>>;

const WAY_MS = 5;
/** Two that are asked for at the same moment. */
const APART_MS = 0.001;

export async function visitPage(world: Surroundings, device: Device, visit: Visit): Promise<void> {
  const { scheduler, history } = world;
  const { page } = device;
  const { name: machine } = device.setup;
  const pin = pinOf(history, machine, visit.pin);
  if (!page?.life.isAlive || !page.web.listening || pin === null) return;
  const { host, pauseMs, numOutput, state } = visit;
  const visitor = `visitor ${history.visits.length + 1}`;
  const unanswered = { machine, answeredMs: null, answer: null };
  const login = { ...unanswered, askedMs: scheduler.nowMs, lifeFromMs: page.fromMs, host, pin, acted: null };
  const noted: PageVisit = login;
  history.visits.push(noted);
  const ask = (path: string, headers: Record<string, string>, body: object): Promise<Answer> =>
    carried(world, page, () => page.web.request('POST', path, { host, headers, body }));
  const end = (asked: AskedOnSite | PageVisit, { status, body }: Answer): void => {
    const answer = status === 200 ? 'ok' : String(JSON.parse(body).error.code);
    Object.assign(asked, { answer, answeredMs: scheduler.nowMs });
    world.trace(() => `${visitor} at ${machine} hears ${answer}`);
  };
  world.trace(() => `${visitor} at ${machine} logs in from ${host} with the ${visit.pin} PIN`);
  const session = await ask('/api/session', {}, { pin, name: visitor });
  end(noted, session);
  await new Promise<void>((resolve) => void scheduler.in(pauseMs, resolve));
  const headers = { cookie: cookieOf(session), 'x-csrf-token': JSON.parse(session.body).csrfToken ?? 'none' };
  const acted: AskedOnSite = { ...unanswered, askedMs: scheduler.nowMs };
  noted.acted = acted;
  const notAfterMs = device.clock.localMs(scheduler.nowMs) + EXECUTION_DEADLINE_MS - history.deeds.length * APART_MS;
  const request = { type: 'set', numOutput, state } as const;
  const deed = { ...acted, actor: `page as ${visitor}`, notAfterMs, request };
  if (noted.answer === 'ok') history.deeds.push(deed);
  const done = await ask('/api/actions/set', headers, { numOutput, state, notAfterMs });
  end(acted, done);
  Object.assign(deed, { answer: acted.answer, answeredMs: acted.answeredMs });
}

function cookieOf({ headers }: Answer): string {
  // Whoever was not let in makes one up.
  const [cookie = '__Host-relaygate=none'] = [headers['Set-Cookie'] ?? []].flat();
  return cookie.split(';', 1)[0] ?? '';
}

/** There and back; what an agent that is dead has in hand is never answered, nor is a port that is shut. */
function carried({ scheduler }: Surroundings, { life }: Page, request: () => Promise<Answer>): Promise<Answer> {
  return new Promise((resolve) => {
    const ask = (): void =>
      void request().then(
        (answer) => void scheduler.in(WAY_MS, () => resolve(answer)),
        () => {},
      );
    scheduler.in(WAY_MS, () => life.deliver(ask));
  });
}
