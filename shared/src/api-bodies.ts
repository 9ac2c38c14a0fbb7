/** Bodies of the HTTP API. Unknown members are ignored; nothing is coerced. */
import { InputKind, InputState, NumInput } from './inputs';
import { type Static, Type } from './json-schema';
import { CREDENTIAL_TEXT_MAX_CHARS, LOGIN_TEXT_MAX_CHARS } from './limits';
import { CommandOutcome } from './outcomes';
import { ConfirmedBy, NumOutput, OutputMode, OutputState } from './outputs';

const LoginText = Type.String({ maxLength: LOGIN_TEXT_MAX_CHARS });
const Credential = Type.String({ maxLength: CREDENTIAL_TEXT_MAX_CHARS });
const Time = Type.String({ description: 'ISO 8601, UTC' });

export const LoginBody = Type.Object({ clientKey: Credential });
export const LegacyRefreshBody = Type.Object({ clientKey: Credential, refreshToken: Credential });
export const RefreshBody = Type.Object({ refreshToken: Credential });
const ProductKey = Type.String({
  maxLength: CREDENTIAL_TEXT_MAX_CHARS,
  description:
    "As `product create` printed it: P and 27 more characters of Crockford's base32, the last of which checks the others " +
    '(ISO/IEC 7064, MOD 33,32). Old keys are 26 characters. Case and hyphens do not count. Whatever is no key of this product ' +
    'is a wrong one.',
});
export const AddProductBody = Type.Object({ productLogin: LoginText, productKey: ProductKey });
export const ProductBody = Type.Object({ productLogin: LoginText });
export const SetOutputBody = Type.Object({ productLogin: LoginText, numOutput: NumOutput, state: OutputState });
export const ToggleOutputBody = Type.Object({ productLogin: LoginText, numOutput: NumOutput });
export const StateBody = Type.Object({ state: OutputState });
/** Any JSON object. */
export const EmptyBody = Type.Object({});

export const ErrorBody = Type.Object({ error: Type.String() });
export const HealthBody = Type.Object({ status: Type.Literal('ok') });
/** Of `/readyz`, if the server is ready. */
export const ReadyBody = Type.Object({
  status: Type.Literal('ready'),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What somebody should look at, for programs: checkpoint-not-kept, broker-away, no-synchronous-standby.',
    }),
  ),
});
export const ReadinessBody = Type.Object({
  status: Type.Literal('not-ready'),
  codes: Type.Array(Type.String(), {
    description: 'For programs: stopping, outcomes-waiting, database-unwritable, disk-low.',
  }),
  problems: Type.Array(Type.String(), { description: 'The same for people.' }),
});
export const AlreadySetBody = Type.Object({ already_set: Type.Literal(true) });
/** Of v1 for requests that prefer JSON. */
export const OkBody = Type.Object({ status: Type.Literal('OK') });
export const PerformedBody = Type.Object({ status: Type.Literal('OK'), commandId: Type.String() });
export const AlreadySetCommandBody = Type.Object({
  already_set: Type.Literal(true),
  commandId: Type.Optional(Type.String({ description: 'As in Command-Id. Absent if Accept does not prefer JSON.' })),
});
export const TokenPair = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() });
export const TokenAnswer = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds that the access token is good from now.' }),
});

/** The last known state, never a live one: `observedAt` is the time of its receipt, null if never (I11). */
export const OutputStatus = Type.Object({
  numOutput: NumOutput,
  name: Type.Union([Type.String(), Type.Null()]),
  mode: Type.Union([OutputMode, Type.Null()]),
  state: Type.Union([OutputState, Type.Null()], { description: 'As last reported; null: never.' }),
  observedAt: Type.Union([Time, Type.Null()]),
  activated: Type.Boolean({ description: 'False: the operator has not released it, and commands get a 403.' }),
  pulseMs: Type.Union([Type.Integer(), Type.Null()], { description: 'Of an impulse output, in milliseconds.' }),
  /** What a 200 means: the relay board was read (`readback`), or only written (`write`). */
  confirmedBy: Type.Union([ConfirmedBy, Type.Null()]),
  lockedUntil: Type.Optional(
    Type.String({
      description:
        'A technician works at it: until then the device refuses commands for it. ISO 8601, UTC. Absent: no.',
    }),
  ),
});

/** The same of an input. A product has the inputs of its device's last report. */
export const InputStatus = Type.Object({
  numInput: NumInput,
  name: Type.String(),
  kind: InputKind,
  state: InputState,
  observedAt: Time,
});

const stateMembers = {
  productLogin: Type.String(),
  connected: Type.Boolean(),
  lastSeenAt: Type.Union([Time, Type.Null()]),
  outputs: Type.Array(OutputStatus),
  faults: Type.Array(Type.String(), {
    description: 'What the device last said is wrong with it, one sentence each; empty when all is well.',
  }),
};
export const LegacyProductState = Type.Object(stateMembers);
export const ProductState = Type.Object({
  ...stateMembers,
  inputs: Type.Array(InputStatus, {
    description:
      'The inputs of the device that have a meaning, as last reported: whether a gate is open, a button pressed. Empty if it has none.',
  }),
});

export const CommandAction = Type.Union([Type.Literal('set'), Type.Literal('toggle')]);
/** Devices bring new ones, and the server passes them on. */
export const CommandReason = Type.String();
export const CommandStatus = Type.Object({
  commandId: Type.String(),
  productLogin: Type.String(),
  numOutput: NumOutput,
  action: CommandAction,
  state: Type.Union([OutputState, Type.Null()]),
  outcome: CommandOutcome,
  reason: Type.Union([CommandReason, Type.Null()]),
  acceptedAt: Time,
  resolvedAt: Type.Union([Time, Type.Null()]),
});

/** The cursor of the next page. */
const Next = Type.Optional(Type.String({ description: 'The cursor of the next page. Absent: this is the last page.' }));

/** A product in a list. Its outputs are in its state. */
export const ListedProduct = Type.Object({
  productLogin: Type.String(),
  connected: Type.Boolean(),
  lastSeenAt: Type.Union([Time, Type.Null()]),
  activated: Type.Boolean({ description: 'The operator has activated the application for this product.' }),
  outputCount: Type.Integer({ description: 'Outputs are numbered from 0.' }),
  faulty: Type.Boolean({
    description: 'The device has last said that something is wrong; see the faults of its state.',
  }),
});
export const ProductList = Type.Object({ products: Type.Array(ListedProduct), next: Next });
export const CommandList = Type.Object({ commands: Type.Array(CommandStatus), next: Next });

export type TokenPair = Static<typeof TokenPair>;
export type TokenAnswer = Static<typeof TokenAnswer>;
export type OutputStatus = Static<typeof OutputStatus>;
export type InputStatus = Static<typeof InputStatus>;
export type LegacyProductState = Static<typeof LegacyProductState>;
export type ProductState = Static<typeof ProductState>;
export type CommandStatus = Static<typeof CommandStatus>;
export type ListedProduct = Static<typeof ListedProduct>;
