/** Text frames of the device link, read as messages. */
import { Events, EventsKept } from './history';
import {
  Challenge,
  Command,
  CommandResult,
  type DeviceMessage,
  Hello,
  Proof,
  Report,
  Resume,
  type ServerMessage,
  TimeReply,
  TimeRequest,
  Welcome,
} from './link-messages';
import { parserOf, type SchemaParser } from './schema';
import { wellFormedJson } from './well-formed-json';

/** `ignored`: a message of a type that this side does not know. `broken`: no message of the protocol. */
export type Frame<T> = { kind: 'message'; message: T } | { kind: 'ignored' } | { kind: 'broken'; problem: string };

/** For the server. */
export const readDeviceFrame = frameReader<DeviceMessage>({
  hello: parserOf(Hello),
  proof: parserOf(Proof),
  time: parserOf(TimeRequest),
  report: parserOf(Report),
  resume: parserOf(Resume),
  result: parserOf(CommandResult),
  events: parserOf(Events),
});
/** For devices. */
export const readServerFrame = frameReader<ServerMessage>({
  challenge: parserOf(Challenge),
  welcome: parserOf(Welcome),
  time: parserOf(TimeReply),
  command: parserOf(Command),
  'events-kept': parserOf(EventsKept),
});

function frameReader<T>(parsers: Readonly<Record<string, SchemaParser<T>>>): (text: string) => Frame<T> {
  let isPrepared = false;
  return (text) => {
    // All validators are loaded with the first frame, so that no command waits for a disk.
    if (!isPrepared) for (const parser of Object.values(parsers)) parser.prepare();
    isPrepared = true;
    return readFrame(text, parsers);
  };
}

function readFrame<T>(text: string, parsers: Readonly<Record<string, SchemaParser<T>>>): Frame<T> {
  let value: unknown;
  try {
    value = wellFormedJson(text);
  } catch {
    return { kind: 'broken', problem: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { kind: 'broken', problem: 'no type' };
  }
  const parse = Object.hasOwn(parsers, value.type) ? parsers[value.type] : undefined;
  if (!parse) return { kind: 'ignored' };
  const parsed = parse(value);
  return parsed.ok
    ? { kind: 'message', message: parsed.value }
    : { kind: 'broken', problem: `${value.type}: ${parsed.problem}` };
}
