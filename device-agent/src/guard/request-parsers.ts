/** The validators of requests.ts that the guard keeps in memory, by what is asked for. */
import { parserNamed } from '@relaygate/shared/named-parser';

// biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
const load = (): typeof import('./requests') => require('./requests');

export const requestParsers = {
  configure: parserNamed('guard-configure', () => load().ConfigureRequest),
  end: parserNamed('guard-end', () => load().EndRequest),
  epoch: parserNamed('guard-epoch', () => load().EpochRequest),
  execute: parserNamed('guard-execute', () => load().ExecuteRequest),
  heartbeat: parserNamed('guard-presence', () => load().HeartbeatRequest),
  input: parserNamed('guard-input', () => load().InputRequest),
  locks: parserNamed('guard-locks', () => load().LocksRequest),
  outcomes: parserNamed('guard-outcomes', () => load().OutcomesRequest),
  presses: parserNamed('guard-presses', () => load().PressesRequest),
  status: parserNamed('guard-status', () => load().StatusRequest),
};
