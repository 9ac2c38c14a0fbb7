import { expect, test } from '@jest/globals';
import { RULES } from '../checker/violation';
import { BESIDE_FAULTS } from './beside-catalogue';
import { BOARD_FAULTS } from './board-catalogue';
import { CHANGE_FAULTS } from './change-catalogue';
import { DEVICE_FAULTS } from './device-catalogue';
import { INPUT_FAULTS } from './input-catalogue';
import { PIN_FAULTS } from './pin-catalogue';
import { POLICY_FAULTS } from './policy-catalogue';
import { RESET_FAULTS } from './reset-catalogue';
import { SERVER_FAULTS } from './server-catalogue';
import { SMALL_FAULTS } from './small-catalogue';
import { WRITER_FAULTS } from './writer-catalogue';

const ALL = [
  ...BESIDE_FAULTS,
  ...BOARD_FAULTS,
  ...CHANGE_FAULTS,
  ...DEVICE_FAULTS,
  ...INPUT_FAULTS,
  ...PIN_FAULTS,
  ...POLICY_FAULTS,
  ...RESET_FAULTS,
  ...SERVER_FAULTS,
  ...SMALL_FAULTS,
  ...WRITER_FAULTS,
];

test('each rule that the checker can name has a deliberate fault that breaks it and no other', () => {
  const broken = ALL.flatMap(({ breaks: [rule, ...others] }) => (others.length === 0 ? [rule] : []));
  expect(RULES.filter((rule) => !broken.includes(rule))).toEqual([]);
});

test('no two deliberate faults have the same name', () => {
  const names = ALL.map(({ name }) => name);
  expect(names.filter((name, n) => names.indexOf(name) < n)).toEqual([]);
});
