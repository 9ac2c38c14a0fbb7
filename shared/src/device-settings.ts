/** The device's settings file, `settings.json` in its data folder. The guard reads `board` and `outputs` only. */
import { type Static, Type } from './json-schema';
import { MAX_OUTPUTS } from './limits';
import { OutputSettings } from './output-settings';
import { ProductLogin } from './product-login';
import { parserOf } from './schema';

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
