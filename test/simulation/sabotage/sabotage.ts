import type { Files, RemovableFiles } from '@relaygate/device-agent/files/files';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Actions } from '@relaygate/server/actions';
import type { ChangeStore } from '@relaygate/server/changes/change';
import type { StartWriterThread } from '@relaygate/server/storage/sqlite/writer-thread';
import type { Storage } from '@relaygate/server/storage/storage';
import type { Clock } from '@relaygate/shared';
import type { DeviceSetup } from '../machines/device-setup';
import type { MachineClock } from '../machines/machine-clock';
import type { Surroundings } from '../machines/surroundings';
import type { Board } from '../ports/board';
import type { Connection } from '../ports/database/faulty-connection';
import type { Scheduler } from '../scheduler';

/** A deliberate fault: what stands between the programs and their ports, or in a program, when it is switched on. */
export interface Sabotage {
  storage?(storage: Storage, world: Surroundings): Storage;
  actions?(actions: Actions, world: Surroundings): Actions;
  /** What the server's writer thread does instead. */
  writerThread?(start: StartWriterThread, scheduler: Scheduler): StartWriterThread;
  /** What the server's writer measures its time by. */
  writerClock?(clock: Clock): Clock;
  /** The connection of the server's writer thread. */
  writerConnection?(db: Connection): Connection;
  serverClock?(clock: Clock): Clock;
  /** What the listener for changes reads, and the clock of its stream. */
  changeStore?(store: ChangeStore): ChangeStore;
  changeClock?(clock: Clock): Clock;
  /** One end of a device's link at the server. */
  serverLink?(link: LinkTap, world: Surroundings): LinkFilter;
  /** `hear`: gives the agent a frame that nobody has sent. */
  agentLink?(device: DeviceSide, world: Surroundings, hear: (text: string) => void): LinkFilter;
  guardClock?(clock: Clock): Clock;
  agentFiles?(files: RemovableFiles, world: Surroundings): RemovableFiles;
  guardFiles?(files: Files, world: Surroundings): Files;
  driver?(driver: RelayDriver, device: DeviceSide, world: Surroundings): RelayDriver;
  /** A line from the agent to its guard. */
  toGuard?(line: string): string | null;
  bootId?(bootId: string): string;
  /** In the place of an orderly stop of this process. */
  stop?(name: string, inOrder: () => Promise<void>): Promise<void>;
  /** A server that stops in order closes its links now and not later. */
  closesLinksFirst?: boolean;
  /** What agents' ends of guard.sock do besides. */
  guardSocket?(socket: LocalSocket, world: Surroundings): void;
  /** Changes the code itself, where no port shows the fault. The result takes that back. */
  inside?(): () => void;
}

/** One machine, as a fault on it needs it. */
interface DeviceSide {
  readonly setup: DeviceSetup;
  readonly clock: MachineClock;
  readonly board: Board;
}

/** `send`: a line more from this agent to its guard. */
interface LocalSocket {
  readonly isOpen: boolean;
  send(line: string): void;
}

interface LinkTap {
  productLogin: string;
  send(text: string): void;
  /** Gives the server's end a frame. */
  hear(text: string): void;
}

/** Null: the frame is swallowed. */
export interface LinkFilter {
  received?(text: string): string | null;
  sent?(text: string): string | null;
}
