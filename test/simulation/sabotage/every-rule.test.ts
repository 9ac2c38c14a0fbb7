import { expect, test } from '@jest/globals';
import { RULES } from '../checker/violation';
import { ALL_FAULTS } from './all-faults';

test('each rule that the checker can name has a deliberate fault that breaks it and no other', () => {
  const broken = ALL_FAULTS.flatMap(({ breaks: [rule, ...others] }) => (others.length === 0 ? [rule] : []));
  expect(RULES.filter((rule) => !broken.includes(rule))).toEqual([]);
});

test('no two deliberate faults have the same name', () => {
  const names = ALL_FAULTS.map(({ name }) => name);
  expect(names.filter((name, n) => names.indexOf(name) < n)).toEqual([]);
});
