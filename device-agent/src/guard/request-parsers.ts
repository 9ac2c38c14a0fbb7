/** The validators of requests.ts that the guard keeps in memory. */
import { parserNamed } from '@relaygate/shared/named-parser';

// biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
const load = (): typeof import('./requests') => require('./requests');

export const parseConfigure = parserNamed('guard-configure', () => load().ConfigureRequest);
export const parseEnd = parserNamed('guard-end', () => load().EndRequest);
export const parseEpoch = parserNamed('guard-epoch', () => load().EpochRequest);
export const parseExecute = parserNamed('guard-execute', () => load().ExecuteRequest);
export const parseHeartbeat = parserNamed('guard-presence', () => load().HeartbeatRequest);
export const parseInput = parserNamed('guard-input', () => load().InputRequest);
export const parseLocks = parserNamed('guard-locks', () => load().LocksRequest);
export const parseOutcomes = parserNamed('guard-outcomes', () => load().OutcomesRequest);
export const parsePresses = parserNamed('guard-presses', () => load().PressesRequest);
export const parseStatus = parserNamed('guard-status', () => load().StatusRequest);
