import type { Files } from '@relaygate/device-agent/files/files';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Actions } from '@relaygate/server/http/actions';
import type { Storage } from '@relaygate/server/storage/storage';
import type { Clock } from '@relaygate/shared';
import type { Device } from '../device';
import type { World } from '../world';

/** A deliberate fault: what stands between the programs and their ports when it is switched on. */
export interface Sabotage {
  storage?(storage: Storage, world: World): Storage;
  actions?(actions: Actions, world: World): Actions;
  serverClock?(clock: Clock): Clock;
  /** One end of a device's link at the server. */
  serverLink?(link: LinkTap, world: World): LinkFilter;
  agentLink?(device: Device, world: World): Pick<LinkFilter, 'received'>;
  guardClock?(clock: Clock): Clock;
  guardFiles?(files: Files, world: World): Files;
  driver?(driver: RelayDriver, device: Device, world: World): RelayDriver;
  /** A line from the agent to its guard. */
  toGuard?(line: string): string | null;
  bootId?(bootId: string): string;
}

export interface LinkTap {
  productLogin: string;
  send(text: string): void;
}

/** Null: the frame is swallowed. */
export interface LinkFilter {
  received?(text: string): string | null;
  sent?(text: string): string | null;
}
