/**
 * What nodes say to each other: JSON, sealed (seal.ts). Nodes of the version before and of the next one understand each other: unknown
 * members are ignored, so a message gets optional members only, and none without which it would mean something else. What does, as a new
 * `action`, is another message: who cannot read it says `unreadable`, so that it was certainly not taken. A new `kind` or `code` of answer
 * is in doubt to who does not know it, so it goes to those whose question shows that they do.
 */
import {
  COMMAND_ID_PATTERN,
  CommandGiver,
  MAX_COUNTS_BYTES,
  MAX_COUNTS_PER_KIND,
  MAX_NODE_MESSAGE_BYTES,
  NumOutput,
  OutputState,
  type Parser,
  ProductLogin,
  parserOf,
  type SchemaParser,
  type Static,
  type TSchema,
  Type,
} from '@relaygate/shared';
import { IDEMPOTENCY_KEY_PATTERN } from '../commands/same-key';
import type { LimitKind } from '../limits/shared-limits';

const ROOT = 'relaygate.v1';

const CommandId = Type.String({ pattern: COMMAND_ID_PATTERN });
const Token = Type.String({ pattern: '^[0-9a-f]{32}$' });
const NodeName = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' });
const ClientId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' });
const Count = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const ClockMs = Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** About a node's process itself: its time, or which of its counts are recent. */
const NodeQuestion = Type.Object({ id: Token });
/** `instance` names the process that answers: another one has another clock. */
const TimeAnswer = Type.Object({ instance: Token, nowMs: ClockMs });

const Output = {
  clientId: ClientId,
  productLogin: ProductLogin,
  numOutput: NumOutput,
  by: Type.Optional(CommandGiver),
};
/** Of the client. A node that does not know it must not take the command. */
const OfKey = {
  key: Type.String({ pattern: IDEMPOTENCY_KEY_PATTERN }),
  requestHash: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  insteadOf: Type.Optional(CommandId),
};
const Order = Type.Tagged('action', [
  Type.Object({ ...Output, action: Type.Literal('set'), state: OutputState }),
  Type.Object({ ...Output, action: Type.Literal('toggle') }),
  Type.Object({ ...Output, action: Type.Literal('set-once'), state: OutputState, ...OfKey }),
  Type.Object({ ...Output, action: Type.Literal('toggle-once'), ...OfKey }),
]);
/** `acceptedAtMs` on the clock of the node that it goes to. */
const CommandQuestion = Type.Object({
  caller: NodeName,
  commandId: CommandId,
  attempt: Count,
  epoch: Count,
  acceptedAtMs: ClockMs,
  order: Order,
});
const ErrorAnswerCode = Type.Union([
  Type.Literal('bad-token'),
  Type.Literal('user-not-allowed'),
  Type.Literal('product-not-found'),
  Type.Literal('invalid-params'),
  Type.Literal('request-already-pending'),
  Type.Literal('idempotency-key-reused'),
  Type.Literal('unknown'),
  Type.Literal('device-timeout'),
]);
/** Only where the question has a key. */
const IsReplayed = Type.Optional(Type.Literal(true));
const CommandAnswered = Type.Tagged('kind', [
  Type.Object({ kind: Type.Literal('ok'), commandId: CommandId, isReplayed: IsReplayed }),
  Type.Object({ kind: Type.Literal('already-set'), commandId: CommandId, isReplayed: IsReplayed }),
  Type.Object({
    kind: Type.Literal('error'),
    code: ErrorAnswerCode,
    commandId: Type.Optional(CommandId),
    isReplayed: IsReplayed,
    isUnrecorded: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({ kind: Type.Literal('too-many'), waitMs: Count }),
  Type.Object({ kind: Type.Literal('not-owner') }),
  Type.Object({ kind: Type.Literal('late') }),
  Type.Object({ kind: Type.Literal('busy') }),
  Type.Object({ kind: Type.Literal('other-clock') }),
  Type.Object({ kind: Type.Literal('unreadable') }),
]);

/** A client, a product, both with a space between, or the name of a failure's key. */
const LimitKey = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}( [A-Za-z0-9._-]{1,64})?$' });
const Amount = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const TakenOfKind = Type.Optional(
  Type.Array(Type.Object({ key: LimitKey, amount: Amount }), { maxItems: MAX_COUNTS_PER_KIND }),
);
const OF_ALL_KINDS = {
  clients: TakenOfKind,
  products: TakenOfKind,
  failures: TakenOfKind,
  logins: TakenOfKind,
  associations: TakenOfKind,
  links: TakenOfKind,
  reports: TakenOfKind,
  history: TakenOfKind,
} satisfies Record<LimitKind, typeof TakenOfKind>;
/** What a node's limits have counted since its last such message. `number`: from 1, one more with each. It has no answer. */
const Counts = Type.Object({ number: Count, taken: Type.Object(OF_ALL_KINDS) });
/** The number of the first message of counts that is recent, which may be the next one. */
const RecentAnswer = Type.Object({ from: Count });

export type CommandQuestion = Static<typeof CommandQuestion>;
export type TimeAnswer = Static<typeof TimeAnswer>;
export type Counts = Static<typeof Counts>;
export type RecentAnswer = Static<typeof RecentAnswer>;

/** A reader of bodies. Undefined: no such message. */
export type Reader<T> = (body: Uint8Array) => T | undefined;
export const readNodeQuestion = readerOf(NodeQuestion);
export const readTimeAnswer = readerOf(TimeAnswer);
export const readCommandQuestion = readerOf(CommandQuestion);
export const readCommandAnswer = readerOf(CommandAnswered);
export const readCounts = readerOf(Counts, MAX_COUNTS_BYTES);
export const readRecentAnswer = readerOf(RecentAnswer);

export function bodyOf(message: object): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Where a node tells its time. A name may have dots, which separate tokens. */
export function timeSubject(nodeName: string): string {
  return `${ROOT}.time.${tokenOf(nodeName)}`;
}

/**
 * Where one process of a node takes commands. One that has ended takes none: a later process of this name has another subject,
 * and another clock. Of two processes with one name, only one gets a command.
 */
export function commandSubject(nodeName: string, instance: string): string {
  return `${ROOT}.command.${tokenOf(nodeName)}.${instance}`;
}

/** Where one process tells its counts to all others. `instance`: `*` for all processes. */
export function countsSubject(instance: string): string {
  return `${ROOT}.counts.${instance}`;
}

/** Where one process tells which of its counts are recent. */
export function recentSubject(instance: string): string {
  return `${ROOT}.recent.${instance}`;
}

/** Answers go nowhere else, whatever a question names. `token`: `*` for all of one process. */
export function answerSubject(instance: string, token: string): string {
  return `${ROOT}.answer.${instance}.${token}`;
}

export function isAnswerSubject(subject: string): boolean {
  return /^relaygate\.v1\.answer\.[0-9a-f]{32}\.[0-9a-f]{32}$/.test(subject);
}

function tokenOf(nodeName: string): string {
  return Buffer.from(nodeName).toString('base64url');
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function readerOf<S extends TSchema>(schema: S, maxBytes = MAX_NODE_MESSAGE_BYTES): Reader<Static<S>> {
  const parse: SchemaParser<Static<S>> = parserOf(schema);
  return (body) => (body.length > maxBytes ? undefined : parsedBy(parse, body));
}

function parsedBy<T>(parse: Parser<T>, body: Uint8Array): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch {
    return undefined;
  }
  const parsed = parse(value);
  return parsed.ok ? parsed.value : undefined;
}
