/** `relayctl log`: what has happened on this device in this boot. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { EventTime, LoggedEvent, LogReply } from '../agent/technician/local-messages/log';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { CommandDeps } from './command-deps';
import { wholeNumber } from './numbers';

/** What the agent keeps, and shows at once at most. */
const MAX_EVENTS = 500;
const DEFAULT_COUNT = 50;
/** How long the agent may wait for something new. */
const WAIT_MS = 10_000;
/** How often an agent that is away is tried again. */
const AGAIN_MS = 500;

interface LogOptions {
  n: number;
  follow?: boolean;
}

export function addCommands(program: Command, { command, ask, print, pause, t }: CommandDeps): void {
  const { language } = t;
  command(program, 'log', 'what has happened: commands and who gave them, link, guard, faults, settings, locks')
    .option('-n <count>', `so many of the newest events, 1 to ${MAX_EVENTS}`, wholeNumber, DEFAULT_COUNT)
    .option('-f, --follow', 'goes on with what happens next, also after a restart of the agent; one line an event')
    .action(async (options: LogOptions) => {
      if (options.n < 1 || options.n > MAX_EVENTS) throw new RelaygateError('out-of-range', t.countRange(MAX_EVENTS));
      let reply = await ask(options, 'log', { limit: options.n, waitMs: 0, language });
      const { begins } = reply;
      if (!options.follow) return print(reply.events, (events) => showEvents(events, begins, t));
      for (;;) {
        for (const event of reply.events) print(event, showEvent);
        reply = await next(options, reply);
      }
    });

  let seq = 0;
  /** Asks until something is there, also while the agent is away. */
  async function next(options: LogOptions, { logId, events }: LogReply): Promise<LogReply> {
    seq = events.at(-1)?.seq ?? seq;
    for (;;) {
      try {
        return await ask(options, 'log', { after: { logId, seq }, limit: MAX_EVENTS, waitMs: WAIT_MS, language });
      } catch (error) {
        if (!(error instanceof RelaygateError) || error.code !== 'agent-unreachable') throw error;
        await pause(AGAIN_MS);
      }
    }
  }
}

/** If the oldest event is among them, says that nothing from before is. */
function showEvents(events: readonly LoggedEvent[], begins: LogReply['begins'], t: RelayctlTranslations): string {
  const isWhole = events[0] === undefined || events[0].seq === begins.seq;
  const head = isWhole ? [`${whenOf(begins, t)}  ${t.logBegins}`] : [];
  return [...head, ...events.map((event) => showEvent(event, t))].join('\n');
}

/** `2026-03-01 12:00:05  command   set 0 on by ...`, in UTC; a device whose clock was not set counts since its boot. */
function showEvent(event: LoggedEvent, t: RelayctlTranslations): string {
  return `${whenOf(event, t)}  ${t.eventKind(event.kind).padEnd(8)}  ${event.text}`;
}

function whenOf({ at, sinceBootMs }: EventTime, t: RelayctlTranslations): string {
  const sinceBoot = t.sinceBoot((sinceBootMs / 1_000).toFixed(1));
  return (at === null ? sinceBoot : `${at.slice(0, 10)} ${at.slice(11, 19)}`).padEnd(19);
}
