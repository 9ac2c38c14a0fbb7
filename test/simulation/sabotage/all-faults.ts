import { BESIDE_FAULTS } from './beside-catalogue';
import { BOARD_FAULTS } from './board-catalogue';
import { CHANGE_FAULTS } from './change-catalogue';
import type { DeliberateFault } from './deliberate-fault';
import { DEVICE_FAULTS } from './device-catalogue';
import { INPUT_FAULTS } from './input-catalogue';
import { ORDER_FAULTS } from './order-catalogue';
import { PIN_FAULTS } from './pin-catalogue';
import { POLICY_FAULTS } from './policy-catalogue';
import { RESET_FAULTS } from './reset-catalogue';
import { RIGHTS_FAULTS } from './rights-catalogue';
import { SERVER_FAULTS } from './server-catalogue';
import { SMALL_FAULTS } from './small-catalogue';
import { WRITER_FAULTS } from './writer-catalogue';

/** Of every catalogue. */
export const ALL_FAULTS: readonly DeliberateFault[] = [
  ...BESIDE_FAULTS,
  ...BOARD_FAULTS,
  ...CHANGE_FAULTS,
  ...DEVICE_FAULTS,
  ...INPUT_FAULTS,
  ...ORDER_FAULTS,
  ...PIN_FAULTS,
  ...POLICY_FAULTS,
  ...RESET_FAULTS,
  ...RIGHTS_FAULTS,
  ...SERVER_FAULTS,
  ...SMALL_FAULTS,
  ...WRITER_FAULTS,
];
