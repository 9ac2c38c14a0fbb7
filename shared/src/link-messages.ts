/**
 * The device link: JSON text frames over the WebSocket `/device/v1/link`, subprotocol `relaygate.link.v1`.
 * Unknown types and members are ignored by both sides. Times are milliseconds with fractions.
 *
 *   device                       server
 *   hello            ->
 *                    <-          challenge
 *   proof            ->
 *                    <-          welcome          (the epoch is durable by now)
 *   time             ->  <-      time             (three times, then at least every 10 s: the heartbeat)
 *   report           ->                           (outputs and inputs; again whenever something changes)
 *   resume           ->                           (outcomes of the commands that welcome asked for; the link is up)
 *                    <-          command
 *   result           ->
 *   events           ->  <-      events-kept      (technician actions, history.ts; one question at a time)
 */

import { DeviceOutcome } from './device-outcome';
import { Events, EventsKept } from './history';
import { InputKind, InputState, NumInput } from './inputs';
import { described, type Static, Type } from './json-schema';
import { BY_MAX_CHARS, LOCK_MAX_MS, MAX_INPUTS, MAX_OUTPUTS, MAX_UNRESOLVED_PER_WELCOME } from './limits';
import { ConfirmedBy, NumOutput, OutputMode, OutputName, OutputState, PulseMs } from './outputs';
import { ProductLogin } from './product-login';

const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
const Ed25519Signature = Type.String({ pattern: '^[A-Za-z0-9_-]{86}$' });
/** PostgreSQL stores no NUL. */
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';
const ShortText = Type.String({ minLength: 1, maxLength: 64, pattern: NO_CONTROL_CHARACTERS });
/** Ids of commands, on the link and in the API. */
export const COMMAND_ID_PATTERN = '^[A-Za-z0-9-]{1,64}$';
const CommandId = Type.String({ pattern: COMMAND_ID_PATTERN });
const Epoch = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** A kebab-case word such as `no-such-output`; new ones may come. */
const Reason = Type.String({ pattern: '^[a-z0-9-]{1,64}$' });
const Seq = Type.Integer({ minimum: 0 });

/** Who gave a command, for people at the device. */
export const CommandGiver = Type.String({
  minLength: 1,
  maxLength: BY_MAX_CHARS,
  pattern: NO_CONTROL_CHARACTERS,
});

export const Hello = Type.Object(
  {
    type: Type.Literal('hello'),
    productLogin: described(ProductLogin, 'The product that this device is.'),
    publicKey: described(Bytes32, "The device's Ed25519 public key: 32 bytes in base64url without padding."),
    deviceNonce: described(Bytes32, '32 random bytes in base64url without padding, fresh for each link.'),
    agentVersion: described(ShortText, "The version of the device's software, for people."),
    bootId: described(
      ShortText,
      "Names the device's memory of commands: another one means that the memory before it is gone.",
    ),
    instanceId: described(
      ShortText,
      'Random for each start of the program, the same for all its links: see "Two devices with one key".',
    ),
  },
  { description: 'The first frame of a link.' },
);

export const Challenge = Type.Object(
  {
    type: Type.Literal('challenge'),
    serverNonce: described(Bytes32, '32 random bytes in base64url without padding, fresh for each link.'),
    serverName: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        "The server's name, so that the device can say which one it expected. It signs the name of its own settings, not this one.",
    }),
  },
  { description: 'The answer to `hello`, whether the server knows the product or not.' },
);

export const Proof = Type.Object(
  {
    type: Type.Literal('proof'),
    signature: described(
      Ed25519Signature,
      'Ed25519 over the text of "The signed challenge": 64 bytes in base64url without padding.',
    ),
    enrolmentCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Sent until a first `welcome`: pins the public key to the product. Its form is in "The signed challenge", under "Enrolment".',
      }),
    ),
  },
  { description: 'The answer to `challenge`. Nothing more is sent until `welcome`.' },
);

export const Welcome = Type.Object(
  {
    type: Type.Literal('welcome'),
    epoch: described(Epoch, "This link's epoch: higher than that of every link of this product before it."),
    unresolved: Type.Array(CommandId, {
      maxItems: MAX_UNRESOLVED_PER_WELCOME,
      description: 'Commands of this product whose outcome the server does not know, the newest first.',
    }),
  },
  { description: 'The device has proven which product it is, and the epoch is stored durably.' },
);

export const TimeRequest = Type.Object(
  {
    type: Type.Literal('time'),
    seq: described(Seq, 'A new number for each question of a link; the answer repeats it.'),
  },
  { description: 'Asks for the time on the server: three times after `welcome`, later as the heartbeat.' },
);

export const TimeReply = Type.Object(
  {
    type: Type.Literal('time'),
    seq: described(Seq, 'That of the question.'),
    serverMs: Type.Number({
      minimum: 0,
      description:
        "The server's monotonic clock while it handled the question, in milliseconds with fractions. It is no date.",
    }),
  },
  { description: 'The answer to each `time` of the device.' },
);

export const ReportedOutput = Type.Object({
  numOutput: described(NumOutput, "The output's number, from 0."),
  name: described(OutputName, 'What people call it; no control characters.'),
  mode: described(OutputMode, '`on-off` holds a state, `impulse` gives a pulse.'),
  state: described(
    Type.Union([OutputState, Type.Null()]),
    '1: relay energised, for an impulse output while its pulse runs. null: not known, as when a relay board went away.',
  ),
  pulseMs: described(PulseMs, 'The programmed length of a pulse, in milliseconds; of no meaning to an on-off output.'),
  confirmedBy: Type.Optional(
    described(
      ConfirmedBy,
      '`write`: the board cannot be read, so its state is what was written to it. Absent: `readback`, it was read.',
    ),
  ),
  lockedForMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LOCK_MAX_MS,
      description:
        'A technician works at it: for so long after this report it refuses commands as `locked`. Absent: it is not locked.',
    }),
  ),
});

export const ReportedInput = Type.Object({
  numInput: described(NumInput, "The board's input, from 0."),
  name: described(OutputName, 'What people call it; no control characters.'),
  kind: InputKind,
  state: InputState,
});

/** A device shortens names and faults if the report would not fit into a frame. */
export const Report = Type.Object(
  {
    type: Type.Literal('report'),
    outputs: Type.Array(ReportedOutput, { maxItems: MAX_OUTPUTS, description: 'All outputs of the device.' }),
    inputs: Type.Optional(
      Type.Array(ReportedInput, {
        maxItems: MAX_INPUTS,
        description:
          'All inputs of the device that have a meaning of their own. Absent: it has none, or its software does not know them yet.',
      }),
    ),
    faults: Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 16,
      description: 'What is wrong on the device, one short sentence each; empty when all is well.',
    }),
  },
  {
    description: 'The outputs and inputs as they are: once before `resume`, and again whenever something has changed.',
  },
);

const outcomeMembers = {
  commandId: described(CommandId, 'That of the command.'),
  outcome: described(DeviceOutcome, 'See "Outcomes".'),
  reason: Type.Optional(described(Reason, 'Why it was refused or is unproven: one kebab-case word.')),
  numOutput: Type.Optional(described(NumOutput, "The command's output.")),
  state: Type.Optional(
    described(OutputState, "The output's state right after; absent where the device does not know it."),
  ),
};

export const CommandResult = Type.Object(
  { type: Type.Literal('result'), ...outcomeMembers },
  { description: 'What became of one command, as soon as it is certain.' },
);

export const Resume = Type.Object(
  {
    type: Type.Literal('resume'),
    outcomes: Type.Array(Type.Object(outcomeMembers), {
      maxItems: MAX_UNRESOLVED_PER_WELCOME,
      description: 'The known outcomes of commands that `welcome` asked for.',
    }),
    notStarted: Type.Array(CommandId, {
      maxItems: MAX_UNRESOLVED_PER_WELCOME,
      description:
        'Commands that `welcome` asked for and that this boot of the device neither started nor will start from an older link.',
    }),
  },
  { description: 'What became of the commands that `welcome` asked for; once. With it the link is up.' },
);

export const Command = Type.Object(
  {
    type: Type.Literal('command'),
    commandId: described(CommandId, 'Unique for ever; what every answer and repetition is matched by.'),
    epoch: described(Epoch, "That of the link's `welcome`; a command of another epoch is dropped without an answer."),
    numOutput: described(NumOutput, 'The output to move. It may be one that the device does not have.'),
    action: described(
      Type.Union([Type.Literal('set'), Type.Literal('toggle')]),
      '`set` to `state`, or `toggle` whatever it is.',
    ),
    state: Type.Optional(described(OutputState, 'The desired state; with `set` only, and always with it.')),
    executeBeforeMs: Type.Number({
      minimum: 0,
      description: "In milliseconds on the server's monotonic clock: nothing starts at or after it (I2).",
    }),
    by: Type.Optional(
      described(
        CommandGiver,
        "Who asked for it, for people at the device: the application's name; no control characters.",
      ),
    ),
  },
  { description: 'Sent only while the link is up.' },
);

export const DeviceMessage = Type.Union([Hello, Proof, TimeRequest, Report, Resume, CommandResult, Events]);
export const ServerMessage = Type.Union([Challenge, Welcome, TimeReply, Command, EventsKept]);

export type Hello = Static<typeof Hello>;
export type Challenge = Static<typeof Challenge>;
export type Proof = Static<typeof Proof>;
export type Welcome = Static<typeof Welcome>;
export type TimeRequest = Static<typeof TimeRequest>;
export type TimeReply = Static<typeof TimeReply>;
export type ReportedOutput = Static<typeof ReportedOutput>;
export type ReportedInput = Static<typeof ReportedInput>;
export type Report = Static<typeof Report>;
export type CommandResult = Static<typeof CommandResult>;
export type CommandConfirmation = Omit<CommandResult, 'type'>;
export type Resume = Static<typeof Resume>;
export type Command = Static<typeof Command>;
export type DeviceMessage = Static<typeof DeviceMessage>;
export type ServerMessage = Static<typeof ServerMessage>;

/** WebSocket close codes of the link (4000-4999 are free for applications, RFC 6455 section 7.4.2). */
export const CLOSE = {
  goingAway: 1001,
  unsupportedData: 1003,
  serverRestarting: 1012,
  /** Bad frames, too many frames, a message out of turn. */
  protocolError: 4400,
  /** Unknown product, or wrong key, code or signature; the device does not learn which. */
  refused: 4401,
  /** The handshake took too long. */
  timeout: 4408,
  /** A newer link of the same product has taken over (I12). */
  replaced: 4409,
  /** The operator revoked the device (I13). */
  revoked: 4410,
  /** The product has begun too many links (I15). */
  tooOften: 4429,
  /** The server cannot take the link now, for example because its database does not answer. */
  tryLater: 4503,
} as const;
