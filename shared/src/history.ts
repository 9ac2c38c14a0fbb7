/** A device's history of technician actions, and the link messages that report it: `events` and `events-kept`. */
import { described, type Static, Type } from './json-schema';
import { LOCK_MAX_MS, MAX_EVENT_CHANGES, MAX_EVENT_VALUE_CHARS, MAX_EVENTS_PER_FRAME } from './limits';
import { NumOutput } from './outputs';

const HistoryId = Type.String({ pattern: '^[A-Za-z0-9_-]{16}$' });
/** JSON allows larger numbers, but the database does not. */
const HistorySeq = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Word = Type.String({ pattern: '^[a-z0-9-]{1,64}$' });
/** The latest time that a JavaScript date can hold. */
const LAST_EPOCH_MS = 8.64e15;

export const HistoryValue = Type.Union([
  Type.String({ maxLength: MAX_EVENT_VALUE_CHARS }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);
export type HistoryValue = Static<typeof HistoryValue>;

export const HistoryChange = Type.Object({
  member: Type.String({
    pattern: '^[A-Za-z0-9.]{1,64}$',
    description: 'Its path in the settings, such as `outputs.2.pulseMs`.',
  }),
  from: described(HistoryValue, 'Before; null: none.'),
  to: described(HistoryValue, 'After; null: none.'),
});
export type HistoryChange = Static<typeof HistoryChange>;

export const HistoryEntry = Type.Object({
  seq: described(HistorySeq, 'Counts the entries of this history up; numbers may be missing.'),
  actor: Type.String({
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,100}$',
    description: 'Who did it, as they say themselves; nobody has verified it.',
  }),
  kind: described(Word, 'What was done, one kebab-case word; new ones may come.'),
  numOutput: Type.Optional(described(NumOutput, 'The output that it was done to.')),
  changes: Type.Array(HistoryChange, {
    maxItems: MAX_EVENT_CHANGES,
    description: 'What was changed, in settings and the like.',
  }),
  forMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LOCK_MAX_MS,
      description: "Of a lock or of the technician's page: how long it is to hold, from then on.",
    }),
  ),
  outcome: Type.Optional(described(Word, 'Of a command: what became of it.')),
  reason: Type.Optional(described(Word, 'Why it was refused, is unproven or was not done.')),
  pressSeq: Type.Optional(
    described(HistorySeq, 'Of a press, and of how many are missing: counts the presses of its boot up; the last one.'),
  ),
  about: Type.Optional(described(HistorySeq, 'The first entry whose outcome this one reports.')),
  aboutLast: Type.Optional(described(HistorySeq, 'The last of them; always with `about`.')),
  atMs: Type.Union([Type.Number({ minimum: 0, maximum: LAST_EPOCH_MS }), Type.Null()], {
    description: "The device's wall clock, in milliseconds since 1970; null where nobody had set it.",
  }),
  bootId: Type.String({ minLength: 1, maxLength: 64, description: 'The boot in which it happened.' }),
  bootMs: Type.Number({ minimum: 0, description: "The device's monotonic clock in that boot." }),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

export const Events = Type.Object(
  {
    type: Type.Literal('events'),
    historyId: described(HistoryId, "Random, made with the history: another one's numbers mean nothing to this one."),
    entries: Type.Array(HistoryEntry, {
      maxItems: MAX_EVENTS_PER_FRAME,
      description: 'In the order of their `seq`. None: the device asks how far the server is.',
    }),
  },
  {
    description:
      'What people did at the device. The first one of a link has no entries; the next one follows the answer to the one before.',
  },
);
export type Events = Static<typeof Events>;

export const EventsKept = Type.Object(
  {
    type: Type.Literal('events-kept'),
    historyId: described(HistoryId, 'That of the question.'),
    upTo: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The highest `seq` that the server keeps durably of that history; 0: none.',
    }),
  },
  { description: 'The answer to each `events`, as soon as its entries are durable.' },
);
export type EventsKept = Static<typeof EventsKept>;
