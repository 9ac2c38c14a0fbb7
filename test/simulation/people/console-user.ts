/** Somebody at the serial console of a device: gives a PIN, and where that opens it moves an output. */
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import type { Device } from '../machines/device';
import type { Surroundings } from '../machines/surroundings';
import type { ConsoleLine } from '../ports/console-line';
import type { AskedOnSite, Deed, PageVisit } from '../witnesses/on-site-records';
import { CONSOLE, type Visit } from './local-request';
import { pinOf } from './pin-of';

/** What is typed at an agent that was held up is read for so long. */
const HELD_UP_MS = 2_100;
const LOGIN = /PIN: $/;
const MENU = /Choice: $/;
const ANSWER = /Wrong PIN|Too many wrong|no PIN yet|Choice: $/;
const QUESTION = /1: on, 0: off: $|\(y\/n\) $|Choice: $/;
const MOVE = '2';
const QUIT = '13';

export async function visitConsole(world: Surroundings, device: Device, visit: Visit): Promise<void> {
  const { scheduler, history } = world;
  const { consoleLine: line, setup } = device;
  const { name: machine } = setup;
  const pin = pinOf(history, machine, visit.pin);
  if (line.agent === null || line.isTaken || pin === null) return;
  line.isTaken = true;
  try {
    const isAsked = await isAtLogin(line);
    // Another agent, perhaps: the port is opened by each.
    const { agent } = line;
    if (!isAsked || agent === null) return;
    const noted: PageVisit = {
      ...{ machine, host: CONSOLE, pin, acted: null, lifeFromMs: agent.fromMs },
      ...{ askedMs: scheduler.nowMs, answeredMs: null, answer: null },
    };
    history.visits.push(noted);
    world.trace(() => `somebody at the console of ${machine} types the ${visit.pin} PIN`);
    const shown = await line.type(pin, ANSWER);
    if (shown === null) return;
    Object.assign(noted, { answer: answerIn(shown), answeredMs: scheduler.nowMs });
    world.trace(() => `somebody at the console of ${machine} reads ${noted.answer}`);
    if (noted.answer !== 'ok') return;
    await new Promise<void>((resolve) => void scheduler.in(visit.pauseMs, resolve));
    // All at the console have one name: what two of them did the checker could not tell apart.
    if (!history.deeds.some((deed) => deed.machine === machine && deed.actor === CONSOLE))
      noted.acted = await move(world, device, visit);
    await line.type(QUIT, LOGIN);
  } finally {
    line.isTaken = false;
  }
}

/** Whoever was here before may have gone without a word. */
async function isAtLogin(line: ConsoleLine): Promise<boolean> {
  const shown = await line.type('', /PIN: $|Choice: $/);
  if (shown === null) return false;
  return LOGIN.test(shown) || (await line.type(QUIT, LOGIN)) !== null;
}

function answerIn(shown: string): string {
  if (MENU.test(shown)) return 'ok';
  if (shown.includes('Wrong PIN')) return 'wrong-pin';
  return shown.includes('Too many') ? 'too-many-requests' : 'no-pin';
}

/** null: it did not come to that. */
async function move(
  world: Surroundings,
  { consoleLine: line, setup: { name: machine }, clock }: Device,
  { numOutput, state }: Visit,
): Promise<AskedOnSite | null> {
  const { scheduler, history } = world;
  if ((await line.type(MOVE, /output: $/)) === null) return null;
  const asked = await line.type(String(numOutput), QUESTION);
  if (asked === null || MENU.test(asked)) return null;
  const isSwitch = asked.includes('1: on');
  if (isSwitch && (await line.type(String(state), /\(y\/n\) $/)) === null) return null;
  const notAfterMs = clock.localMs(scheduler.nowMs) + EXECUTION_DEADLINE_MS + HELD_UP_MS;
  const deed: Deed = {
    ...{ machine, actor: CONSOLE, askedMs: scheduler.nowMs, answeredMs: null, answer: null, notAfterMs },
    request: isSwitch ? { type: 'set', numOutput, state } : { type: 'pulse', numOutput },
  };
  history.deeds.push(deed);
  const shown = await line.type('y', MENU);
  if (shown === null) return deed;
  const isDone = /Done\.|It was so already/.test(shown);
  Object.assign(deed, { answer: isDone ? 'ok' : 'refused', answeredMs: scheduler.nowMs });
  world.trace(() => `somebody at the console of ${machine} moves output ${numOutput}: ${deed.answer}`);
  return deed;
}
