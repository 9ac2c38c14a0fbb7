import type { InputSettings, OutputSettings } from '@relaygate/shared/device';
import type { BoardReads } from '../plan/plan';

export interface DeviceSetup {
  /** Of the machine; the twin of a product has another. */
  name: string;
  /** Its card may be a copy of the product's. */
  isTwin: boolean;
  productLogin: string;
  enrolmentCode: string;
  outputs: readonly OutputSettings[];
  requireProof: boolean;
  hasConsole: boolean;
  /** Its programs look whether a factory reset was begun; else none ever is. */
  isReset: boolean;
  reads: BoardReads;
  /** What they mean. */
  inputs: readonly InputSettings[];
}
