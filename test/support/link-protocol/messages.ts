import {
  Challenge,
  Command,
  CommandResult,
  Events,
  EventsKept,
  Hello,
  Proof,
  Report,
  Resume,
  TimeReply,
  TimeRequest,
  type TSchema,
  Welcome,
} from '@relaygate/shared';

/** A message of the device link; `name` is its file in shared/schemas. */
export interface LinkMessage {
  name: string;
  from: 'device' | 'server';
  schema: TSchema;
}

/** In the order in which a link sees them. */
export const LINK_MESSAGES: readonly LinkMessage[] = [
  { name: 'hello', from: 'device', schema: Hello },
  { name: 'challenge', from: 'server', schema: Challenge },
  { name: 'proof', from: 'device', schema: Proof },
  { name: 'welcome', from: 'server', schema: Welcome },
  { name: 'time-request', from: 'device', schema: TimeRequest },
  { name: 'time-reply', from: 'server', schema: TimeReply },
  { name: 'report', from: 'device', schema: Report },
  { name: 'resume', from: 'device', schema: Resume },
  { name: 'command', from: 'server', schema: Command },
  { name: 'result', from: 'device', schema: CommandResult },
  { name: 'events', from: 'device', schema: Events },
  { name: 'events-kept', from: 'server', schema: EventsKept },
];
