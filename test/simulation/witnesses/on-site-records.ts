/** What people asked for at a device, and what came of it, in true time. */
import type { HistoryEntry } from '@relaygate/shared';
import type { ChangedSettings, LocalRequest } from '../people/local-request';

/** What a technician asks of a machine by relayctl. */
export interface AskedOnSite {
  machine: string;
  askedMs: number;
  /** When relayctl knew; null: it was told nothing. */
  answeredMs: number | null;
  /** `ok`, or the code of a refusal. */
  answer: string | null;
}

export interface Wish extends AskedOnSite {
  numOutput: number;
  change: ChangedSettings;
  force: boolean;
}

export interface AskedLock extends AskedOnSite {
  numOutput: number;
  /** null: to be unlocked. */
  forMs: number | null;
}

export interface Deed extends AskedOnSite {
  /** As the technician says; each has a name of its own. */
  actor: string;
  /** When nobody waits any more, on the machine's clock. */
  notAfterMs: number;
  request: LocalRequest;
}

export interface MadePin {
  machine: string;
  askedMs: number;
  /** null: nobody has heard it. */
  madeMs: number | null;
  pin: string | null;
}

/** Of the technician's page, or of the serial console. */
export interface PageVisit {
  machine: string;
  /** Of the agent. */
  lifeFromMs: number;
  host: string;
  pin: string;
  askedMs: number;
  /** When the page answered; null: never. */
  answeredMs: number | null;
  /** `ok`, or the code of a refusal. */
  answer: string | null;
  acted: AskedOnSite | null;
}

/** A factory reset from which there is no way back. */
export interface Wiping {
  machine: string;
  /** When its mark was durable. */
  markedMs: number;
  /** When the first file was gone; null: none is. */
  beganMs: number | null;
  /** When the mark was gone for good; null: never. */
  wipedMs: number | null;
  /** Files that were there all the same. */
  left: string[];
  /** When the device had settings again; null: never. */
  setUpMs: number | null;
  /** Its history of before. */
  entries: readonly HistoryEntry[];
}

/** Until then what is done at the device is done to the old one, and goes with it. */
export function oldUntilMs({ markedMs, beganMs }: Wiping): number {
  return beganMs ?? markedMs;
}
