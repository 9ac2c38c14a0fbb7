/** The device's settings file, `settings.json` in its data folder. The guard reads `board` and `outputs` only. */
import { type Static, Type } from './json-schema';
import { MAX_OUTPUTS } from './limits';
import { OutputMode, OutputName, PulseMs } from './outputs';
import { ProductLogin } from './product-login';
import { parserOf } from './schema';

export const Level = Type.Union([Type.Literal('high'), Type.Literal('low')]);
export type Level = Static<typeof Level>;

/** What an on-off output does when the guard starts after a power cut; impulse outputs always start inactive (I5). */
export const PowerOn = Type.Union([Type.Literal('off'), Type.Literal('on'), Type.Literal('restore')]);

export const OutputSettings = Type.Object(
  {
    name: OutputName,
    mode: OutputMode,
    pulseMs: PulseMs,
    /** The electrical level that energises the relay. */
    activeLevel: Level,
    powerOn: PowerOn,
  },
  { additionalProperties: false },
);
export type OutputSettings = Static<typeof OutputSettings>;

/** A board in files: its levels and its edge log live in the data folder. */
export const SimulatedBoard = Type.Object(
  {
    kind: Type.Literal('simulated'),
    /** Lines fall back when the process that drives them dies (upstream kernels do so, the Raspberry Pi's do not). */
    releaseOnDeath: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export const BoardSettings = SimulatedBoard;
export type BoardSettings = Static<typeof BoardSettings>;

const guardMembers = {
  board: BoardSettings,
  /** The position is the output's number. */
  outputs: Type.Array(OutputSettings, { minItems: 1, maxItems: MAX_OUTPUTS }),
};

export const LinkSettings = Type.Object(
  {
    /** `wss://host[:port]`; `ws://` to loopback only. */
    serverUrl: Type.String({ pattern: '^wss?://[^\\s]+$', maxLength: 512 }),
    /** The name in the server's RELAYGATE_SERVER_NAME: part of what the device signs. */
    serverName: Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$' }),
    serverCaFile: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    productLogin: ProductLogin,
  },
  { additionalProperties: false },
);
export type LinkSettings = Static<typeof LinkSettings>;

export const GuardSettings = Type.Object(guardMembers);
export type GuardSettings = Static<typeof GuardSettings>;

export const DeviceSettings = Type.Object({ ...guardMembers, link: LinkSettings }, { additionalProperties: false });
export type DeviceSettings = Static<typeof DeviceSettings>;

export const parseDeviceSettings = parserOf(DeviceSettings);
export const parseGuardSettings = parserOf(GuardSettings);
export const parseOutputSettings = parserOf(OutputSettings);
