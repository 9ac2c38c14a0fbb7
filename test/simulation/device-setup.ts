import type { OutputSettings } from '@relaygate/shared';

export interface DeviceSetup {
  /** Of the machine; the twin of a product has another. */
  name: string;
  productLogin: string;
  enrolmentCode: string;
  outputs: readonly OutputSettings[];
}
