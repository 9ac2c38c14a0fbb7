/** Deliberate faults of small size: of ten milliseconds, or of one frame or one record in a whole run. */
import * as interlock from '@relaygate/device-agent/guard/commands/interlock';
import * as onLimit from '@relaygate/device-agent/guard/on-limit';
import type { Events } from '@relaygate/shared';
import { HISTORY_PATH } from '../machines/card';
import { TMPFS } from '../ports/disk';
import { changed, withStep } from './changed';
import type { Sabotage } from './sabotage';

const SMALL_MS = 10;

/** True the first time that it is asked about something that `fits`, and never again. */
function firstThat<T>(fits: (one: T) => boolean): (one: T) => boolean {
  let isOver = false;
  return (one) => {
    if (isOver || !fits(one)) return false;
    isOver = true;
    return true;
  };
}

const ofType =
  (type: string) =>
  (text: string): boolean =>
    text.startsWith(`{"type":"${type}"`);

/** Each pulse ends a moment late. */
export const endsPulsesLate = (): Sabotage => withWaits(SMALL_MS);

/** Each pulse ends a moment early. */
export const endsPulsesEarly = (): Sabotage => withWaits(-SMALL_MS);

function withWaits(moreMs: number): Sabotage {
  return withStep((step) => (output, event, rules) => {
    const [next, effects] = step(output, event, rules);
    const waits = effects.map((effect) =>
      effect.do === 'wait' ? { ...effect, delayMs: effect.delayMs + moreMs } : effect,
    );
    return [next, waits];
  });
}

/** `maxOnMs` is over a moment later than it is. */
export function countsMaxOnLate(): Sabotage {
  return {
    inside: () =>
      changed(onLimit, 'offAt', (original) => (...given) => {
        const { atMs, why } = original(...given);
        return { atMs: why === 'max-on' ? atMs + SMALL_MS : atMs, why };
      }),
  };
}

/** `minSwitchIntervalMs` is over a moment before it is. */
export function shortensInterval(): Sabotage {
  return withStep(
    (step) => (output, event, rules) =>
      step(output, event.kind === 'command' ? { ...event, sinceEdgeMs: event.sinceEdgeMs + SMALL_MS } : event, rules),
  );
}

/** The wait between two outputs of an interlock is a moment too short. */
export function shortensInterlockDelay(): Sabotage {
  return { inside: () => changed(interlock, 'delayOf', (original) => (group) => original(group) - SMALL_MS) };
}

/** A command may begin a moment after its deadline. */
export function stretchesDeadlinesALittle(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      if (request.type !== 'execute') return line;
      return JSON.stringify({ ...request, startBeforeMs: request.startBeforeMs + SMALL_MS });
    },
  };
}

/** The board says "driven" a moment before it is. */
export function confirmsJustBeforeEdge(): Sabotage {
  return {
    driver: (driver, { clock }, { scheduler }) => ({
      ...driver,
      async drive(order) {
        const later = new Promise<void>((resolve) => void scheduler.in(SMALL_MS, resolve));
        later.then(() => driver.drive(order)).catch(() => {});
        return { kind: 'driven', atMs: clock.localMs(scheduler.nowMs), readBack: order.level };
      },
    }),
  };
}

/** What clients read of outputs was observed a moment before. */
export function datesStatesLater(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        const outputs = state.outputs.map((output) => ({ ...output, observedAt: later(output.observedAt) }));
        return { ...state, outputs };
      },
    }),
  };
}

/** And the device was seen a moment later than it was. */
export function datesSightsLater(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        return { ...state, lastSeenAt: later(state.lastSeenAt) };
      },
    }),
  };
}

function later(time: string | null): string | null {
  return time === null ? null : new Date(Date.parse(time) + SMALL_MS).toISOString();
}

/** One command goes out twice. */
export function sendsOneTwice(): Sabotage {
  const isIt = firstThat(ofType('command'));
  return {
    serverLink: ({ send }) => ({
      sent(text) {
        if (isIt(text)) send(text);
        return text;
      },
    }),
  };
}

/** The server passes over one result. */
export const losesOneResult = (): Sabotage => unread(firstThat(ofType('result')));

/** The server passes over one report that says something new. */
export function losesOneReport(): Sabotage {
  const shown = new Map<string, string>();
  const isNew = (text: string): boolean => {
    if (!ofType('report')(text)) return false;
    const { outputs }: { outputs: { state: unknown }[] } = JSON.parse(text);
    const states = JSON.stringify(outputs.map(({ state }) => state));
    const isKnown = shown.size === 0 || shown.has(states);
    shown.set(states, text);
    return !isKnown;
  };
  return unread(firstThat(isNew));
}

function unread(isLost: (text: string) => boolean): Sabotage {
  return { serverLink: () => ({ received: (text) => (isLost(text) ? null : text) }) };
}

/** One entry of a device's history is missing in what it tells the server. */
export function tellsOneEntryLess(): Sabotage {
  const isIt = firstThat(({ entries }: Events) => entries.length > 0);
  return {
    agentLink: () => ({
      sent(text) {
        if (!ofType('events')(text)) return text;
        const events: Events = JSON.parse(text);
        return isIt(events) ? JSON.stringify({ ...events, entries: events.entries.slice(1) }) : text;
      },
    }),
  };
}

/** One command is written into the audit behind its sending. */
export function auditsOneAfterSending(): Sabotage {
  const isIt = firstThat(() => true);
  return {
    storage: (storage) => ({
      ...storage,
      async recordCommand(command) {
        const written = storage.recordCommand(command);
        if (!isIt(command)) return written;
        written.catch(() => {});
        return true;
      },
    }),
  };
}

/** One outcome never comes into the audit. */
export function forgetsOneOutcome(): Sabotage {
  const isIt = firstThat(() => true);
  return {
    storage: (storage) => ({
      ...storage,
      recordOutcome: async (outcome) => (isIt(outcome) ? true : storage.recordOutcome(outcome)),
    }),
  };
}

/** One association is confirmed and not written. */
export function forgetsOneAssociation(): Sabotage {
  const isIt = firstThat(() => true);
  return {
    storage: (storage) => ({
      ...storage,
      associate: async (...given) => (isIt(given) ? true : storage.associate(...given)),
    }),
  };
}

/** One line of a guard's journal is lost. */
export function losesOneLineOfJournal(): Sabotage {
  const isIt = firstThat((line: string) => line.startsWith('{"started"'));
  return {
    guardFiles: (files) => ({
      ...files,
      async append(path, text, options) {
        const lines = text.split('\n');
        const kept = path.startsWith(TMPFS) ? lines.filter((line) => !isIt(line)) : lines;
        await files.append(path, kept.join('\n'), options);
      },
    }),
  };
}

/** One entry of a device's history names somebody else. */
export function blamesOneOther(): Sabotage {
  const isIt = firstThat((line: string) => line.includes('"actor":"technician '));
  return {
    agentFiles: (files) => ({
      ...files,
      async append(path, text, options) {
        const lines = text.split('\n');
        const entered = lines.map((line) => (path === HISTORY_PATH && isIt(line) ? withOtherActor(line) : line));
        await files.append(path, entered.join('\n'), options);
      },
    }),
  };
}

function withOtherActor(line: string): string {
  return line.replace(/"actor":"technician \d+"/, '"actor":"technician 99999"');
}
